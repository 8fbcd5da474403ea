// The Markdown of our guides → HTML: headings, paragraphs, lists, tables, fenced code, and within lines code, bold,
// emphasis and links. Everything is escaped. What it does not know it refuses: a guide must not come out half right.
import { codeBlock } from './browser/code-block.ts'
import { html, type Html } from '../page/browser/html.ts'
import { writeInline, plainText } from './markdown-inline.ts'

interface Heading {
  readonly level: 2 | 3
  readonly text: string
  readonly id: string
}

export interface WrittenGuide {
  readonly title: string
  readonly headings: readonly Heading[]
  readonly html: Html
}

// As code hosts make the fragment of a heading.
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

// `name` is the name of the guide: its ids begin with it. What stands before the first heading belongs to the title.
export function writeMarkdown(markdown: string, name: string): WrittenGuide {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n')
  const headings: Heading[] = []
  const sections: { heading: Heading | null; parts: Html[] }[] = [{ heading: null, parts: [] }]
  let title: string | undefined
  let at = 0
  while (at < lines.length) {
    const line = lines[at] ?? ''
    if (line.trim() === '') at += 1
    else if (/^#{1,3} /.test(line)) {
      const [marks, text] = [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]
      if (marks === '#') {
        if (title !== undefined || at > 0) throw problem(at, 'a second title, or one that is not the first line')
        title = plainText(text)
      } else {
        const level = marks.length === 2 ? 2 : 3
        const heading = { level, text: plainText(text), id: `${name}-${slug(plainText(text))}` } as const
        headings.push(heading)
        if (level === 2) sections.push({ heading, parts: [] })
        sections.at(-1)?.parts.push(headingHtml(heading, writeInline(text, at)))
      }
      at += 1
    } else {
      const block = readBlock(lines, at)
      sections.at(-1)?.parts.push(block.html)
      at = block.next
    }
  }
  if (title === undefined) throw problem(0, 'no title in the first line')
  return { title, headings, html: html`${sections.map(sectionHtml)}` }
}

const headingHtml = ({ level, id }: Heading, text: Html) =>
  level === 2
    ? html`<h2>${text} <a class="anchor" href="#${id}" aria-label="Link to this part">#</a></h2> `
    : html`<h3 id="${id}">${text}</h3> `

const sectionHtml = ({ heading, parts }: { heading: Heading | null; parts: Html[] }) =>
  heading
    ? html`<section id="${heading.id}" data-find="${heading.text}" data-kind="guide">${parts}</section> `
    : html`${parts}`

interface Block {
  readonly html: Html
  readonly next: number
}

function readBlock(lines: readonly string[], at: number): Block {
  const line = lines[at] ?? ''
  if (line.startsWith('```')) return readFence(lines, at)
  if (line.startsWith('|')) return readTable(lines, at)
  if (/^(?:- |\d+\. )/.test(line)) return readList(lines, at)
  if (/^(?:[><]|[*+] |\s|={3,}|-{3,}|!\[|#{4,})/.test(line)) throw problem(at, `"${line.slice(0, 20)}"`)
  const next = endOf(lines, at, (each) => each.trim() === '' || /^(?:```|\||#{1,3} |- )/.test(each))
  return { html: html`<p>${writeInline(lines.slice(at, next).join('\n'), at)}</p> `, next }
}

function readFence(lines: readonly string[], at: number): Block {
  const language = (lines[at] ?? '').slice(3).trim()
  if (!/^\w+$/.test(language)) throw problem(at, 'code without its language')
  const end = lines.indexOf('```', at + 1)
  if (end < 0) throw problem(at, 'code that does not end')
  return { html: html`${codeBlock(lines.slice(at + 1, end).join('\n'), language)} `, next: end + 1 }
}

function readTable(lines: readonly string[], at: number): Block {
  const next = endOf(lines, at, (line) => !line.startsWith('|'))
  const [head = [], rule = [], ...rows] = lines.slice(at, next).map(readCells)
  if (!rule.every((cell) => /^-+$/.test(cell))) throw problem(at + 1, 'a table without its line of dashes')
  for (const [row, cells] of [rule, ...rows].entries())
    if (cells.length !== head.length) throw problem(at + 1 + row, `a row of ${cells.length} cells, not ${head.length}`)
  const written = (cells: readonly string[], row: number) => cells.map((cell) => writeInline(cell, at + row))
  return {
    html: html`<div class="table" tabindex="0">
      <table>
        <thead>
          <tr>
            ${written(head, 0).map((cell) => html`<th scope="col">${cell}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (cells, row) =>
              html`<tr>
                ${written(cells, row + 2).map((cell) => html`<td>${cell}</td>`)}
              </tr> `,
          )}
        </tbody>
      </table>
    </div> `,
    next,
  }
}

// A bar within code is part of the code.
const readCells = (line: string): string[] =>
  [
    ...line
      .trim()
      .slice(1, -1)
      .matchAll(/(?:`[^`]*`|[^|])+/g),
  ].map(([cell]) => cell.trim())

// One line an item.
function readList(lines: readonly string[], at: number): Block {
  const isOrdered = /^\d/.test(lines[at] ?? '')
  const marker = isOrdered ? /^\d+\. / : /^- /
  const next = endOf(lines, at, (line) => !marker.test(line))
  if ((lines[next] ?? '').trim() !== '') throw problem(next, 'a list that is not followed by an empty line')
  const items = lines
    .slice(at, next)
    .map((line, item) => html`<li>${writeInline(line.replace(marker, ''), at + item)}</li> `)
  return {
    html: isOrdered
      ? html`<ol>
          ${items}
        </ol> `
      : html`<ul>
          ${items}
        </ul> `,
    next,
  }
}

function endOf(lines: readonly string[], from: number, isEnd: (line: string) => boolean): number {
  const found = lines.findIndex((line, at) => at > from && isEnd(line))
  return found < 0 ? lines.length : found
}

const problem = (line: number, what: string) => new Error(`Markdown, line ${line + 1}: ${what}`)
