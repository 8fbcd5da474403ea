// The values of a form → path and query. Empty values are not sent; several values of a name are joined with commas.
export function targetOf(path: string, entries: Iterable<[string, string]>): string {
  const values = new Map<string, string[]>()
  for (const [name, value] of entries) if (value !== '') values.set(name, [...(values.get(name) ?? []), value])
  const placed = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name)?.join(',')
    values.delete(name)
    return value === undefined ? `{${name}}` : encode(value)
  })
  const query = [...values].map(([name, all]) => `${name}=${all.map(encode).join(',')}`).join('&')
  return query === '' ? placed : `${placed}?${query}`
}

// Also what could end a text in a sample.
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`)
