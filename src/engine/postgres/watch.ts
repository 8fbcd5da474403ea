// What the listener's thread itself asks a PostgreSQL server, on a connection of its own: whether remembered answers still hold, how far a
// replica is behind, and, with that, whether the server is there at all.
import type { Availability, Log } from '../../platform/log.ts'
import { createPool } from '../../platform/postgres/pool.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { rememberAnswers } from './answers.ts'
import { watchLag } from './lag.ts'

export function watchPostgres(url: PostgresUrl, timeoutMs: number, log: Log) {
  const pool = createPool({
    url,
    size: 1,
    setUp: sessionSetUp(url, { timeoutMs, isReadOnly: true }),
    isPipelined: true,
    waitMs: timeoutMs,
    workMs: timeoutMs,
    onLost: (cause) => log.error('database_lost', { cause }),
    onBack: () => log.info('database_back'),
    onGone: () => answers.forget(),
  })
  const answers = rememberAnswers(pool)
  const lag = watchLag(pool, log)
  return {
    answers: {
      ...answers,
      async close() {
        lag.stop()
        await pool.close()
      },
    },
    // The pool tells, also while nobody asks for data.
    availability: { lost: () => {}, back: () => {} } satisfies Availability,
    lagSeconds: lag.seconds,
  }
}
