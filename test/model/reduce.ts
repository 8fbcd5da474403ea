// A failing request with its database, made as small as it goes while it still fails, and written for people.
import { createWorld } from '../support/world.ts'
import { compare, targetOf, tokenOf, type Case } from './compare.ts'
import type { Database, Row } from './relations.ts'

const mostWorlds = 400

async function differenceIn(failure: Case): Promise<string | null> {
  const world = await createWorld({ rows: failure.database })
  try {
    return (await compare(world.ask, await tokenOf(world, failure.caller), failure)).difference
  } finally {
    await world.close()
  }
}

// Leaves out ever smaller parts of a list as long as what stays still fails.
export async function leaveOut<Part>(parts: readonly Part[], stillFails: (parts: readonly Part[]) => Promise<boolean>) {
  let kept = parts
  for (let size = kept.length; size >= 1; size = Math.floor(size / 2))
    for (let start = 0; start < kept.length;) {
      const rest = kept.toSpliced(start, size)
      if (await stillFails(rest)) kept = rest
      else start += size
    }
  return kept
}

export const rowsIn = (database: Database) =>
  Object.entries(database).flatMap(([relation, rows]) => rows.map((row) => ({ relation, row })))

export function databaseOf(rows: readonly { relation: string; row: Row }[]): Database {
  const database: Record<string, Row[]> = {}
  for (const { relation, row } of rows) (database[relation] ??= []).push(row)
  return database
}

export const keys = new Set(['id', 'product_id', 'store_id', 'price_list_id'])

// As text for people. A case that does not fail alone, in a service of its own, depends on what ran beside it: its rows
// would explain nothing.
export async function explain(found: Case, difference: string): Promise<string> {
  if ((await differenceIn(found)) === null)
    return describe({ ...found, database: {} }, `failed, though not alone on the same rows:\n${difference}`)
  const failure = await reduceCase(found)
  return describe(failure, (await differenceIn(failure)) ?? difference)
}

async function reduceCase(found: Case): Promise<Case> {
  let failure = found
  let worlds = 0
  const tryInstead = async (candidate: Case) => {
    worlds += 1
    const fails = worlds <= mostWorlds && (await differenceIn(candidate)) !== null
    if (fails) failure = candidate
    return fails
  }
  await leaveOut(Object.entries(failure.request.parameters), (parameters) =>
    tryInstead({ ...failure, request: { ...failure.request, parameters: Object.fromEntries(parameters) } }),
  )
  const { key, scope } = failure.caller
  if (scope) await tryInstead({ ...failure, caller: { key: { ...key, permissions: scope }, scope: null } })
  if (key.stores)
    await tryInstead({ ...failure, caller: { ...failure.caller, key: { ...failure.caller.key, stores: null } } })
  if (key.priceList)
    await tryInstead({ ...failure, caller: { ...failure.caller, key: { ...failure.caller.key, priceList: null } } })
  await leaveOut(Object.keys(failure.database), (names) =>
    tryInstead({
      ...failure,
      database: databaseOf(rowsIn(failure.database).filter(({ relation }) => names.includes(relation))),
    }),
  )
  await leaveOut(rowsIn(failure.database), (rows) => tryInstead({ ...failure, database: databaseOf(rows) }))
  // Columns left out are null; those that may be a key stay.
  for (const [relation, rows] of Object.entries(failure.database))
    for (const [place, row] of rows.entries()) {
      const cells = Object.entries(row)
      const fixed = cells.filter(([column]) => keys.has(column))
      await leaveOut(
        cells.filter(([column]) => !keys.has(column)),
        (kept) => {
          const table = (failure.database[relation] ?? []).with(place, Object.fromEntries([...fixed, ...kept]))
          return tryInstead({ ...failure, database: { ...failure.database, [relation]: table } })
        },
      )
    }
  return failure
}

export const writeRow = (row: Row) =>
  `{ ${Object.entries(row)
    .map(
      ([column, cell]) =>
        `${column}: ${typeof cell === 'bigint' ? `${cell}n` : Object.is(cell, -0) ? '-0' : JSON.stringify(cell)}`,
    )
    .join(', ')} }`

function describe({ database, caller, request }: Case, difference: string): string {
  const tables = Object.entries(database).filter(([, rows]) => rows.length > 0)
  return [
    `GET ${targetOf(request)}`,
    `parameters ${JSON.stringify(request.parameters)}`,
    `key ${JSON.stringify(caller.key)}`,
    `scope ${caller.scope === null ? 'all of the key' : caller.scope.join(' ')}`,
    ...tables.flatMap(([relation, rows]) => [`${relation}:`, ...rows.map((row) => `  ${writeRow(row)}`)]),
    difference,
  ].join('\n')
}
