// The form that tries an operation, and its code samples. try-it.ts and show-samples.ts find their parts by their classes.
import { html } from '../../page/browser/html.ts'
import { copyButton } from './code-block.ts'
import { highlight } from './highlight.ts'
import type { DocumentedOperation, DocumentedParameter } from './read-document.ts'
import { sampleLanguages, sampleOf, sampleOrigin, type SampleRequest } from './samples.ts'
import type { Texts } from './texts-en.ts'

export function tryIt(operation: DocumentedOperation, t: Texts) {
  const { id, method, basePath, path, needsToken } = operation
  // The page keeps no security code, so it cannot call /auth/revoke; and HEAD answers only headers.
  if (id === 'revokeToken' || method === 'HEAD') return html``
  if (method !== 'GET')
    return html`<div class="try needs-script">
      <h3>${t.tryIt}</h3>
      <p>${t.trySignIn}</p>
      <button type="button" class="primary open-sign-in">${t.signIn}</button>
    </div>`
  // Parameters with several choices need a row of their own.
  const { parameters } = operation
  const inOrder = [...parameters.filter((each) => !isChoices(each)), ...parameters.filter(isChoices)]
  return html`<form
    class="try needs-script"
    data-path="${basePath}${path}"
    data-needs-token="${String(needsToken)}"
    aria-label="${t.tryName(`${method} ${path}`)}"
    autocomplete="off"
    novalidate
  >
    <h3>${t.tryIt}</h3>
    <div class="inputs">${inOrder.map((each) => input(each, `try-${id}-${each.name}`, t))}</div>
    <p class="send">
      <button type="submit" class="primary">${t.send}</button> <span class="outcome" role="status"></span>
    </p>
    <div class="answer"></div>
  </form>`
}

const isChoices = ({ name, isMultiple }: DocumentedParameter) => isMultiple && name !== 'sort'

const input = (parameter: DocumentedParameter, id: string, t: Texts) => {
  const { name, type, values, default: omitted } = parameter
  if (isChoices(parameter))
    return html`<fieldset class="input">
      <legend>${name}</legend>
      ${values.map(
        (value) =>
          html`<label class="choice"><input type="checkbox" name="${name}" value="${value}" /> ${value}</label> `,
      )}
    </fieldset>`
  if (values.length > 0 && name !== 'sort')
    return html`<p class="input">
      <label for="${id}">${name}</label
      ><select id="${id}" name="${name}">
        <option value="">${omitted === undefined ? t.notSent : t.defaultValue(omitted)}</option>
        ${values.map((value) => html`<option>${value}</option>`)}
      </select>
    </p>`
  return html`<p class="input">
    <label for="${id}">${name}</label
    ><input
      id="${id}"
      name="${name}"
      type="text"
      ${type === 'integer' && html` inputmode="numeric"`}
      placeholder="${omitted ?? (type.startsWith('date') ? '2026-09-01' : '')}"
      spellcheck="false"
      autocapitalize="none"
    />
  </p>`
}

// Without scripts, only curl is shown. The script fills in the chosen language and the values of the form.
export function samplesHtml(operation: DocumentedOperation, t: Texts) {
  const { id, method, basePath, path, needsToken, answers } = operation
  const example = (answers[0]?.bodies[0]?.body as { data?: { id?: number } } | undefined)?.data?.id ?? 1
  const target = `${basePath}${path}`.replace('{id}', String(example))
  const form = formOf(operation)
  const request: SampleRequest = { method, url: sampleOrigin + target, needsToken, form }
  const names = Object.entries(sampleLanguages)
  return html`<div class="samples code" data-request="${JSON.stringify({ method, target, needsToken, form })}">
    <div class="code-head">
      <div role="tablist" class="needs-script" aria-label="${t.samples}">
        ${names.map(
          ([language, name], at) =>
            html`<button
              type="button"
              role="tab"
              id="tab-${id}-${language}"
              data-language="${language}"
              aria-selected="${String(at === 0)}"
              aria-controls="sample-${id}"
              ${at > 0 && html` tabindex="-1"`}
            >
              ${name}
            </button>`,
        )}
      </div>
      ${copyButton(t)}
    </div>
    <pre
      role="tabpanel"
      id="sample-${id}"
      aria-labelledby="tab-${id}-curl"
      tabindex="0"
    ><code>${highlight(sampleOf('curl', request), 'sh')}</code></pre>
  </div>`
}

// What a POST sends besides the credentials.
function formOf({ parameters }: DocumentedOperation): Record<string, string> {
  const required = parameters.filter((each) => each.in === 'body' && each.isRequired)
  return Object.fromEntries(
    required.map(({ name, limits }) => [
      name,
      limits.find(([limit]) => limit === 'const')?.[1] ?? `$${name.toUpperCase()}`,
    ]),
  )
}
