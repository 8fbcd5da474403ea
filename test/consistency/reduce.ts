// A situation in which two services differ, made as small as it goes while they still do, and written for people.
import { databaseOf, keys, leaveOut, rowsIn, writeRow } from '../model/reduce.ts'
import { targetOf } from '../model/compare.ts'
import { differenceIn, type Difference } from './pair.ts'
import type { Situation, Step } from './situation.ts'

// How long to look for a smaller situation.
const patienceMs = 90_000

// One visitor's steps, all in rounds of one step: time and the subscription stay as they were.
function alone({ database, visitors, rounds }: Situation, { visitor, round, step }: Difference): Situation {
  const until = rounds.slice(0, round + 1).flatMap(({ steps, isEnabled, ms }, at) => {
    const own = steps[visitor] ?? []
    const taken = at === round ? own.slice(0, step + 1) : own
    return taken.map((each, place) => ({ steps: [[each]], isEnabled, ms: place === taken.length - 1 ? ms : 0 }))
  })
  return { database, visitors: visitors.slice(visitor, visitor + 1), rounds: until }
}

export async function explain(found: Situation, difference: Difference): Promise<string> {
  let smallest = alone(found, difference)
  if ((await differenceIn(smallest)) === null) {
    const asked = smallest.rounds.slice(-3).flatMap(({ steps }) => steps.flat())
    return ['They differ, though not alone:', ...asked.map(writeStep), difference.text].join('\n')
  }
  const end = performance.now() + patienceMs
  const tryInstead = async (candidate: Situation) => {
    const differs = performance.now() < end && (await differenceIn(candidate)) !== null
    if (differs) smallest = candidate
    return differs
  }
  await leaveOut(smallest.rounds, (rounds) => tryInstead({ ...smallest, rounds }))
  const last = smallest.rounds.at(-1)
  const only = last?.steps[0]?.[0]
  if (last && only?.does === 'read')
    await leaveOut(Object.entries(only.request.parameters), (parameters) => {
      const request = { ...only.request, parameters: Object.fromEntries(parameters) }
      const changed = { ...last, steps: [[{ ...only, request }]] }
      return tryInstead({ ...smallest, rounds: [...smallest.rounds.slice(0, -1), changed] })
    })
  await leaveOut(Object.keys(smallest.database), (names) => {
    const kept = rowsIn(smallest.database).filter(({ relation }) => names.includes(relation))
    return tryInstead({ ...smallest, database: databaseOf(kept) })
  })
  await leaveOut(rowsIn(smallest.database), (rows) => tryInstead({ ...smallest, database: databaseOf(rows) }))
  for (const { relation, row } of rowsIn(smallest.database)) {
    const fixed = Object.entries(row).filter(([column]) => keys.has(column))
    const others = Object.entries(row).filter(([column]) => !keys.has(column))
    const place = (smallest.database[relation] ?? []).indexOf(row)
    await leaveOut(others, (kept) => {
      const table = (smallest.database[relation] ?? []).with(place, Object.fromEntries([...fixed, ...kept]))
      return tryInstead({ ...smallest, database: { ...smallest.database, [relation]: table } })
    })
  }
  return describe(smallest, (await differenceIn(smallest)) ?? difference)
}

function describe({ database, visitors, rounds }: Situation, { text }: Difference): string {
  const tables = Object.entries(database).filter(([, rows]) => rows.length > 0)
  return [
    ...visitors.map(({ caller, rate }) => `key ${JSON.stringify(caller)}, ${rate} requests a minute`),
    ...rounds.flatMap(({ steps, isEnabled, ms }) => [
      ...steps.flat().map((step) => (isEnabled ? '' : '(no subscription) ') + writeStep(step)),
      ...(ms > 0 ? [`${ms} ms pass`] : []),
    ]),
    ...tables.flatMap(([relation, rows]) => [`${relation}:`, ...rows.map((row) => `  ${writeRow(row)}`)]),
    text,
  ].join('\n')
}

function writeStep(step: Step): string {
  switch (step.does) {
    case 'read':
      return `GET ${targetOf(step.request)} ${step.acceptEncoding}`
    case 'ask':
      return `${step.withToken ? 'with' : 'without'} its token: ${step.target} ${JSON.stringify(step.asked)}`
    case 'sign in':
      return `POST /auth/token ${JSON.stringify(step.asked)}`
    case 'change key':
      return `the key: ${step.change}`
  }
}
