// Bases in files, so that a restart does not scan the database. A file has one collection: a hash of what follows, a line of JSON, then
// the bytes of its arrays. A file that is damaged, or was made for another catalogue, is not used. The files hold names and amounts of
// the company, so only the user of the service may read them.
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import type { Collection } from '../catalogue/collections.ts'
import type { MarkedBase } from '../finder/finder.ts'

// To be raised whenever the form of a base changes.
const format = 1
const alignment = 8
// In hexadecimal, so that what follows is aligned.
const hashLength = 64
const kinds = { Uint8Array, Uint16Array, Uint32Array, Float64Array, BigInt64Array } as const

export function saveBase(folder: string, { base, mark }: MarkedBase): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const arrays: Buffer[] = []
  let end = 0
  const made = madeFor(base.collection)
  const json = JSON.stringify({ made, base, mark }, (_key, value: unknown) => {
    if (!ArrayBuffer.isView(value)) return value
    const { buffer, byteOffset, byteLength } = value
    const at = end
    arrays.push(Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), Buffer.alloc(paddingOf(byteLength)))
    end += byteLength + paddingOf(byteLength)
    return { array: value.constructor.name, at, byteLength }
  })
  const line = Buffer.from(`${json}${' '.repeat(paddingOf(Buffer.byteLength(json) + 1))}\n`)
  const path = fileOf(folder, base.collection)
  const file = openSync(`${path}.new`, 'w', 0o600)
  try {
    for (const part of [Buffer.from(hashOf([line, ...arrays])), line, ...arrays])
      for (let at = 0; at < part.length;) at += writeSync(file, part, at)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
}

// Undefined if there is no usable file.
export function readSavedBase(folder: string, collection: Collection): MarkedBase | undefined {
  try {
    const shared = readShared(fileOf(folder, collection))
    const file = Buffer.from(shared as unknown as ArrayBuffer)
    if (file.toString('latin1', 0, hashLength) !== hashOf([file.subarray(hashLength)])) return undefined
    const start = file.indexOf(0x0a) + 1
    const { made, ...saved } = JSON.parse(file.toString('utf8', hashLength, start)) as { readonly made: string }
    return made === madeFor(collection) ? (restore(saved, shared, start) as MarkedBase) : undefined
  } catch {
    // Missing or damaged: the database is scanned.
    return undefined
  }
}

// Directly into shared memory: a copy would be large.
function readShared(path: string): SharedArrayBuffer {
  const file = openSync(path, 'r')
  try {
    const shared = new SharedArrayBuffer(fstatSync(file).size)
    const bytes = new Uint8Array(shared)
    for (let at = 0, read = 1; at < bytes.length && read > 0; at += read) read = readSync(file, bytes, { offset: at })
    return shared
  } finally {
    closeSync(file)
  }
}

function restore(value: unknown, shared: SharedArrayBuffer, start: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => restore(each, shared, start))
  if ('array' in value && 'at' in value && 'byteLength' in value) {
    const Kind = kinds[value.array as keyof typeof kinds]
    const length = Number(value.byteLength) / Kind.BYTES_PER_ELEMENT
    return new Kind(shared as unknown as ArrayBuffer, start + Number(value.at), length)
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, restore(each, shared, start)]))
}

const fileOf = (folder: string, { name }: Collection) => join(folder, `${name}.columns`)
const paddingOf = (length: number) => (alignment - (length % alignment)) % alignment

function hashOf(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

// Everything besides the database that the base depends on: the collection, and the case forms of letters.
const madeFor = (collection: Collection) =>
  hashOf([Buffer.from(JSON.stringify([format, process.versions['unicode'], collection]))])
