// A file of views → the SELECT of each relation, which a copy runs. Nothing else in the file is run.
import { readFileSync } from 'node:fs'
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { nearest } from '../../terminal/nearest.ts'

const known = relations.map(({ name }) => name)

// The file's faults are reported together. Relations without a view are not copied.
export function readSelects(file: string, isMysql: boolean): ReadonlyMap<string, string> {
  const form = isMysql ? mysqlPieces : pieces
  const selects = new Map<string, string>()
  const lines = new Map<string, number>()
  const faults: string[] = []
  for (const { words, line } of statementsOf(readText(file), form)) {
    if (aroundViews.test(words)) continue
    const at = `Line ${line} of ${file}`
    const [head = '', , name] = createView.exec(words) ?? []
    const [, select] = /^\s+AS\s+(.*)$/is.exec(words.slice(head.length)) ?? []
    const first = lines.get(name ?? '')
    if (name !== undefined && first === undefined) lines.set(name, line)
    if (name === undefined) faults.push(`${at} is not a CREATE VIEW, and nothing else is allowed: ${beginning(words)}`)
    else if (!known.includes(name)) faults.push(`${at}: ${name} is not a relation of the source contract${guess(name)}`)
    else if (first !== undefined) faults.push(`${at}: the view ${name} is already in line ${first}.`)
    else if (select === undefined)
      faults.push(`${at}: after ${name} expected AS and a SELECT that names its columns with AS.`)
    else if (!isSelect(select, form))
      faults.push(`${at}: after ${name} AS only a SELECT is allowed, without INTO: ${beginning(select)}`)
    else selects.set(name, select)
  }
  if (lines.size === 0 && faults.length === 0) faults.push(`There is no view in ${file}.`)
  if (faults.length > 0) throw new OperatorError(faults.join('\n'), 1)
  return selects
}

// A SELECT with INTO writes a file or a table. What stands in quotes and in comments does not count, except the comments that MySQL runs.
function isSelect(select: string, form: RegExp): boolean {
  const bare = [...select.matchAll(form)].map(([piece]) => (isQuiet.test(piece) ? ' ' : piece)).join('')
  return /^[\s(]*(?:SELECT|WITH)\b/i.test(bare) && !/\b(?:INTO|DELETE\s+FROM|UPDATE\s+\S+\s+SET)\b|\/\*M?!/i.test(bare)
}

const isQuiet = /^(?:--|#|\/\*(?!M?!)|['"`[]|\$\w*\$)./s

// What `views print` writes around the views of PostgreSQL. It is not run.
const aroundViews = /^(?:BEGIN|COMMIT|DO|GRANT|SET|USE|(?:CREATE|DROP)\s+SCHEMA|DROP\s+VIEW|START\s+TRANSACTION)\b/i
const createView =
  /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP\s+|TEMPORARY\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[\w"`]+\s*\.\s*)?(["`]?)([a-z_]+)\1(?=[\s(])/i

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`The views in ${file} cannot be read: ${(error as Error).message}.`, 1)
  }
}

const beginning = (words: string) => `${words.replaceAll(/\s+/g, ' ').slice(0, 40)}…`

function guess(name: string): string {
  const meant = nearest(name, known)
  return meant === undefined ? '.' : `; did you mean ${meant}?`
}

// Quoted texts, quoted names and comments may contain semicolons.
const pieces =
  /(\$\w*\$)[^]*?\1|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|;|[^'"`[;/$-]+|[^]/g
// In MySQL a backslash escapes, # begins a comment, and [ and $ have no meaning.
const mysqlPieces =
  /'(?:[^'\\]|''|\\[^])*'|"(?:[^"\\]|""|\\[^])*"|`(?:[^`]|``)*`|--[^\n]*|#[^\n]*|\/\*[^]*?(?:\*\/|$)|;|[^'"`#;/-]+|[^]/g

// Statements without the comments around them, each with its first line.
function* statementsOf(text: string, form: RegExp): Iterable<{ readonly words: string; readonly line: number }> {
  let words = ''
  let line = 1
  let begun = 1
  for (const [piece] of `${text}\n;`.matchAll(form)) {
    const isComment = /^(?:--|\/\*|#)/.test(piece)
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
