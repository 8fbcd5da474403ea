// What stands within a line of Markdown → HTML: code, bold, emphasis and links. A link to another guide (`paging.md`,
// `paging.md#pages`) becomes a link within the page, so that the same file can be read at a code host.
import { html, type Html } from '../page/browser/html.ts'

const pattern =
  /`(?<code>[^`]+)`|\*\*(?<bold>[^*]+)\*\*|\*(?<emphasis>[^*\s][^*]*)\*|\[(?<label>[^\]]+)\]\((?<target>[^)\s]+)\)/g
const leftOver = /`|\*\*|\]\(|<\/?[a-z]|!\[/i

export function writeInline(text: string, line: number): Html {
  const parts: (Html | string)[] = []
  let at = 0
  const plain = (piece: string) => {
    if (leftOver.test(piece)) throw new Error(`Markdown, line ${line + 1}: cannot be read: ${piece}`)
    parts.push(piece)
  }
  for (const found of text.matchAll(pattern)) {
    plain(text.slice(at, found.index))
    at = found.index + found[0].length
    const { code, bold, emphasis, label = '', target = '' } = found.groups ?? {}
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (bold !== undefined) parts.push(html`<strong>${writeInline(bold, line)}</strong>`)
    else if (emphasis !== undefined) parts.push(html`<em>${writeInline(emphasis, line)}</em>`)
    else parts.push(html`<a href="${addressOf(target, line)}">${writeInline(label, line)}</a>`)
  }
  plain(text.slice(at))
  return html`${parts}`
}

// Nothing leads out of the page: it works where there is no other network.
function addressOf(target: string, line: number): string {
  const found = /^(?<guide>[a-z-]+)\.md(?:#(?<part>[\p{L}\p{N}_-]+))?$/u.exec(target)?.groups
  if (!found) throw new Error(`Markdown, line ${line + 1}: ${target} is not another guide`)
  return `#${found['guide']}${found['part'] ? `-${found['part']}` : ''}`
}

export const plainText = (text: string): string => text.replaceAll(/[`*]/g, '')
