// The order of a list: empty values smallest, text by code point after folding ASCII letters, ties by id in the
// direction of the last field.
import type { ResourceRule } from '../support/specification/index.ts'
import type { Shape, Shown } from './values.ts'

const foldAscii = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

function compareText(one: string, other: string): number {
  const left = [...foldAscii(one)]
  const right = [...foldAscii(other)]
  for (const [place, character] of left.entries()) {
    const difference = (character.codePointAt(0) ?? 0) - (right[place]?.codePointAt(0) ?? -1)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

export function compareShown(one: Shown, other: Shown): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null)
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other)
  const [left, right] = [one as number | bigint, other as number | bigint]
  return Number(left > right) - Number(left < right)
}

export function orderRecords<Item extends { readonly record: Shape }>(
  rule: ResourceRule,
  items: readonly Item[],
  sort = rule.defaultSort,
): Item[] {
  const terms = sort.split(',').map((term) => ({ name: term.replace(/^-/, ''), sign: term.startsWith('-') ? -1 : 1 }))
  const ties = { name: 'id', sign: terms.at(-1)?.sign ?? 1 }
  return items.toSorted((one, other) => {
    for (const { name, sign } of [...terms, ties]) {
      const order = compareShown(one.record[name] ?? null, other.record[name] ?? null)
      if (order !== 0) return order * sign
    }
    return 0
  })
}
