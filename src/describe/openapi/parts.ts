// The parts an OpenAPI document is made of, as plain data, and the short forms in which they are written here.

// A JSON Schema (2020-12), as OpenAPI 3.1 has it.
export type Schema = Readonly<Record<string, unknown>>
export type Named<Part> = Readonly<Record<string, Part>>

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly description: string
  readonly required?: true
  readonly style?: 'form'
  readonly explode?: false
  readonly schema: Schema
}

export interface Header {
  readonly description: string
  readonly required?: true
  readonly schema: Schema
}

export interface Reference {
  readonly $ref: string
}

interface Media {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Named<{ readonly value: unknown }>
}

export interface Response {
  readonly description: string
  readonly headers: Named<Reference>
  // The answer to HEAD has none.
  readonly content?: { readonly 'application/json': Media }
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  // Where it is not below the address of the API.
  readonly servers?: readonly { readonly url: string }[]
  readonly security: readonly Named<readonly string[]>[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: { readonly required: true; readonly content: Named<Media> }
  readonly responses: Named<Response | Reference>
}

export type PathItem = { readonly get: Operation; readonly head?: Operation } | { readonly post: Operation }

export interface Components {
  readonly schemas: Named<Schema>
  readonly parameters: Named<Parameter>
  readonly headers: Named<Header>
  readonly responses: Named<Response>
}

export const refer = (kind: keyof Components, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })

// An object with these properties and no other; all of them are always there but those named as optional.
export const closed = (properties: Named<Schema>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

export const arrayOf = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more })

// sales-orders → SalesOrders, invalid_scope → InvalidScope.
export const pascal = (name: string) =>
  name.replaceAll(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase())

export const singular = (name: string) => pascal(name).replace(/s$/, '')
