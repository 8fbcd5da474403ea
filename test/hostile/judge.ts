// Which parameters of a request are faults, judged by hand from the specification's words: a second opinion that shares
// no line with the service.
import { filterNames, labelsOf, type ResourceRule } from '../support/specification/index.ts'

export interface Parameter {
  /** As it stands in the query, escaped. */
  readonly raw: string
  readonly name: string
  /** Its text; null: the escapes are none. */
  readonly value: string | null
}

const most = 2n ** 53n - 1n

// "`0` or `-?[1-9][0-9]*` within ±(2^53−1); anything else is malformed."
export function isInteger(text: string, least = -most, greatest = most): boolean {
  const digits = text.startsWith('-') ? text.slice(1) : text
  if (digits === '' || [...digits].some((digit) => !'0123456789'.includes(digit))) return false
  if (digits.startsWith('0') && text !== '0') return false
  const value = BigInt(text)
  return value >= least && value <= greatest
}

const isDigits = (text: string, length: number) =>
  text.length === length && [...text].every((digit) => digit >= '0' && digit <= '9')

// A day that the calendar, asked for it, gives back.
function isDate(text: string): boolean {
  const [year = '', month = '', day = '', ...more] = text.split('-')
  if (more.length > 0 || !isDigits(year, 4) || !isDigits(month, 2) || !isDigits(day, 2) || year === '0000') return false
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  return (
    date.getUTCFullYear() === Number(year) &&
    date.getUTCMonth() + 1 === Number(month) &&
    date.getUTCDate() === Number(day)
  )
}

function isDateTime(text: string): boolean {
  const [date = '', time = '', ...more] = text.split('T')
  const [hour = '', minute = '', second = '', ...rest] = time.split(':')
  if (more.length > 0 || rest.length > 0 || !isDate(date)) return false
  if (![hour, minute, second].every((part) => isDigits(part, 2))) return false
  return Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
}

function isSort(text: string, { sorts }: ResourceRule): boolean {
  const fields = text.split(',').map((field) => (field.startsWith('-') ? field.slice(1) : field))
  return fields.length <= 3 && new Set(fields).size === fields.length && fields.every((field) => sorts.includes(field))
}

const areLabels = (text: string, allowed: readonly string[]) =>
  text.split(',').every((label) => allowed.includes(label))

function isValid(name: string, text: string, rule: ResourceRule): boolean {
  if (text === '' || text.includes('\0')) return false
  if (name === 'page') return isInteger(text, 1n, 10_000n)
  if (name === 'per_page') return isInteger(text, 1n, 100n)
  if (name === 'sort') return isSort(text, rule)
  if (name === 'search') return Array.from(text).length >= 2 && Array.from(text).length <= 100
  if (!filterNames(rule).includes(name)) return false
  if (name.endsWith('_id')) return isInteger(text)
  if (name === 'status') return rule.status.includes(text)
  if (rule.filters[name] === 'labels') return areLabels(text, labelsOf(rule, name))
  if (name === 'currency') return text === 'USD' || text === 'HTG'
  if (name === 'updated_since') return isDate(text) || isDateTime(text)
  return isDate(text)
}

/** The names of the parameters that the answer must name, each once, sorted. Without a resource nothing is allowed. */
export function faultsOf(parameters: readonly Parameter[], rule: ResourceRule | null): string[] {
  const names = parameters.map(({ name }) => name)
  const wrong = parameters.filter(
    ({ name, value }, at) =>
      value === null || rule === null || !isValid(name, value, rule) || names.indexOf(name) !== at,
  )
  return [...new Set(wrong.map(({ name }) => name))].toSorted()
}
