// The state for a state URL. Every place that depends on which store it is asks here. What PostgreSQL needs is loaded only
// where it is used.
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../errors.ts'
import { folderProblem } from '../platform/files.ts'
import { tellAvailability, type Log } from '../platform/log.ts'
import type { PostgresUrl } from '../platform/postgres/url.ts'
import type { DatabaseUrl } from '../settings/types.ts'
import { stateFileProblem } from './sqlite/schema.ts'
import { openSqliteState, startSqliteState } from './sqlite/state.ts'
import type { State } from './state.ts'
import { watchState, type WatchedState } from './watched.ts'

type Absent = 'taken for empty' | 'made where there is none'

// Why the state cannot be used, found out without making or changing anything.
export async function stateProblem(url: DatabaseUrl): Promise<string | undefined> {
  if (url.kind === 'sqlite') return stateFileProblem(url.path)
  const { lookAtState } = await import('./postgres/schema.ts')
  const found = await lookAtState(url, true)
  return 'problem' in found ? found.problem : undefined
}

// For the service.
export async function startState(url: DatabaseUrl, clock: Clock, connections: number, log: Log): Promise<WatchedState> {
  if (url.kind === 'sqlite')
    return watchState(startSqliteState({ path: url.path, clock }), tellAvailability(log, 'state'))
  const [{ migrateState }, { createPostgresState }] = await Promise.all([
    import('./postgres/schema.ts'),
    import('./postgres/state.ts'),
  ])
  if (await migrateState(url)) log.info('state_made', { schema: url.schema })
  const state = createPostgresState({
    url,
    connections,
    onLost: (cause) => log.error('state_lost', { cause }),
    onBack: () => log.info('state_back'),
  })
  // Known before the first caller asks /status.
  await state.isEnabled()
  // Its connections tell by themselves when they are lost.
  return watchState(state, { lost: () => {}, back: () => {} })
}

// For a command. One that only looks makes nothing: a state that is not there yet is taken for empty.
export async function openState(
  url: DatabaseUrl,
  clock: Clock,
  absent: Absent,
  remark: (text: string) => void,
): Promise<State> {
  return url.kind === 'sqlite' ? openFile(url.path, clock, absent, remark) : openSchema(url, clock, absent, remark)
}

function openFile(path: string, clock: Clock, absent: Absent, remark: (text: string) => void): State {
  // An empty file is none: whoever copies a backup over it has emptied it first.
  const isThere = existsSync(path) && statSync(path, { throwIfNoEntry: false })?.size !== 0
  const problem = isThere ? undefined : folderProblem(dirname(path))
  if (problem) throw new OperatorError(problem)
  // A command in the wrong folder would otherwise do its work where no service looks.
  if (!isThere)
    remark(
      absent === 'taken for empty' ? `There is no state database at ${path}.` : `Made a new state database: ${path}.`,
    )
  return openSqliteState({ path: isThere || absent === 'made where there is none' ? path : null, clock })
}

const commandTimeoutMs = 10_000

async function openSchema(
  url: PostgresUrl,
  clock: Clock,
  absent: Absent,
  remark: (text: string) => void,
): Promise<State> {
  const [{ lookAtState, migrateState }, { createPostgresState }, { placeOf }] = await Promise.all([
    import('./postgres/schema.ts'),
    import('./postgres/state.ts'),
    import('../platform/postgres/problems.ts'),
  ])
  const found = await lookAtState(url, absent === 'made where there is none')
  if ('problem' in found) throw new OperatorError(found.problem, found.exitStatus)
  if (found.version === 0 && absent === 'taken for empty') {
    remark(`There is no state in ${placeOf(url)}.`)
    return openSqliteState({ path: null, clock })
  }
  if (!found.isCurrent) await migrateState(url)
  if (found.version === 0) remark(`Made a new state in ${placeOf(url)}.`)
  return createPostgresState({ url, connections: 1, timeoutMs: commandTimeoutMs, isService: false })
}
