// Makes the SQLite file whose views read a POS file. All faults are reported together, before anything is written. The file is
// replaced as a whole, and a running service uses the new views at once.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { lackingColumns } from '../../engine/missing-parts.ts'
import { checkViews } from '../../engine/sqlite/check.ts'
import { isViewsFile, writeViewsFile } from '../../engine/sqlite/views-file.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder, putInPlace } from '../../platform/files.ts'
import { openSqlite, readSqliteHeader } from '../../platform/sqlite.ts'
import { relations } from '../../contract/relations.ts'
import { nearest } from '../../platform/nearest.ts'

interface AppliedViews {
  readonly database: string
  readonly pos: string
  readonly views: number
}

export function applyViews(path: string, file: string, posFile: string): AppliedViews {
  const pos = resolve(posFile)
  const { views, faults: scriptFaults } = readFile(file)
  const bodies = new Map([...views].map(([relation, { body }]) => [relation, body]))
  const faults = [...placeFaults(path, pos), ...scriptFaults]
  const posFaults = posProblems(pos)
  faults.push(...posFaults)
  if (posFaults.length === 0) {
    const scratch = openSqlite(':memory:', { readOnly: true, lockTimeoutMs: 5000 })
    try {
      // Missing relations have been reported already.
      faults.push(...checkViews(scratch, file, { pos, bodies }, lackingColumns))
    } finally {
      scratch.close()
    }
  }
  if (faults.length > 0) throw new OperatorError(faults.join('\n'), 1)
  makeFolder(dirname(path))
  const made = `${path}.new`
  rmSync(made, { force: true })
  writeViewsFile(made, { pos, bodies })
  putInPlace(path, made)
  return { database: path, pos, views: bodies.size }
}

function readFile(file: string) {
  try {
    return readScript(file, readFileSync(file, 'utf8'))
  } catch (error) {
    return { views: new Map<string, never>(), faults: [`${file} cannot be read: ${(error as Error).message}.`] }
  }
}

// Only a file that this command made is replaced.
function placeFaults(path: string, pos: string): string[] {
  if (resolve(path) === pos)
    return [
      `The views need a file of their own: VITRINE_DATABASE_URL and --pos both name ${pos}, which is never written to.`,
    ]
  if (!existsSync(path) || isViewsFile(path)) return []
  return [`There is something else at ${path}, which is not replaced: name another file in VITRINE_DATABASE_URL.`]
}

function posProblems(pos: string): string[] {
  if (!existsSync(pos)) return [`There is no file ${pos}.`]
  if (!readSqliteHeader(pos)) return [`${pos} is not a SQLite database.`]
  if (isViewsFile(pos)) return [`${pos} is a file of views itself: --pos names the file that the tills write.`]
  return []
}

interface WrittenView {
  // The text after the name.
  readonly body: string
  readonly line: number
}

interface ViewsScript {
  readonly views: ReadonlyMap<string, WrittenView>
  readonly faults: readonly string[]
}

const known = relations.map(({ name }) => name)

export function readScript(file: string, text: string): ViewsScript {
  const views = new Map<string, WrittenView>()
  const faults: string[] = []
  for (const { words, line } of statementsOf(text)) {
    const head = createView.exec(words)
    const name = head?.[2]
    const at = `Line ${line} of ${file}`
    const first = name === undefined ? undefined : views.get(name)
    if (!head || name === undefined)
      faults.push(`${at} is not a CREATE VIEW, and nothing else is allowed: ${beginning(words)}`)
    else if (!known.includes(name))
      faults.push(`${at}: ${name} is not a relation of the source contract${guess(name)}.`)
    else if (first) faults.push(`${at}: the view ${name} is already in line ${first.line}.`)
    else views.set(name, { body: words.slice(head[0].length), line })
  }
  const absent = known.filter((name) => !views.has(name))
  if (views.size === 0 && faults.length === 0) faults.push(`There is no view in ${file}.`)
  else if (absent.length > 0)
    faults.push(
      `${file} has no view ${absent.join(', ')}. Empty views are enough: "npx vitrine views print --dialect sqlite ${absent.join(' ')}".`,
    )
  return { views, faults }
}

const createView =
  /^CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:(?:temp|main)\s*\.\s*)?("?)([a-z_]+)\1(?=[\s(])/i

const beginning = (words: string) => `${words.replaceAll(/\s+/g, ' ').slice(0, 40)}…`

function guess(name: string): string {
  const meant = nearest(name, known)
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

// Quoted texts, quoted names and comments may contain semicolons.
const pieces = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|;|[^'"`[;/-]+|[^]/g

// Statements without the comments around them, each with its first line.
function* statementsOf(text: string): Iterable<{ readonly words: string; readonly line: number }> {
  let words = ''
  let line = 1
  let begun = 1
  for (const [piece] of `${text}\n;`.matchAll(pieces)) {
    const isComment = piece.startsWith('--') || piece.startsWith('/*')
    if (piece === ';') {
      if (words.trim() !== '') yield { words: words.trim(), line: begun }
      words = ''
    } else if (words === '') {
      const blanks = isComment ? '' : (/^\s*/.exec(piece)?.[0] ?? '')
      begun = line + linesIn(blanks)
      words = isComment ? '' : piece.slice(blanks.length)
    } else words += piece
    line += linesIn(piece)
  }
}

const linesIn = (text: string) => text.split('\n').length - 1
