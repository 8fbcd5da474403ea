// A PostgreSQL connection as a source. The server itself stops what takes too long, and never gives a question more than one of its
// processes: the tills come first.
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { postgres } from '../../sql/postgres.ts'
import { Late, Refused, type Source } from './source.ts'

export const postgresSetUp = (url: PostgresUrl, timeoutMs: number) => sessionSetUp(url, { timeoutMs, isReadOnly: true })

// Classes of errors that another time may not bring: conflicts, resources, what somebody else does to an object, operators.
const passing = /^(40|53|55|57)/

export const postgresSource = (connection: PostgresConnection, timeoutMs: number): Source => ({
  dialect: postgres,
  timeoutMs,
  isOpen: () => connection.isConnected(),
  async rows({ text, values }) {
    try {
      return await connection.rows(text, values)
    } catch (error) {
      if (!(error instanceof PostgresFailure) || !connection.isConnected()) throw error
      throw error.isLate || passing.test(error.code ?? '') ? new Late() : new Refused(error.message)
    }
  },
  close: () => connection.close(),
})
