// A folder → the files to import, one for each relation, and faults of their names. Other files are ignored, unless the name
// is probably misspelt, such as `invoice.csv`.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { nearest } from '../../terminal/nearest.ts'

export interface SourceFile {
  readonly name: string
  readonly path: string
  readonly relation: Relation
  readonly format: 'csv' | 'ndjson'
  readonly isGzip: boolean
  readonly bytes: number
}

const names = relations.map(({ name }) => name)
const endings = '.csv or .ndjson, also with .gz'

// Also returns the names of the files that are ignored.
export function listFolder(folder: string, faults: Faults) {
  const files: SourceFile[] = []
  const ignored: string[] = []
  for (const name of namesIn(folder)) {
    // Hidden and temporary files.
    if (/^[.~]/.test(name)) continue
    const read = readName(name)
    if (read === 'ignored') ignored.push(name)
    else if ('fault' in read) faults.add(name, null, null, read.fault)
    else {
      const before = files.find(({ relation }) => relation === read.relation)
      const path = join(folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      if (before) faults.add(name, null, null, `${before.name} is of ${read.relation.name} too; expected one file.`)
      // A pipe may never end. The reader reports folders.
      else if (found && !found.isFile() && !found.isDirectory())
        faults.add(name, null, null, 'Expected a file; this is a pipe, a socket or a device.')
      else files.push({ name, path, ...read, bytes: found?.size ?? 0 })
    }
  }
  if (files.length === 0 && faults.count === 0)
    throw new OperatorError(
      `There is nothing to import in ${folder}: expected files named after relations, such as products.csv (${endings}).`,
    )
  // In the order of the contract.
  files.sort((one, other) => names.indexOf(one.relation.name) - names.indexOf(other.relation.name))
  return { files, ignored }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new OperatorError(`There is no folder ${folder}.`)
    if (code === 'ENOTDIR') throw new OperatorError(`${folder} is not a folder: name the one that holds the files.`)
    throw new OperatorError(`The folder ${folder} cannot be read: ${message}.`, 1)
  }
}

function readName(name: string): Pick<SourceFile, 'relation' | 'format' | 'isGzip'> | { fault: string } | 'ignored' {
  const [, base = '', format, gzip] = /^([^.]*)(?:\.(csv|ndjson)(\.gz)?)?/i.exec(name) ?? []
  const word = base.toLowerCase()
  const isWhole = format !== undefined && `${base}.${format}${gzip ?? ''}`.length === name.length
  const relation = relations.find((each) => each.name === word)
  if (isWhole && relation)
    return { relation, format: format.toLowerCase() as SourceFile['format'], isGzip: gzip !== undefined }
  if (relation) return { fault: `Cannot be read; expected ${relation.name} with the ending ${endings}.` }
  if (!isWhole) return 'ignored'
  const meant = nearest(word, names)
  const guess = meant === undefined ? `the relations are ${names.join(', ')}.` : `did you mean ${meant}?`
  return { fault: `There is no relation of this name; ${guess}` }
}

interface ImportFault {
  readonly file: string
  // From 1; null: the fault is of the whole file.
  readonly line: number | null
  readonly column: string | null
  readonly message: string
}

// Faults of all files: the first ones are listed, all are counted.
export class Faults {
  readonly first: ImportFault[] = []
  // Also faults of which only the number is known.
  count = 0
  readonly most: number

  constructor(most: number) {
    this.most = most
  }

  add(file: string, line: number | null, column: string | null, message: string): void {
    this.count += 1
    if (this.first.length < this.most) this.first.push({ file, line, column, message })
  }

  get room(): number {
    return this.most - this.first.length
  }
}

export const faultText = ({ file, line, column, message }: ImportFault): string =>
  [line === null ? file : `${file}:${line}`, ...(column === null ? [] : [column]), message].join(': ')
