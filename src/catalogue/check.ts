// Checks the declarations against the contract at every start. Gives one sentence for each inconsistency.
import { archiveOf, canBeVoid, storeColumns, type Resource } from './resource.ts'
import { findRelation, isRequired, relations } from '../contract/relations.ts'
import type { Relation } from '../contract/relation.ts'
import { itemRelation, type ArrayField, type ChildrenField, type Field, type ScalarField } from './field.ts'

export function checkCatalogue(resources: readonly Resource[]): string[] {
  const twice = repeated(resources.map(({ name }) => name)).map((name) => `${name} is declared twice.`)
  return [
    ...twice,
    ...resources.flatMap((resource) => checkResource(resource).map((what) => `${resource.name}: ${what}`)),
  ]
}

function checkResource(resource: Resource): string[] {
  const missing = [resource.relation, ...(resource.archived ? [archiveOf(resource.relation)] : [])].filter(
    (name) => !relations.some((relation) => relation.name === name),
  )
  if (missing.length > 0) return missing.map((name) => `there is no relation ${name}.`)
  const problems: string[] = []
  const relation = findRelation(resource.relation)
  const names = resource.fields.map(({ name }) => name)
  const hasColumn = (column: string, of: Relation = relation) => column in of.columns
  const must = (holds: boolean, otherwise: string) => {
    if (!holds) problems.push(otherwise)
  }

  must(names[0] === 'id', 'the first field is not id.')
  const isOwn = resource.permission === `${resource.name}:read`
  must(isOwn || resource.permission === 'reference:read', `${resource.permission} is not its permission.`)
  must(isOwn === (resource.group !== undefined && resource.holds !== undefined), 'its permission has no words.')
  for (const name of repeated(names)) problems.push(`the field ${name} is declared twice.`)
  for (const name of repeated(resource.filters.map((filter) => filter.name)))
    problems.push(`the filter ${name} is declared twice.`)
  for (const name of names) must(/^[a-z][a-z0-9_]*$/.test(name), `the field name ${name} is not lowercase.`)
  for (const field of resource.fields) problems.push(...checkField(field, relation))
  for (const filter of resource.filters) {
    must(hasColumn(filter.column), `the filter ${filter.name} reads ${filter.column}, which ${relation.name} lacks.`)
  }
  if (resource.only) must(hasColumn(resource.only.column), `there is no column ${resource.only.column}.`)
  for (const column of resource.search) {
    must(relation.columns[column] === 'text', `search looks into ${column}, which is no text of ${relation.name}.`)
  }
  const deciding = [...(resource.only ? [resource.only.column] : []), ...storeColumns(resource)]
  for (const column of canBeVoid(resource) ? [...deciding, 'status'] : deciding)
    must(isRequired(relation, column), `${column} decides which records are shown, and a database may lack it.`)
  const sortable = new Set(
    resource.fields.flatMap((field) => (field.kind === 'column' && !field.emptyIsZero ? [field.name] : [])),
  )
  const sorts = new Set([...resource.sort.fields, resource.sort.default.replace(/^-/, '')])
  for (const name of sorts) must(sortable.has(name), `${name} cannot be sorted by.`)
  must(resource.sort.fields.includes('id'), 'id is not sortable.')
  // A total, an order or a match would reveal the value of a hidden field.
  const gated = new Set(
    resource.fields.flatMap((field) =>
      'column' in field && (field.gate || field.kind === 'price') ? [field.column] : [],
    ),
  )
  // A filter compares the stored amount, but a void document shows zero.
  const zeroed = new Set(
    resource.fields.flatMap((field) =>
      field.kind === 'column' && field.amount && canBeVoid(resource) ? [field.column] : [],
    ),
  )
  for (const { name, column } of resource.filters)
    must(!zeroed.has(column), `the filter ${name} reads ${column}, which a void document hides.`)
  // The finder keeps one value of a column: a text that is sorted by is case-folded, and a filter would compare that.
  for (const { name, column } of resource.filters)
    must(
      relation.columns[column] !== 'text' || !resource.sort.fields.includes(column),
      `the filter ${name} reads ${column}, a text that is sorted by.`,
    )
  const isOpen = (column: string, what: string) =>
    must(!gated.has(column), `${what} ${column}, which not every client may see.`)
  for (const filter of resource.filters) isOpen(filter.column, `the filter ${filter.name} reads`)
  for (const column of resource.search) isOpen(column, 'search looks into')
  for (const name of sorts) isOpen(name, 'lists are sorted by')
  return problems
}

function checkField(field: Field, relation: Relation): string[] {
  if (field.kind === 'children') return checkChildren(field)
  if (field.kind === 'price-lists' || field.kind === 'stock') return checkProductArray(field, relation)
  return checkScalar(field, relation)
}

function checkProductArray(field: ArrayField, relation: Relation): string[] {
  const source = findRelation(itemRelation(field))
  const foreign = relation.name === 'products' ? [] : [`${field.name} belongs to products alone.`]
  return [...foreign, ...field.fields.flatMap((item) => checkScalar(item, source))]
}

function checkScalar(field: ScalarField, relation: Relation): string[] {
  const source = field.kind === 'stock-sum' ? findRelation('product_stock') : relation
  if (!(field.column in source.columns))
    return [`the field ${field.name} reads ${field.column}, which ${source.name} lacks.`]
  if (field.kind === 'reference' && !('name' in findRelation(field.relation).columns))
    return [`the field ${field.name} shows a name that ${field.relation} lacks.`]
  return []
}

function checkChildren(field: ChildrenField): string[] {
  if (!relations.some(({ name }) => name === field.relation)) return [`there is no relation ${field.relation}.`]
  const source = findRelation(field.relation)
  const unknown = [field.parent, ...field.order].filter((column) => !(column in source.columns))
  return [
    ...unknown.map((column) => `${field.name} reads ${column}, which ${source.name} lacks.`),
    ...repeated(field.fields.map(({ name }) => name)).map((name) => `${field.name}.${name} is declared twice.`),
    ...field.fields.flatMap((item) => checkScalar(item, source)),
  ]
}

const repeated = (names: readonly string[]) => [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
