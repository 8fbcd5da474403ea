// HTML as a value: everything put into a template is escaped, unless it is already HTML. Used by the service and by pages.

export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

type HtmlPart = Html | string | number | false | undefined | readonly HtmlPart[]

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (found) => escapes[found] ?? found)

function write(part: HtmlPart): string {
  if (part instanceof Html) return part.text
  if (part === false || part === undefined) return ''
  if (typeof part === 'object') return part.map(write).join('')
  return escapeHtml(String(part))
}

// Drops the indentation of the source.
export const html = (texts: TemplateStringsArray, ...parts: HtmlPart[]): Html =>
  new Html(texts.map((text, at) => text.replaceAll(/\n\s+/g, '\n') + write(parts[at])).join(''))
