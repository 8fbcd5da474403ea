// Operations of the state are written once, as generators: they yield statements and get rows. Each engine runs them. SQLite does
// it without a pause, so that nothing else happens between two statements; PostgreSQL awaits each answer.

// A statement or a part of one. Between two texts stands the parameter with the value at that place.
export class Sql {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[] = []) {
    this.texts = texts
    this.values = values
  }
}

// sql`… ${value} …`: a value becomes a parameter, unless it is itself SQL.
export function sql(texts: readonly string[], ...values: readonly unknown[]): Sql {
  const joined = [texts[0] ?? '']
  const bound: unknown[] = []
  const append = (text: string) => joined.push((joined.pop() ?? '') + text)
  for (const [at, value] of values.entries()) {
    const inner = value instanceof Sql ? value : new Sql(['', ''], [value])
    append(inner.texts[0] ?? '')
    joined.push(...inner.texts.slice(1))
    bound.push(...inner.values)
    append(texts[at + 1] ?? '')
  }
  return new Sql(joined, bound)
}

// Only for constants.
export const raw = (text: string): Sql => new Sql([text])

export type Row = readonly unknown[]
export type Steps<Result> = Generator<Sql, Result, readonly Row[]>

// yield* rows`SELECT …`
export function* rows(texts: readonly string[], ...values: readonly unknown[]): Steps<readonly Row[]> {
  return yield sql(texts, ...values)
}

// null: the time of the database server.
export type Moment = number | null

// What differs between the engines. A SQLite transaction has the file to itself, so it locks nothing.
export interface StateDialect {
  // Milliseconds since 1970.
  readonly time: (now: Moment) => Sql
  readonly zeros: (length: number) => Sql
  // The elements of a JSON array, as rows with the column `value`.
  readonly elementsOf: (items: readonly unknown[]) => Sql
  // Text order by bytes.
  readonly byBytes: Sql
  readonly forUpdate: Sql
  readonly forShare: Sql
  readonly skipLocked: Sql
  // A statement that waits until no other transaction holds this lock.
  readonly lock: ((name: 'accounts' | 'blocks') => Sql) | null
}

// The conditions whose value is given.
export function where(conditions: readonly (readonly [test: string, value: unknown])[]): Sql {
  const given = conditions.filter(([, value]) => value !== null && value !== undefined)
  return given.reduce(
    (all, [test, value], at) => sql`${all} ${raw(at === 0 ? 'WHERE' : 'AND')} ${raw(test)} ${value}`,
    raw(''),
  )
}
