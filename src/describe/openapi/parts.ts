// The parts of an OpenAPI document as plain data, and short forms to write them.

// A JSON Schema (2020-12), as in OpenAPI 3.1.
export type Schema = Readonly<Record<string, unknown>>
export type ByName<Part> = Readonly<Record<string, Part>>

export interface ApiParameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly description: string
  readonly example?: unknown
  readonly required?: true
  readonly style?: 'form'
  readonly explode?: false
  readonly schema: Schema
}

export interface ResponseHeader {
  readonly description: string
  readonly required?: true
  readonly schema: Schema
}

export type ComponentReference = { readonly $ref: string }

interface Media {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: ByName<{ readonly value: unknown }>
}

export interface Response {
  readonly description: string
  readonly headers: ByName<ComponentReference>
  // Absent for HEAD.
  readonly content?: { readonly 'application/json': Media }
}

export interface ApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  // Only if it is not below the base path of the API.
  readonly servers?: readonly { readonly url: string }[]
  readonly security: readonly ByName<readonly string[]>[]
  readonly parameters?: readonly (ApiParameter | ComponentReference)[]
  readonly requestBody?: { readonly required: true; readonly content: ByName<Media> }
  readonly responses: ByName<Response | ComponentReference>
}

export type PathItem = { readonly get: ApiOperation; readonly head?: ApiOperation } | { readonly post: ApiOperation }

export interface Components {
  readonly schemas: ByName<Schema>
  readonly parameters: ByName<ApiParameter>
  readonly headers: ByName<ResponseHeader>
  readonly responses: ByName<Response>
}

export const refer = (kind: keyof Components, name: string): ComponentReference => ({
  $ref: `#/components/${kind}/${name}`,
})

// An object with exactly these properties; all are required but the optional ones.
export const closed = (properties: ByName<Schema>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

// A value of a JSON type.
export const value = (type: string, description: string, more: Schema = {}): Schema => ({ type, ...more, description })

export const arrayOf = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more })

// sales-orders → SalesOrders, invalid_scope → InvalidScope.
export const pascal = (name: string) =>
  name.replaceAll(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase())

export const singular = (name: string) => pascal(name).replace(/s$/, '')
