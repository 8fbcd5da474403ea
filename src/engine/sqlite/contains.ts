// The literal search as SQLite calls it: contains(text, column, …). Case is folded by Unicode's simple folding, which is
// what a regular expression with the flags i and u does; accents count and nothing in the text has a special meaning.

type Cell = string | number | bigint | Uint8Array | null

export function createContains(): (text: Cell, ...columns: Cell[]) => 0 | 1 {
  let searched: Cell = null
  let pattern = /(?!)/u
  return (text, ...columns) => {
    if (text !== searched) {
      searched = text
      pattern = new RegExp(RegExp.escape(String(text)), 'iu')
    }
    for (const column of columns) if (typeof column === 'string' && pattern.test(upToNul(column))) return 1
    return 0
  }
}

// As LIKE does, by which most searches are decided.
function upToNul(text: string): string {
  const end = text.indexOf('\0')
  return end === -1 ? text : text.slice(0, end)
}
