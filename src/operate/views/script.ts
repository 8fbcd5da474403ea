// A file of views → the views by relation, each with its line, and all faults.
import { readFileSync } from 'node:fs'
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { nearest } from '../../platform/nearest.ts'

interface WrittenView {
  // The text after the name.
  readonly body: string
  readonly line: number
}

interface ViewsScript {
  readonly views: Map<string, WrittenView>
  readonly faults: string[]
}

const known = relations.map(({ name }) => name)

export function readScript(file: string, text: string): ViewsScript {
  const { views, faults } = viewsIn(file, text, createView, () => false)
  const absent = known.filter((name) => !views.has(name))
  if (views.size > 0 && absent.length > 0)
    faults.push(
      `${file} has no view ${absent.join(', ')}. Empty views are enough: "npx vitrine views print --dialect sqlite ${absent.join(' ')}".`,
    )
  return { views, faults }
}

const createView =
  /^CREATE\s+(?:TEMP\s+|TEMPORARY\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:(?:temp|main)\s*\.\s*)?("?)([a-z_]+)\1(?=[\s(])/i

// The views of a source that is copied: only their SELECTs are run. Relations without a view are not copied.
export function readSelects(file: string, isMysql: boolean): ReadonlyMap<string, string> {
  const { views, faults } = viewsIn(file, readText(file), createAnyView, (words) => aroundViews.test(words), isMysql)
  const selects = new Map<string, string>()
  for (const [name, { body, line }] of views) {
    const [, select] = /^\s+AS\s+(.*)$/is.exec(body) ?? []
    if (select === undefined)
      faults.push(`Line ${line} of ${file}: after ${name} expected AS and a SELECT that names its columns with AS.`)
    else if (!isSelect(select, isMysql ? mysqlPieces : pieces))
      faults.push(
        `Line ${line} of ${file}: after ${name} AS only a SELECT is allowed, without INTO: ${beginning(select)}`,
      )
    else selects.set(name, select)
  }
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
const createAnyView =
  /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP\s+|TEMPORARY\s+)?VIEW\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:[\w"`]+\s*\.\s*)?(["`]?)([a-z_]+)\1(?=[\s(])/i

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OperatorError(`The views in ${file} cannot be read: ${(error as Error).message}.`, 1)
  }
}

function viewsIn(
  file: string,
  text: string,
  create: RegExp,
  isIgnored: (words: string) => boolean,
  isMysql = false,
): ViewsScript {
  const views = new Map<string, WrittenView>()
  const faults: string[] = []
  for (const { words, line } of statementsOf(text, isMysql ? mysqlPieces : pieces)) {
    const head = create.exec(words)
    const name = head?.[2]
    const at = `Line ${line} of ${file}`
    const first = name === undefined ? undefined : views.get(name)
    if (isIgnored(words)) continue
    if (!head || name === undefined)
      faults.push(`${at} is not a CREATE VIEW, and nothing else is allowed: ${beginning(words)}`)
    else if (!known.includes(name)) faults.push(`${at}: ${name} is not a relation of the source contract${guess(name)}`)
    else if (first) faults.push(`${at}: the view ${name} is already in line ${first.line}.`)
    else views.set(name, { body: words.slice(head[0].length), line })
  }
  if (views.size === 0 && faults.length === 0) faults.push(`There is no view in ${file}.`)
  return { views, faults }
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
