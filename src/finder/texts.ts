// Distinct texts as UTF-8 in one buffer. Each has a code from 1 on; 0 stands for no text. Searched texts are case-folded, so that
// a search is one pass over the bytes.
import { caseForms } from '../sql/case-forms.ts'
import { firstWhere } from './values.ts'

export interface TextTable {
  readonly bytes: Uint8Array
  /** The text of a code begins at the offset of the code before it and ends one byte before its own offset. */
  readonly offsets: Uint32Array
}

// Never occurs in UTF-8, so no match extends past the end of a text.
const separator = 0xff

export const textCount = ({ offsets }: TextTable): number => offsets.length - 1

export const textAt = (texts: TextTable, code: number): string =>
  bufferOf(texts).toString('utf8', texts.offsets[code - 1], (texts.offsets[code] as number) - 1)

export const compareBytes = (texts: TextTable, a: number, b: number): number => {
  const { offsets } = texts
  const bytes = bufferOf(texts)
  return bytes.compare(bytes, offsets[b - 1], (offsets[b] as number) - 1, offsets[a - 1], (offsets[a] as number) - 1)
}

const bufferOf = ({ bytes }: TextTable) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Gives equal texts the same code. */
export function createInterner() {
  let bytes = Buffer.from(new ArrayBuffer(4096))
  let offsets = new Uint32Array(256)
  // Kept, so that growing the table does not hash every text again.
  let hashes = new Uint32Array(256)
  let slots = new Uint32Array(1024)
  let count = 0

  const slotOf = (hash: number) => (hash ^ (hash >>> 15)) & (slots.length - 1)

  // The text from `start` to `end`: its code, or 0 if it is new; and its hash and slot.
  function lookUp(from: Uint8Array, start: number, end: number) {
    let hash = 0x811c9dc5
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (from[at] as number), 0x01000193)
    let slot = slotOf(hash)
    let code = slots[slot] as number
    while (code > 0 && !isEqual(code, from, start, end)) {
      slot = (slot + 1) & (slots.length - 1)
      code = slots[slot] as number
    }
    return { code, hash, slot }
  }

  function isEqual(code: number, from: Uint8Array, start: number, end: number): boolean {
    const own = offsets[code - 1] as number
    if ((offsets[code] as number) - 1 - own !== end - start) return false
    for (let at = start; at < end; at += 1) if (from[at] !== bytes[own + at - start]) return false
    return true
  }

  function rehash(): void {
    slots = new Uint32Array(slots.length * 2)
    for (let code = 1; code <= count; code += 1) {
      let slot = slotOf(hashes[code] as number)
      while (slots[slot]) slot = (slot + 1) & (slots.length - 1)
      slots[slot] = code
    }
  }

  return {
    /** The code of an equal text, or a new code. */
    add(text: string): number {
      const start = offsets[count] as number
      // A UTF-16 unit takes at most three bytes.
      const most = start + text.length * 3 + 1
      if (most > bytes.length) bytes = Buffer.from(bytes.buffer.transfer(Math.ceil(most * 1.25)))
      const end = start + bytes.write(text, start)
      const { code, hash, slot } = lookUp(bytes, start, end)
      if (code > 0) return code
      bytes[end] = separator
      count += 1
      if (count === offsets.length) [offsets, hashes] = [grown(offsets), grown(hashes)]
      offsets[count] = end + 1
      hashes[count] = hash
      slots[slot] = count
      if (count * 2 > slots.length) rehash()
      return count
    },
    /** The code of a text of another table, 0 if it is new. */
    find: ({ bytes: others, offsets: ends }: TextTable, code: number): number =>
      lookUp(others, ends[code - 1] as number, (ends[code] as number) - 1).code,
    texts: (): TextTable => ({ bytes: bytes.subarray(0, offsets[count]), offsets: offsets.subarray(0, count + 1) }),
  }
}

type Growing =
  | Uint8Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>

/** A quarter longer. Detaches the list itself: two of them would take twice the memory. */
export function grown<List extends Growing>(list: List): List {
  const Same = list.constructor as new (buffer: ArrayBuffer) => List
  return new Same(list.buffer.transfer(Math.ceil(list.length * 1.25) * list.BYTES_PER_ELEMENT))
}

