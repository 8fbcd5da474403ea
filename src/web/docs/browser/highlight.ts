// Code → HTML with comments, strings, numbers and keywords highlighted. Colours may be wrong; characters never change.
import { Html, escapeHtml } from '../../page/browser/html.ts'

interface SyntaxRules {
  readonly comment?: string
  readonly text: string
  readonly words: string
}

const quoted = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`

const languages: Readonly<Record<string, SyntaxRules>> = {
  json: { text: `"(?:[^"\\\\]|\\\\.)*"`, words: 'true false null' },
  sh: { comment: '(?<=^|\\s)#[^\\n]*', text: quoted, words: 'export' },
  ts: {
    comment: '//[^\\n]*',
    text: `${quoted}|\`(?:[^\`\\\\]|\\\\.)*\``,
    words:
      'async await break const else export false for from function if import in interface let new null of return throw true type typeof undefined while yield',
  },
  python: {
    comment: '#[^\\n]*',
    text: `f?(?:${quoted})`,
    words: 'as def except False for from if import in None raise return True try while with',
  },
  csharp: {
    comment: '//[^\\n]*',
    text: quoted,
    words: 'async await class decimal foreach if in int new public return static string throw using var',
  },
  php: {
    comment: '//[^\\n]*',
    text: quoted,
    words: 'array as echo exit false foreach function if int new return string throw true',
  },
  // In M a quote within a text is doubled.
  powerquery: {
    comment: '//[^\\n]*',
    text: '"(?:[^"\\n]|"")*"',
    words: 'and as each else false if in let list not null number or record table text then true type',
  },
}

function patternOf(name: string, { comment, text, words }: SyntaxRules): RegExp {
  const parts = [
    ...(comment ? [`(?<comment>${comment})`] : []),
    `(?<text>${text})`,
    `(?<word>\\b(?:${words.replaceAll(' ', '|')})\\b)`,
    // Not in a shell, where digits are parts of words.
    ...(name === 'sh' ? [] : ['(?<number>(?<![\\w.])-?\\d[\\d_]*(?:\\.\\d+)?(?:e[+-]?\\d+)?\\b)']),
  ]
  return new RegExp(parts.join('|'), 'gm')
}

const patterns = new Map(Object.entries(languages).map(([name, rules]) => [name, patternOf(name, rules)]))

export function highlight(code: string, language: string): Html {
  const pattern = patterns.get(language)
  if (!pattern) return new Html(escapeHtml(code))
  let written = ''
  let at = 0
  for (const found of code.matchAll(pattern)) {
    const kind = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? ''
    // In JSON, names look different from string values.
    const isName = language === 'json' && kind === 'text' && /^\s*:/.test(code.slice(found.index + found[0].length))
    const mark = isName ? 'name' : kind
    written += `${escapeHtml(code.slice(at, found.index))}<span class="${mark}">${escapeHtml(found[0])}</span>`
    at = found.index + found[0].length
  }
  return new Html(written + escapeHtml(code.slice(at)))
}
