// The Markdown of our guides → HTML. `marked` parses it; the kinds of tokens that the page can show are written here, escaped.
// Any other token is an error, so that no guide is shown incomplete.
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked'
import { codeBlock } from './browser/code-block.ts'
import type { Texts } from './browser/texts-en.ts'
import { html, type Html } from '../page/browser/html.ts'

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

interface Section {
  readonly heading: Heading | null
  readonly parts: Html[]
}

// The fragment of a heading, as code hosts make it.
export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

// Every id begins with `name`, the name of the guide, unless `ids` names those of all headings. The text before the first heading belongs
// to the title.
export function writeMarkdown(markdown: string, name: string, t: Texts, ids?: readonly string[]): WrittenGuide {
  const headings: Heading[] = []
  const sections: Section[] = [{ heading: null, parts: [] }]
  let title: string | undefined
  let line = 1
  const write = (token: MarkedToken) => {
    if (token.type !== 'heading') return void sections.at(-1)?.parts.push(writeBlock(token, t))
    const text = token.text.replaceAll(/[`*]/g, '')
    if (token.depth === 1) {
      if (line > 1) throw new Error('a second title, or one that is not the first line')
      title = text
      return
    }
    if (token.depth > 3) throw new Error('a heading below the third level')
    const id = ids?.[headings.length] ?? `${name}-${slug(text)}`
    const heading: Heading = { level: token.depth === 2 ? 2 : 3, text, id }
    headings.push(heading)
    if (heading.level === 2) sections.push({ heading, parts: [] })
    sections.at(-1)?.parts.push(headingHtml(heading, writeInline(token.tokens), t))
  }
  for (const token of lexer(markdown)) {
    try {
      write(token as MarkedToken)
    } catch (error) {
      throw new Error(`Markdown, line ${line}: ${(error as Error).message}`, { cause: error })
    }
    line += token.raw.split('\n').length - 1
  }
  if (title === undefined) throw new Error('Markdown, line 1: no title in the first line')
  return { title, headings, html: html`${sections.map(sectionHtml)}` }
}

const headingHtml = ({ level, id }: Heading, text: Html, t: Texts) =>
  level === 2
    ? html`<h2>${text} <a class="anchor" href="#${id}" aria-label="${t.linkHere}">#</a></h2> `
    : html`<h3 id="${id}">${text}</h3> `

const sectionHtml = ({ heading, parts }: Section) =>
  heading
    ? html`<section id="${heading.id}" data-find="${heading.text}" data-kind="guide">${parts}</section> `
    : html`${parts}`

function writeBlock(token: MarkedToken, t: Texts): Html {
  switch (token.type) {
    case 'space':
      return html``
    case 'paragraph':
      return html`<p>${writeInline(token.tokens)}</p> `
    case 'code':
      if (!/^\w+$/.test(token.lang ?? '')) throw new Error('code without its language')
      if (!/\n```\s*$/.test(token.raw)) throw new Error('code that does not end')
      return html`${codeBlock(token.text, token.lang ?? '', t)} `
    case 'list': {
      const items = token.items.map((item) => html`<li>${writeItem(item)}</li> `)
      return token.ordered
        ? html`<ol>
            ${items}
          </ol> `
        : html`<ul>
            ${items}
          </ul> `
    }
    case 'table':
      return writeTable(token)
    default:
      throw new Error(`the page cannot show ${token.type}`)
  }
}

function writeItem({ tokens, task }: Tokens.ListItem): Html {
  const [text, ...others] = tokens
  if (text?.type !== 'text' || others.length > 0 || task) throw new Error('a list item that is more than a text')
  return writeInline((text as Tokens.Text).tokens ?? [])
}

function writeTable({ raw, header, rows }: Tokens.Table): Html {
  // The parser drops or adds cells in rows that have more or fewer cells than the header.
  for (const row of raw.trim().split('\n'))
    if ((row.match(/(?<!\\)\|/g) ?? []).length !== header.length + 1)
      throw new Error(`a row that has not ${header.length} cells: ${row}`)
  return html`<div class="table" tabindex="0">
    <table>
      <thead>
        <tr>
          ${header.map(({ tokens }) => html`<th scope="col">${writeInline(tokens)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map(({ tokens }) => html`<td>${writeInline(tokens)}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div> `
}

const writeInline = (tokens: readonly Token[]): Html => html`${tokens.map((token) => writeSpan(token as MarkedToken))}`

// Marks that the parser has left as text: a mistake of the author.
const unparsedMark = /`|\*\*|\]\(|<\/?[a-z]|!\[|^\|/im

function writeSpan(token: MarkedToken): Html | string {
  switch (token.type) {
    case 'text':
      if (unparsedMark.test(token.text)) throw new Error(`cannot be read: ${token.text}`)
      return token.text
    case 'escape':
      return token.text
    case 'codespan':
      return html`<code>${token.text}</code>`
    case 'strong':
      return html`<strong>${writeInline(token.tokens)}</strong>`
    case 'em':
      return html`<em>${writeInline(token.tokens)}</em>`
    case 'link':
      return html`<a href="${addressOf(token.href)}">${writeInline(token.tokens)}</a>`
    default:
      throw new Error(`the page cannot show ${token.type}`)
  }
}

// A link to another guide (`paging.md#pages`) becomes a link within the page, so that the same file can be read at a code host.
// No link leaves the page: it works without another network.
function addressOf(target: string): string {
  const { guide, part } = /^(?<guide>[a-z-]+)\.md(?:#(?<part>[\p{L}\p{N}_-]+))?$/u.exec(target)?.groups ?? {}
  if (guide === undefined) throw new Error(`${target} is not another guide`)
  return `#${guide}${part ? `-${part}` : ''}`
}
