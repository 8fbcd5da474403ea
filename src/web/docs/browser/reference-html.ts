// The reference as HTML: an article for the service, one for each resource and one for the errors, and their navigation. The service
// writes it for the whole API, the page again for a key that has signed in.
import { codeBlock } from './code-block.ts'
import { html, type Html } from '../../page/browser/html.ts'
import type {
  DocumentedField,
  DocumentedOperation,
  DocumentedParameter,
  ApiReference,
  DocumentedResource,
} from './read-document.ts'
import { tryIt } from './try-it-html.ts'

// sales-orders → Sales orders, sub-departments → Sub-departments.
export const shownName = (name: string) => {
  const words = name.replaceAll(/(?<!^sub)-/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const navigationHtml = ({ resources }: ApiReference): Html =>
  html`<ul>
    <li><a href="#service">The service itself</a></li>
    ${resources.map(({ name }) => html`<li><a href="#${name}">${shownName(name)}</a></li> `)}
    <li><a href="#error-codes">Error codes</a></li>
  </ul>`

export const referenceHtml = (reference: ApiReference): Html =>
  html`${serviceArticle(reference)}${reference.resources.map(resourceArticle)}${errorArticle(reference)}`

const serviceArticle = ({ service, basePath, permissions }: ApiReference) =>
  html`<article id="service" data-find="The service itself" data-kind="resource">
    <h1>The service itself</h1>
    <p class="lead">Signing in, and what there is. Paths are below <code>${basePath}</code>, unless told otherwise.</p>
    ${service.map((each) => operationSection(each, 'service'))}
    <section id="service-permissions">
      <h2>Permissions <a class="anchor" href="#service-permissions" aria-label="Link to this part">#</a></h2>
      <div class="table" tabindex="0">
        <table>
          <thead>
            <tr>
              <th scope="col">Permission</th>
              <th scope="col">Meaning</th>
            </tr>
          </thead>
          <tbody>
            ${permissions.map(
              ({ name, opens }) =>
                html`<tr>
                  <td><code>${name}</code></td>
                  <td>${opens}</td>
                </tr> `,
            )}
          </tbody>
        </table>
      </div>
    </section>
  </article> `

const resourceArticle = (resource: DocumentedResource) =>
  html`<article id="${resource.name}" data-find="${shownName(resource.name)}" data-kind="resource">
    <h1>${shownName(resource.name)}</h1>
    <p class="lead">${resource.summary}</p>
    <p class="facts">Permission <code class="permission">${resource.permission}</code></p>
    ${operationSection({ ...resource.list, summary: '' }, resource.name)}
    ${operationSection(resource.detail, resource.name)} ${fieldsSection(resource)}
  </article> `

const operationSection = (operation: DocumentedOperation, place: string) => {
  const { id, method, path, summary, description, parameters, example } = operation
  return html`<section id="${place}-${id}" class="operation" data-find="${method} ${path}" data-kind="operation">
    <h2>
      <span class="method">${method}</span> <code>${path}</code>
      <a class="anchor" href="#${place}-${id}" aria-label="Link to this part">#</a>
    </h2>
    <div class="split">
      <div>
        ${summary !== '' && html`<p>${summary}</p>`} ${description !== '' && html`<p>${codeIn(description)}</p>`}
        ${parameters.length > 0 && parametersTable(parameters, `${place}-${id}`)}
      </div>
      <div>${tryIt(operation)} ${example !== undefined && exampleBlock(example)}</div>
    </div>
  </section> `
}

const exampleBlock = (example: unknown) =>
  html`<details class="example">
    <summary>Example answer</summary>
    ${codeBlock(JSON.stringify(example, null, 2), 'json')}
  </details>`

const parametersTable = (parameters: readonly DocumentedParameter[], place: string) =>
  html`<table class="rows">
    <thead>
      <tr>
        <th scope="col">Parameter</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${parameters.map(
        (each) =>
          html`<tr id="${place}-${each.name}" data-find="${each.name}" data-kind="parameter">
            <td><code>${each.name}</code><span class="type">${each.type}${each.isMultiple && ', several'}</span></td>
            <td>
              ${codeIn(each.description)}${valuesOf(each)}${each.default !== undefined && html` <span class="default">Default <code>${each.default}</code></span>`}
            </td>
          </tr> `,
      )}
    </tbody>
  </table>`

// For `sort`, the description names the fields.
const valuesOf = ({ values, name, isMultiple }: DocumentedParameter) =>
  values.length > 0 &&
  name !== 'sort' &&
  !isMultiple &&
  html` <span class="values">${values.map((value) => html`<code>${value}</code> `)}</span>`

const fieldsSection = ({ name, fields }: DocumentedResource) =>
  html`<section id="${name}-fields">
    <h2>Fields <a class="anchor" href="#${name}-fields" aria-label="Link to this part">#</a></h2>
    <table class="rows fields">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${fields.map((field) => fieldRow(field, name))}
      </tbody>
    </table>
  </section>`

const fieldRow = (field: DocumentedField, place: string) => {
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
      ${codeIn(field.description.replace(/ ?Needs the permission [\w:-]+\./, ''))}
      ${field.values.length > 0 && html`<span class="values">${field.values.map((value) => html`<code>${value}</code> `)}</span>`}${field.permission !== undefined && html` <span class="gate">needs <code>${field.permission}</code></span>`}${field.isDetailOnly && array === undefined && html` <span class="note">in the detail alone</span>`}
    </td>
  </tr> `
}

const errorArticle = ({ errors }: ApiReference) =>
  html`<article id="error-codes" data-find="Error codes" data-kind="resource">
    <h1>Error codes</h1>
    <p class="lead">
      What the service may answer instead. What to do about each is in <a href="#errors">Errors and retries</a>.
    </p>
    <table class="rows">
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${errors.map(
          ({ code, status, message }) =>
            html`<tr id="error-${code}" data-find="${code}" data-kind="error">
              <td><code>${code}</code><span class="type">${status}</span></td>
              <td>${message}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </article> `

// Descriptions mark code with backquotes.
const codeIn = (text: string) =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
