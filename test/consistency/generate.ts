// Random situations: callers of all kinds over a database, who read, stumble, sign in rightly and wrongly, and whose keys
// are changed under them.
import * as fc from 'fast-check'
import { accessOf, caller, type Caller } from '../model/generate-access.ts'
import { request } from '../model/generate-request.ts'
import type { Database } from '../model/relations.ts'
import { acceptEncoding, oddRequest } from './generate-odd-requests.ts'
import { rightSignIn, wrongSignIn } from './generate-sign-in.ts'
import { keyChanges, type Round, type Situation, type Step } from './situation.ts'

const read = (database: Database, by: Caller): fc.Arbitrary<Step> =>
  fc
    .record({ request: request(database, accessOf(by)), acceptEncoding })
    .map((parts): Step => ({ does: 'read', ...parts }))

const keyChange = fc.constantFrom(...keyChanges).map((change): Step => ({ does: 'change key', change }))

// How often, compared to the others.
interface Habits {
  readonly reads: number
  readonly stumbles: number
  readonly signsIn: number
  readonly guesses: number
  readonly isChanged: number
}
// Most read; one is hasty, one knocks at the door, one has an administrator who changes his mind.
const habits: readonly Habits[] = [
  { reads: 30, stumbles: 2, signsIn: 1, guesses: 0, isChanged: 0 },
  { reads: 30, stumbles: 2, signsIn: 1, guesses: 0, isChanged: 0 },
  { reads: 20, stumbles: 10, signsIn: 1, guesses: 0, isChanged: 0 },
  { reads: 4, stumbles: 30, signsIn: 1, guesses: 1, isChanged: 0 },
  { reads: 6, stumbles: 2, signsIn: 2, guesses: 12, isChanged: 1 },
  { reads: 20, stumbles: 3, signsIn: 4, guesses: 2, isChanged: 2 },
]

const step = (database: Database, by: Caller, { reads, stumbles, signsIn, guesses, isChanged }: Habits) =>
  fc.oneof(
    { weight: reads, arbitrary: read(database, by) },
    { weight: stumbles, arbitrary: oddRequest },
    { weight: signsIn, arbitrary: rightSignIn },
    { weight: guesses, arbitrary: wrongSignIn },
    { weight: isChanged, arbitrary: keyChange },
  )

const rate = fc.constantFrom(1_000_000, 1_000_000, 1_000_000, 60, 15)
// Mostly seconds; now and then a window, a token or a block ends.
const ms = fc.constantFrom(0, 1, 999, 5000, 20_000, 59_999, 60_000, 61_000, 300_000, 900_000)
const isEnabled = fc.integer({ min: 0, max: 24 }).map(Boolean)
const rounds = { minLength: 8, maxLength: 8 }
const stepsEach = { minLength: 21, maxLength: 21 }

// Who mostly reads signs in at the beginning of each round: a token may have ended since.
function stepsOf(database: Database, by: Caller, habit: Habits): fc.Arbitrary<readonly Step[]> {
  const rest = fc.array(step(database, by, habit), stepsEach)
  if (habit.reads < 20) return rest
  return fc.tuple(rightSignIn, rest).map(([first, others]) => [first, ...others])
}

export const situationOver = (database: Database): fc.Arbitrary<Situation> =>
  fc.tuple(...habits.map((habit) => fc.record({ caller, rate, habit: fc.constant(habit) }))).chain((visitors) => {
    const steps = visitors.map(({ caller: by, habit }) => stepsOf(database, by, habit))
    const round: fc.Arbitrary<Round> = fc.record({ steps: fc.tuple(...steps), isEnabled, ms })
    return fc.record({
      database: fc.constant(database),
      visitors: fc.constant(visitors),
      rounds: fc.array(round, rounds),
    })
  })
