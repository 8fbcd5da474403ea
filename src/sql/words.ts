// What both engines know of the words of records.
import type { Relation } from '../contract/relation.ts'
import type { Search } from './dialect.ts'

// Many digits are in few records, whatever stands before them: a letter that all numbers begin with only makes an index read more.
export const tellingPart = (text: string) =>
  (text.match(/[0-9]{5,}/g) ?? []).reduce((longest, each) => (each.length >= longest.length ? each : longest), '') ||
  text

// Every digit is a 0 in the words that are kept for many records at once: what has one itself is not looked for among those.
export const hasDigit = (text: string) => /[0-9]/.test(text)

// Whether what is searched is all that is kept of a relation.
export const isWhole = ({ search }: Relation, { columns }: Pick<Search, 'columns'>) =>
  columns.toSorted().join() === search.toSorted().join()
