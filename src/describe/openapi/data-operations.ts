// The list and detail operations of a resource.
import type { Resource } from '../../catalogue/resource.ts'
import type { ResourceDescription } from '../resources.ts'
import { codesOf } from '../../errors.ts'
import { errorResponses } from './errors.ts'
import { exampleRecord } from './examples.ts'
import { answer } from './headers.ts'
import { listParameters } from './parameters.ts'
import { pascal, refer, singular, type ByName, type ApiOperation, type PathItem } from './parts.ts'
import { schemaNames } from './records.ts'
import { needs } from './security.ts'

const listErrors = errorResponses(codesOf.list)
const detailErrors = errorResponses(codesOf.detail)

export const dataPaths = (resource: Resource, description: ResourceDescription): ByName<PathItem> => ({
  [`/${resource.name}`]: { get: list(resource, description) },
  [`/${resource.name}/{id}`]: { get: detail(resource, description) },
})

function list(resource: Resource, description: ResourceDescription): ApiOperation {
  const shown = description.fields.filter((field) => field.in === 'list')
  // The answer to a search for its number.
  const meta = { page: 1, per_page: 25, total: 1, total_pages: 1 }
  const example = { data: [exampleRecord(resource.name, shown)], meta }
  return {
    operationId: `list${pascal(resource.name)}`,
    summary: resource.en.says,
    tags: [resource.name],
    security: needs(resource.permission),
    parameters: listParameters(resource, description),
    responses: {
      200: answer('One page of records.', schemaNames(resource).list, example, 'X-Total-Count', 'X-Data-Lag-Seconds'),
      ...listErrors,
    },
  }
}

function detail(resource: Resource, description: ResourceDescription): ApiOperation {
  const arrays = description.fields.filter((field) => field.in === 'detail').map(({ name }) => name)
  const example = { data: exampleRecord(resource.name, description.fields) }
  return {
    operationId: `get${singular(resource.name)}`,
    summary: `One record of ${resource.name}${arrays.length > 0 ? `, with its ${arrays.join(' and ')}` : ''}.`,
    tags: [resource.name],
    security: needs(resource.permission),
    parameters: [refer('parameters', 'Id')],
    responses: {
      200: answer('The record.', schemaNames(resource).detail, example, 'X-Data-Lag-Seconds'),
      ...detailErrors,
    },
  }
}
