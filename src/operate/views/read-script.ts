// A file of CREATE VIEW statements → the views in it, or all that is wrong with the file, a sentence each with its line.
import { relations } from '../../contract/relations.ts'
import { nearest } from '../../platform/nearest.ts'

interface WrittenView {
  // What follows the name.
  readonly body: string
  readonly line: number
}

interface Script {
  readonly views: ReadonlyMap<string, WrittenView>
  readonly faults: readonly string[]
}

const known = relations.map(({ name }) => name)

export function readScript(file: string, text: string): Script {
  const views = new Map<string, WrittenView>()
  const faults: string[] = []
  for (const { words, line } of statementsOf(text)) {
    const head = createView.exec(words)
    const name = head?.[2]
    const at = `Line ${line} of ${file}`
    const first = name === undefined ? undefined : views.get(name)
    if (!head || name === undefined)
      faults.push(`${at} is no CREATE VIEW, and nothing else may be in it: ${beginning(words)}`)
    else if (!known.includes(name)) faults.push(`${at}: ${name} is no relation of the source contract${guess(name)}.`)
    else if (first) faults.push(`${at}: the view ${name} is there already, in line ${first.line}.`)
    else views.set(name, { body: words.slice(head[0].length), line })
  }
  const absent = known.filter((name) => !views.has(name))
  if (views.size === 0 && faults.length === 0) faults.push(`There is no view in ${file}.`)
  else if (absent.length > 0)
    faults.push(
      `${file} has no view ${absent.join(', ')}. Empty ones will do: "npx vitrine views print --dialect sqlite ${absent.join(' ')}".`,
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

// Texts and names in quotes, and comments, may hold semicolons.
const pieces = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[^]*?(?:\*\/|$)|;|[^'"`[;/-]+|[^]/g

// Without the comments before and after each; with the line each begins in.
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
