// A code block with its language and a copy button.
import { highlight } from './highlight.ts'
import { html, type Html } from '../../page/browser/html.ts'
import type { Texts } from './texts-en.ts'

const shownNames: Readonly<Record<string, string>> = {
  sh: 'Shell',
  ts: 'TypeScript',
  python: 'Python',
  csharp: 'C#',
  php: 'PHP',
  powerquery: 'Power Query',
  json: 'JSON',
}

export const codeBlock = (code: string, language: string, t: Texts): Html =>
  html`<div class="code">
    <div class="code-head"><span>${shownNames[language] ?? language}</span>${copyButton(t)}</div>
    <pre tabindex="0"><code>${highlight(code, language)}</code></pre>
  </div>`

export const copyButton = (t: Texts) => html`<button type="button" class="copy needs-script">${t.copy}</button>`