/** A copy that threads share. */
export function shared<List extends Uint8Array | Uint16Array | Uint32Array | Float64Array | BigInt64Array>(
  list: List,
): List {
  type Constructor = new (buffer: SharedArrayBuffer) => List
  const copy = new (list.constructor as Constructor)(new SharedArrayBuffer(list.byteLength))
  copy.set(list as never)
  return copy
}

/** Copies the texts that `codes` use into shared memory, in order of first use or as sorted, and renumbers the codes to match. */
export function pickUsed(texts: TextTable, codes: Uint32Array, sort?: (used: Uint32Array) => void) {
  const ranks = new Uint32Array(textCount(texts) + 1)
  const used = new Uint32Array(textCount(texts))
  let count = 0
  for (const code of codes)
    if (code > 0 && ranks[code] === 0) {
      used[count] = code
      ranks[code] = count += 1
    }
  const picks = used.subarray(0, count)
  if (sort) {
    sort(picks)
    picks.forEach((code, at) => (ranks[code] = at + 1))
  }
  return { texts: pickTexts(texts, picks), codes: codes.map((code) => ranks[code] as number) }
}

export function pickTexts({ bytes, offsets }: TextTable, picks: Uint32Array): TextTable {
  const newOffsets = new Uint32Array(new SharedArrayBuffer((picks.length + 1) * 4))
  for (const [at, code] of picks.entries())
    newOffsets[at + 1] = (newOffsets[at] as number) + (offsets[code] as number) - (offsets[code - 1] as number)
  const newBytes = new Uint8Array(new SharedArrayBuffer(newOffsets[picks.length] as number))
  // Neighbours are copied together.
  for (let at = 0, next = 1; at < picks.length; at = next, next += 1) {
    while (next < picks.length && picks[next] === (picks[next - 1] as number) + 1) next += 1
    const from = offsets[(picks[at] as number) - 1]
    newBytes.set(bytes.subarray(from, offsets[picks[next - 1] as number]), newOffsets[at])
  }
  return { bytes: newBytes, offsets: newOffsets }
}

/** The codes of the second are counted on from those of the first. */
export function joinTexts(first: TextTable, second: TextTable): TextTable {
  const bytes = new Uint8Array(first.bytes.length + second.bytes.length)
  bytes.set(first.bytes)
  bytes.set(second.bytes, first.bytes.length)
  const offsets = new Uint32Array(first.offsets.length + textCount(second))
  offsets.set(first.offsets)
  const start = first.bytes.length
  for (const [code, offset] of second.offsets.entries()) offsets[textCount(first) + code] = start + offset
  return { bytes, offsets }
}

/** All case forms of a letter become one form. Nothing after a NUL is searched. */
export function foldForSearch(text: string): string {
  const end = text.indexOf('\0')
  const searched = end === -1 ? text : text.slice(0, end)
  // The first form of an ASCII letter is its capital.
  // oxlint-disable-next-line no-control-regex
  if (/^[\x01-\x7f]*$/.test(searched)) return searched.toUpperCase()
  let folded = ''
  for (const character of searched) folded += String.fromCodePoint(caseForms(character).codePointAt(0) as number)
  return folded
}

/** By code: 1 where the text contains the needle, ignoring case. */
export function textsWith(texts: TextTable, needle: string): Uint8Array {
  const count = textCount(texts)
  const found = new Uint8Array(count + 1)
  if (needle.includes('\0') || !needle.isWellFormed()) return found
  const bytes = bufferOf(texts)
  const wanted = Buffer.from(foldForSearch(needle))
  if (wanted.length === 0) return found.fill(1, 1)
  const { offsets } = texts
  let code = 0
  for (let at = bytes.indexOf(wanted); at !== -1; at = bytes.indexOf(wanted, offsets[code])) {
    code = firstWhere(code + 1, count, (each) => (offsets[each] as number) > at)
    found[code] = 1
    if (code === count) break
  }
  return found
}
