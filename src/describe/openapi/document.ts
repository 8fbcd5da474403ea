// Catalogue and access → an OpenAPI 3.1 document of exactly what the access may use. Without an access it describes the whole API, and
// a field that not every access sees is optional.
import type { Access } from '../../catalogue/access.ts'
import { fullAccess } from '../../query/plan-named.ts'
import { usualCurrencies } from '../../settings/currencies.ts'
import { describeResource, readableResources, type DescribedService } from '../resources.ts'
import { dataPaths } from './data-operations.ts'
import { errorComponents, errorSchemas } from './errors.ts'
import { feedPaths, feedSchemas } from './feed-operations.ts'
import { headers } from './headers.ts'
import { sharedParameters } from './parameters.ts'
import type { Components, ByName, PathItem } from './parts.ts'
import { recordSchemas, valueSchemas } from './records.ts'
import { securitySchemes } from './security.ts'
import { servicePaths } from './service-operations.ts'
import { serviceSchemas } from './service-schemas.ts'

export interface ApiDescription {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: ByName<PathItem>
  readonly components: Components & { readonly securitySchemes: unknown }
}

interface DescribedApi extends DescribedService {
  readonly publicUrl?: string | null
}

// Addresses are relative, unless the public address is set.
export function describeApi(
  access: Access | null,
  basePath: string,
  { publicUrl = null, hasFeed = true, currencies = usualCurrencies }: DescribedApi = {},
): ApiDescription {
  const origin = publicUrl ?? ''
  const seen = access ?? fullAccess
  const described = readableResources(seen, currencies).map((resource) => ({
    resource,
    description: describeResource(resource, seen, basePath, hasFeed),
  }))
  const descriptions = described.map(({ description }) => description)
  const paths = Object.assign(
    servicePaths(seen.permissions, descriptions, { basePath, publicUrl }),
    ...described.map(({ resource, description }) => dataPaths(resource, description)),
    hasFeed ? feedPaths(described) : {},
  ) as ByName<PathItem>
  const schemas = Object.assign(
    { ...serviceSchemas(seen.permissions), ...valueSchemas, ...errorSchemas, ...feedSchemas(described) },
    ...described.map(({ resource, description }) => recordSchemas(resource, description.fields, access)),
  ) as Components['schemas']
  const components = { schemas, parameters: sharedParameters, headers, responses: errorComponents }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Vitrine',
      version: '1',
      description:
        "The data of one company's point-of-sale system, read-only. v1 only grows: new routes, fields and optional parameters may appear.",
      license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
    },
    servers: [{ url: origin + basePath }],
    tags: [
      { name: 'service', description: 'Signing in, and what there is.' },
      ...described.map(({ resource: { name, en } }) => ({ name, description: en.says })),
    ],
    paths,
    components: {
      ...usedComponents(paths, components),
      securitySchemes: securitySchemes(seen.permissions, descriptions, origin + basePath),
    },
  }
}

// Drops the components that nothing in the document refers to, so that a caller learns nothing of parts it may not use.
function usedComponents(paths: unknown, components: Components): Components {
  const used = new Set<string>()
  const follow = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return
    for (const [key, value] of Object.entries(part)) {
      if (key === '$ref' && typeof value === 'string') reach(value)
      else follow(value)
    }
  }
  const reach = (reference: string) => {
    if (used.has(reference)) return
    used.add(reference)
    const [kind = '', name = ''] = reference.replace('#/components/', '').split('/')
    follow(components[kind as keyof Components][name])
  }
  follow(paths)
  const keep = <Part>(kind: keyof Components, parts: Readonly<Record<string, Part>>) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`#/components/${kind}/${name}`)))
  return {
    schemas: keep('schemas', components.schemas),
    parameters: keep('parameters', components.parameters),
    headers: keep('headers', components.headers),
    responses: keep('responses', components.responses),
  }
}
