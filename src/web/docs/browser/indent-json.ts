// JSON text → the same, indented by two spaces. Parsing and writing it anew would round numbers beyond 2^53.

const token = /"(?:[^"\\]|\\.)*"|\[\s*\]|\{\s*\}|[[\]{},:]|\s+/g

export function indentJson(text: string): string {
  let depth = 0
  const newLine = () => `\n${'  '.repeat(depth)}`
  return text.replaceAll(token, (found) => {
    switch (found) {
      case '[':
      case '{':
        depth += 1
        return found + newLine()
      case ']':
      case '}':
        depth -= 1
        return newLine() + found
      case ',':
        return found + newLine()
      case ':':
        return ': '
      default:
        return found.startsWith('"') ? found : found.replaceAll(/\s/g, '')
    }
  })
}
