// Every field, filter, parameter and property of the API has a meaning that says more than its name, written once and shown everywhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basePath } from '../../../src/app.ts'
import { fieldMeaning, filterMeaning, shared } from '../../../src/catalogue/meanings.ts'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { clientTypes } from '../../../src/describe/client-types.ts'
import { describeApi } from '../../../src/describe/openapi/document.ts'
import { resourcesPage } from '../../../src/describe/reference-pages.ts'
import { readDocument } from '../../../src/web/docs/browser/read-document.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- the document is walked as JSON
type Json = any

// As JSON has it.
const document: Json = JSON.parse(JSON.stringify(describeApi(null, basePath)))

const fields = resources.flatMap((resource) =>
  resource.fields.flatMap((field) => [
    { resource, array: undefined, name: field.name },
    ...('fields' in field ? field.fields.map(({ name }) => ({ resource, array: field.name, name })) : []),
  ]),
)

const stem = (word: string) => word.replace(/ies$/, 'y').replace(/s$/, '')
const fillers = new Set(
  `a all an and any are as at be by each every field for from has have in is it its of on one or only record resource that the their
   these this those to value where which with`
    .split(/\s+/)
    .map(stem),
)
const wordsOf = (text: string) => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map(stem)

// Nothing but the words of the names, and words that say nothing.
const isTautology = (meaning: string, ...names: string[]) => {
  const known = new Set(names.flatMap(wordsOf))
  return wordsOf(meaning).every((word) => known.has(word) || fillers.has(word))
}

test('a tautology is one', () => {
  assert.ok(isTautology('Records with this department_id.', 'department_id'))
  assert.ok(isTautology('The names of the customers.', 'customers', 'name'))
  assert.ok(isTautology('', 'name'))
  assert.ok(!isTautology('Name of the department.', 'department'))
})

test('every field has a meaning, one sentence that says more than its name', () => {
  assert.ok(fields.length > 400)
  for (const { resource, array, name } of fields) {
    const meaning = fieldMeaning(resource, name, array)
    const place = [resource.name, array, name].filter(Boolean).join('.')
    assert.match(meaning, /^[^\s].*\.$/, place)
    assert.ok(!isTautology(meaning, name), `${place}: ${meaning}`)
  }
})

test('so has every filter', () => {
  for (const resource of resources)
    for (const { name } of resource.filters) {
      const meaning = filterMeaning(resource, name)
      assert.match(meaning, /^[A-Z].*\.$/, `${resource.name}.${name}`)
      assert.ok(!isTautology(meaning, name), `${resource.name}.${name}: ${meaning}`)
    }
})

test('no meaning is left of a field or filter that is gone', () => {
  const left = new Set(Object.keys(shared.en))
  const used = new Set<string>()
  for (const resource of resources) {
    const own = new Set(Object.keys(resource.en))
    own.delete('says')
    const asked = [
      ...fields
        .filter((field) => field.resource === resource)
        .map(({ array, name }) => (array === undefined ? [name] : [`${array}[].${name}`, name])),
      ...resource.filters.map(({ name }) => [`?${name}`]),
    ]
    for (const [nearest = '', other = ''] of asked)
      if (!own.delete(nearest)) used.add(nearest in shared.en ? nearest : other)
    assert.deepEqual([...own], [], resource.name)
  }
  assert.deepEqual([...left.difference(used)], [])
})

test('no meaning lists the codes of currencies: they are settings', () => {
  for (const { resource, array, name } of fields)
    assert.doesNotMatch(fieldMeaning(resource, name, array), /\b(USD|HTG|EUR)\b/)
})

// Every property below a schema, with its place.
function* propertiesOf(schema: Json, place: string): Generator<[place: string, schema: Json]> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [name, own] of Object.entries<Json>(schema.properties ?? {})) {
    yield [`${place}.${name}`, own]
    yield* propertiesOf(own, `${place}.${name}`)
  }
  for (const [at, own] of [schema.items, ...(schema.oneOf ?? [])].entries()) yield* propertiesOf(own, `${place}[${at}]`)
}

test('OpenAPI: every property, parameter and header has a description', () => {
  const schemas = Object.entries<Json>(document.components.schemas)
  const properties = schemas.flatMap(([name, schema]) => [...propertiesOf(schema, name)])
  assert.ok(properties.length > 700)
  for (const [place, { description }] of properties) {
    assert.match(description ?? '', /[.]$/, place)
    assert.ok(!isTautology(description, place.split('.').at(-1) ?? ''), `${place}: ${description}`)
  }
  const operations = Object.values<Json>(document.paths).flatMap((item: Json) => Object.values<Json>(item))
  const parameters = [
    ...Object.values<Json>(document.components.parameters),
    ...operations.flatMap((operation: Json) => operation.parameters ?? []).filter((each: Json) => each.name),
  ]
  assert.ok(parameters.length > 60)
  for (const { name, description } of parameters) {
    assert.match(description, /\.$/, name)
    assert.ok(!isTautology(description, name), `${name}: ${description}`)
  }
})

test('what the catalogue declares is in OpenAPI, the page, the reference and the types of the client', () => {
  const shown = readDocument(document)
  const [reference, types] = [resourcesPage(), clientTypes()]
  for (const { resource, array, name } of fields) {
    const meaning = fieldMeaning(resource, name, array)
    const place = `${resource.name} ${array ?? ''} ${name}`
    const documented = shown.resources.find((each) => each.name === resource.name)
    const field = documented?.fields.find((each) => each.name === (array === undefined ? name : `${array}[].${name}`))
    assert.ok(field?.description.startsWith(meaning), place)
    assert.ok(reference.includes(meaning.replaceAll('|', '\\|')), place)
    assert.ok(types.includes(`/** ${meaning}`), place)
  }
  for (const resource of resources)
    for (const { name } of resource.filters) {
      const meaning = filterMeaning(resource, name)
      const documented = shown.resources.find((each) => each.name === resource.name)
      assert.ok(documented?.list.parameters.find((each) => each.name === name)?.description.startsWith(meaning), name)
      assert.ok(reference.includes(meaning), name)
      assert.ok(types.includes(`/** ${meaning}`), name)
    }
})

const description = (schema: string, name: string): string =>
  document.components.schemas[schema].properties[name].description

test('an amount says that it is zero when the document is void, where a document can be void', () => {
  assert.match(description('Invoice', 'total'), /Zero when the status is `void`\.$/)
  assert.match(description('InvoiceLine', 'unit_price'), /Zero when/)
  assert.doesNotMatch(description('SalesOrder', 'total'), /Zero when/)
  assert.doesNotMatch(description('Invoice', 'quantity_total'), /Zero when/)
})

test('the example of a parameter is one of its values, whatever the currencies of the company are', () => {
  const own: Json = describeApi(null, basePath, { currencies: ['EUR', 'XOF'] })
  const parameters: Json[] = Object.values<Json>(own.paths).flatMap((item: Json) => item.get?.parameters ?? [])
  const limited = parameters.filter((each) => each.schema?.enum)
  assert.ok(limited.length > 15)
  for (const { name, schema, example } of limited) assert.ok(schema.enum.includes(example), `${name}: ${example}`)
})
