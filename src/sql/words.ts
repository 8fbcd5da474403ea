// What both engines know of the words that they keep for many records at once.
import type { Relation } from '../contract/relation.ts'
import type { Search } from './dialect.ts'

// Every digit is a 0 there: what has one itself is not looked for among those.
export const hasDigit = (text: string) => /[0-9]/.test(text)

// Whether what is searched is all that is kept of a relation.
export const isWhole = ({ search }: Relation, { columns }: Pick<Search, 'columns'>) =>
  columns.toSorted().join() === search.toSorted().join()
