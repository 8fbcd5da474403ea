// Drops the components that nothing in the document refers to, so that a caller learns nothing of parts it may not use.
import type { Components } from './parts.ts'

export function usedComponents(paths: unknown, components: Components): Components {
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
