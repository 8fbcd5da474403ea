// The form that tries an operation. try-it.ts finds its parts by their classes.
import { html } from '../../page/browser/html.ts'
import type { DocumentedOperation, DocumentedParameter } from './read-document.ts'

export function tryIt(operation: DocumentedOperation) {
  const { id, method, basePath, path, parameters, needsToken } = operation
  // The page keeps no security code, so it cannot call /auth/revoke; and HEAD answers only headers.
  if (id === 'revokeToken' || method === 'HEAD') return html``
  if (method !== 'GET')
    return html`<div class="try needs-script">
      <p>The sign-in of this page calls it.</p>
      <button type="button" class="primary open-sign-in">Sign in</button>
    </div>`
  // Parameters with several choices need a row of their own.
  const inOrder = [...parameters.filter((each) => !isChoices(each)), ...parameters.filter(isChoices)]
  return html`<form
    class="try needs-script"
    data-path="${basePath}${path}"
    data-needs-token="${String(needsToken)}"
    aria-label="Try ${method} ${path}"
    autocomplete="off"
    novalidate
  >
    <div class="inputs">${inOrder.map((each) => input(each, `try-${id}-${each.name}`))}</div>
    <div class="code curl">
      <div class="code-head"><span>curl</span><button type="button" class="copy">Copy</button></div>
      <pre
        tabindex="0"
      ><code>curl -s${needsToken && ' -H "Authorization: Bearer $TOKEN"'} "https://HOST${basePath}${path}"</code></pre>
    </div>
    <p class="send"><button type="submit" class="primary">Send</button> <span class="waiting" role="status"></span></p>
    <div class="answer" aria-live="polite"></div>
  </form>`
}

const isChoices = ({ name, isMultiple }: DocumentedParameter) => isMultiple && name !== 'sort'

const input = (parameter: DocumentedParameter, id: string) => {
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
        <option value="">${omitted === undefined ? 'not sent' : `not sent (${omitted})`}</option>
        ${values.map((value) => html`<option>${value}</option>`)}
      </select>
    </p>`
  const hints: Readonly<Record<string, string>> = {
    'date-time': '2026-09-01T00:00:00',
    date: '2026-09-01',
    integer: '',
  }
  return html`<p class="input">
    <label for="${id}">${name}</label
    ><input
      id="${id}"
      name="${name}"
      type="text"
      ${type === 'integer' && html` inputmode="numeric"`}
      placeholder="${omitted ?? hints[type] ?? ''}"
      spellcheck="false"
      autocapitalize="none"
    />
  </p>`
}
