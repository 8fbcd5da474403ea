// The values of a form → path and query. Empty values are not sent; several values of a name are joined with commas.
export function targetOf(path: string, entries: Iterable<[string, string]>): string {
  const values = new Map<string, string[]>()
  for (const [name, value] of entries) if (value !== '') values.set(name, [...(values.get(name) ?? []), value])
  const placed = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name)?.join(',')
    values.delete(name)
    return value === undefined ? `{${name}}` : encodeURIComponent(value)
  })
  const query = [...values].map(([name, all]) => `${name}=${all.map(encodeURIComponent).join(',')}`).join('&')
  return query === '' ? placed : `${placed}?${query}`
}
