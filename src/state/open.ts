// Opens the state that a URL names. The only place that chooses between the stores; the modules for PostgreSQL are loaded only if
// they are needed.
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../platform/clock.ts'
import { OperatorError } from '../errors.ts'
import { folderProblem } from '../platform/files.ts'
import { tellAvailability, type Log } from '../platform/log.ts'
import type { PostgresUrl } from '../platform/postgres/url.ts'
import type { DatabaseUrl } from '../settings/types.ts'
import { isExchanged } from './sqlite/exchange.ts'
import { stateFileProblem } from './sqlite/schema.ts'
import { openSqliteState, startSqliteState } from './sqlite/state.ts'
import type { State } from './state.ts'
import { watchState, type WatchedState } from './watched.ts'

type IfMissing = 'treat as empty' | 'create'

// Why the state cannot be used, if so. Changes nothing.
export async function stateProblem(url: DatabaseUrl): Promise<string | undefined> {
  if (url.kind === 'sqlite') return stateFileProblem(url.path)
  const { lookAtState } = await import('./postgres/schema.ts')
  const existing = await lookAtState(url, true)
  return 'problem' in existing ? existing.problem : undefined
}

// For the service, which must end when the state was exchanged.
export async function startState(
  url: DatabaseUrl,
  clock: Clock,
  connections: number,
  log: Log,
  onExchanged: () => void,
): Promise<WatchedState> {
  if (url.kind === 'sqlite') {
    const state = startSqliteState({
      path: url.path,
      clock,
      onExchanged(problem) {
        log.error('state_exchanged', { problem })
        onExchanged()
      },
    })
    const availability = tellAvailability(log, 'state')
    return watchState(state, {
      ...availability,
      lost: (cause) => (isExchanged(cause) ? undefined : availability.lost(cause)),
    })
  }
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
  // /status needs the last known value.
  await state.isEnabled()
  // The pool itself logs lost connections.
  return watchState(state, { lost: () => {}, back: () => {} })
}

// For a command.
export async function openState(
  url: DatabaseUrl,
  clock: Clock,
  ifMissing: IfMissing,
  remark: (text: string) => void,
): Promise<State> {
  return url.kind === 'sqlite'
    ? openFile(url.path, clock, ifMissing, remark)
    : openSchema(url, clock, ifMissing, remark)
}

function openFile(path: string, clock: Clock, ifMissing: IfMissing, remark: (text: string) => void): State {
  // An empty file counts as missing: copying a backup over a file first empties it.
  const isThere = existsSync(path) && statSync(path, { throwIfNoEntry: false })?.size !== 0
  const problem = isThere ? undefined : folderProblem(dirname(path))
  if (problem) throw new OperatorError(problem)
  // Tells an operator who runs the command in the wrong folder.
  if (!isThere)
    remark(
      ifMissing === 'treat as empty' ? `There is no state database at ${path}.` : `Made a new state database: ${path}.`,
    )
  return openSqliteState({ path: isThere || ifMissing === 'create' ? path : null, clock })
}

const commandTimeoutMs = 10_000

async function openSchema(
  url: PostgresUrl,
  clock: Clock,
  ifMissing: IfMissing,
  remark: (text: string) => void,
): Promise<State> {
  const [{ lookAtState, migrateState }, { createPostgresState }, { placeOf }] = await Promise.all([
    import('./postgres/schema.ts'),
    import('./postgres/state.ts'),
    import('../platform/postgres/problems.ts'),
  ])
  const existing = await lookAtState(url, ifMissing === 'create')
  if ('problem' in existing) throw new OperatorError(existing.problem, existing.exitStatus)
  if (existing.version === 0 && ifMissing === 'treat as empty') {
    remark(`There is no state in ${placeOf(url)}.`)
    return openSqliteState({ path: null, clock })
  }
  if (!existing.isCurrent) await migrateState(url)
  if (existing.version === 0) remark(`Made a new state in ${placeOf(url)}.`)
  return createPostgresState({ url, connections: 1, timeoutMs: commandTimeoutMs, isService: false })
}
