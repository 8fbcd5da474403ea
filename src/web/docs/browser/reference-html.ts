// The reference as HTML: an article for the service, one for each resource and one for the errors, and their navigation. The service
// writes it for the whole API, the page again for a key that has signed in.
import { codeBlock } from './code-block.ts'
import { html, type Html } from '../../page/browser/html.ts'
import type {
  ApiReference,
  DocumentedAnswer,
  DocumentedField,
  DocumentedOperation,
  DocumentedParameter,
  DocumentedResource,
  Limits,
} from './read-document.ts'
import type { Texts } from './texts-en.ts'
import { samplesHtml, tryIt } from './try-it-html.ts'

// sales-orders → Sales orders, sub-departments → Sub-departments, unless the language has a name of its own.
export const shownName = (name: string, t: Texts) => {
  const words = t.resources[name] ?? name.replaceAll(/(?<!^sub)-/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const navigationHtml = ({ resources }: ApiReference, t: Texts): Html =>
  html`<ul>
    <li><a href="#service">${t.service}</a></li>
    ${resources.map(({ name }) => html`<li><a href="#${name}">${shownName(name, t)}</a></li> `)}
    <li><a href="#error-codes">${t.errorCodes}</a></li>
  </ul>`

export const referenceHtml = (reference: ApiReference, t: Texts): Html =>
  html`${serviceArticle(reference, t)}${reference.resources.map((each) => resourceArticle(each, t))}${errorArticle(reference, t)}`

const anchor = (id: string, t: Texts) => html`<a class="anchor" href="#${id}" aria-label="${t.linkHere}">#</a>`

const serviceArticle = ({ service, basePath, permissions }: ApiReference, t: Texts) =>
  html`<article id="service" data-find="${t.service}" data-kind="resource">
    <h1>${t.service}</h1>
    <p class="lead">${t.serviceLead} <code>${basePath}</code></p>
    ${service.map((each) => operationSection(each, 'service', t))}
    <section id="service-permissions">
      <h2>${t.permissions} ${anchor('service-permissions', t)}</h2>
      ${rows(
        [t.permission, t.meaning],
        permissions.map(
          ({ name, opens }) =>
            html`<tr>
              <td><code>${name}</code></td>
              <td>${t.say(opens)}</td>
            </tr> `,
        ),
      )}
    </section>
  </article> `

const rows = (heads: readonly string[], body: readonly Html[], kind = '') =>
  html`<table class="rows ${kind}">
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${body}
    </tbody>
  </table>`

const resourceArticle = (resource: DocumentedResource, t: Texts) =>
  html`<article id="${resource.name}" data-find="${shownName(resource.name, t)}" data-kind="resource">
    <h1>${shownName(resource.name, t)}</h1>
    <p class="lead">${t.say(resource.summary)}</p>
    <p class="facts">
      ${t.permission}
      <code class="permission">${resource.permission}</code
      >${resource.feed !== undefined && html` · <a href="#changes">${t.changeFeed}</a> <code>${resource.feed}</code>`}
    </p>
    ${operationSection({ ...resource.list, summary: '' }, resource.name, t)}
    ${operationSection(resource.detail, resource.name, t)} ${fieldsSection(resource, t)}
  </article> `

const operationSection = (operation: DocumentedOperation, place: string, t: Texts) => {
  const { id, method, path, summary, description, parameters, answers } = operation
  return html`<section id="${place}-${id}" class="operation" data-find="${method} ${path}" data-kind="operation">
    <h2><span class="method">${method}</span> <code>${path}</code> ${anchor(`${place}-${id}`, t)}</h2>
    <div class="split">
      <div>
        ${summary !== '' && html`<p>${t.say(summary)}</p>`}
        ${description !== '' && html`<p>${codeIn(t.say(description))}</p>`}
        ${parameters.length > 0 && parametersTable(parameters, `${place}-${id}`, t)}
        <h3>${t.answers}</h3>
        ${answers.map((each) => answerHtml(each, operation, t))}
      </div>
      <div class="side">${tryIt(operation, t)} ${samplesHtml(operation, t)}</div>
    </div>
  </section> `
}

const answerHtml = (
  { status, description, bodies }: DocumentedAnswer,
  { permission = 'for this resource' }: DocumentedOperation,
  t: Texts,
) => {
  const isGood = Number(status) < 400
  return html`<details class="example" open>
    <summary>
      <span class="status ${isGood ? 'good' : 'bad'}">${status}</span>
      ${isGood ? t.say(description) : bodies.map(({ code }) => html`<code>${code}</code> `)}
    </summary>
    ${bodies.map(({ body }) => (isGood ? codeBlock(JSON.stringify(body, null, 2), 'json', t) : errorBody(body, permission)))}
  </details>`
}

// Without highlighting and a button: every operation has a dozen of them. The service names the permission that is missing.
const errorBody = (body: unknown, permission: string) =>
  html`<pre
    class="body"
    lang="en"
  ><code>${JSON.stringify(body, null, 2).replace('for this resource', permission)}</code></pre>`

// The description of `sort` names its fields.
const parametersTable = (parameters: readonly DocumentedParameter[], place: string, t: Texts) =>
  rows(
    [t.parameter, t.meaning],
    parameters.map(
      (each) =>
        html`<tr id="${place}-${each.name}" data-find="${each.name}" data-kind="parameter">
          <td>
            <code>${each.name}</code
            ><span class="type"
              >${each.type}${each.isMultiple && t.several}${each.in === 'body' && `, ${t.inBody}`}${each.isRequired && `, ${t.required}`}</span
            >
          </td>
          <td>
            ${codeIn(t.say(each.description))} ${limitsHtml(each.name === 'sort' ? { ...each, values: [] } : each, t)}
          </td>
        </tr> `,
    ),
  )

const limitsHtml = ({ limits, values }: Limits, t: Texts) =>
  html`${values.length > 0 && html`<span class="values">${values.map((value) => html`<code>${value}</code> `)}</span>`}${limits.length > 0 && html`<span class="limits">${limits.map(([name, value]) => html`<span>${t.limits[name] ?? name} <code>${value}</code></span> `)}</span>`}`

const fieldsSection = ({ name, fields }: DocumentedResource, t: Texts) =>
  html`<section id="${name}-fields">
    <h2>${t.fields} ${anchor(`${name}-fields`, t)}</h2>
    ${rows(
      [t.field, t.meaning],
      fields.map((field) => fieldRow(field, name, t)),
      'fields',
    )}
  </section>`

const fieldRow = (field: DocumentedField, place: string, t: Texts) => {
  const [array, own] = field.name.includes('[].') ? field.name.split('[].') : [undefined, field.name]
  return html`<tr
    id="${place}-field-${field.name.replace('[].', '.')}"
    data-find="${field.name}"
    data-kind="field"
    ${array !== undefined && html` class="item"`}
  >
    <td>
      ${array !== undefined && html`<span class="array">${array}[].</span>`}<code>${own}</code
      ><span class="type">${field.type}</span>
    </td>
    <td>
      ${codeIn(t.say(field.description.replace(/ ?Needs the permission [\w:-]+\./, '')))}${field.permission !== undefined && html` <span class="gate">${t.needs} <code>${field.permission}</code></span>`}${field.isDetailOnly && array === undefined && html` <span class="note">${t.detailOnly}</span>`}
      ${limitsHtml(field, t)}
    </td>
  </tr> `
}

const errorArticle = ({ errors }: ApiReference, t: Texts) =>
  html`<article id="error-codes" data-find="${t.errorCodes}" data-kind="resource">
    <h1>${t.errorCodes}</h1>
    <p class="lead">${t.errorCodesLead} <a href="#errors">${t.errorsGuide}</a></p>
    ${rows(
      [t.code, t.meaning],
      errors.map(
        ({ code, status, message }) =>
          html`<tr id="error-${code}" data-find="${code}" data-kind="error">
            <td><code>${code}</code><span class="type">${status}</span></td>
            <td>${t.say(message)}</td>
          </tr> `,
      ),
    )}
  </article> `

// Descriptions mark code with backquotes.
const codeIn = (text: string) =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
