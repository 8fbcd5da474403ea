// Operations of the state are written once, as generators: they yield statements and get rows. Each engine runs them. SQLite does
// it without a pause, so that nothing else happens between two statements; PostgreSQL awaits each answer.

// Parameters are $1, $2, ….
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}
export type Row = readonly unknown[]
export type Steps<Result> = Generator<Statement, Result, readonly Row[]>

export function* rows(text: string, ...values: readonly unknown[]): Steps<readonly Row[]> {
  return yield { text, values }
}

// null: the time of the database server.
export type Moment = number | null

// What differs between the engines. A SQLite transaction has the file to itself, so it locks nothing.
export interface StateDialect {
  // Milliseconds since 1970. The parameter is a `Moment`.
  readonly time: (parameter: string) => string
  readonly zeros: (length: number) => string
  // The elements of a JSON array, as rows with the column `value`.
  readonly elementsOf: (parameter: string) => string
  // Text order by bytes.
  readonly byBytes: string
  readonly forUpdate: string
  readonly forShare: string
  readonly skipLocked: string
  // A statement that waits until no other transaction holds this lock.
  readonly lock: ((name: 'accounts' | 'blocks') => string) | null
}

// The conditions whose value is given, joined by AND. Their parameters begin at $1.
export function where(conditions: readonly (readonly [test: string, value: unknown])[]) {
  const given = conditions.filter(([, value]) => value !== null && value !== undefined)
  const text = given.map(([test], at) => `${test} $${at + 1}`).join(' AND ')
  return { text: text === '' ? '' : `WHERE ${text}`, values: given.map(([, value]) => value) }
}
