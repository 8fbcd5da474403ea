// Runs work on a single connection, for commands and checks at the start. Every failure becomes an OperatorError with a sentence.
import { OperatorError } from '../../errors.ts'
import type { PostgresUrl } from './url.ts'
import { connectPostgres, PostgresFailure, type PostgresConnection } from './connection.ts'
import { encodingProblem, reachProblem, statementProblem, versionProblem } from './problems.ts'

const oldestVersion = 13

export async function withConnection<Result>(
  setting: string,
  url: PostgresUrl,
  setUp: string,
  use: (connection: PostgresConnection) => Promise<Result>,
  silenceMs?: number,
): Promise<Result> {
  let connection: PostgresConnection | undefined
  try {
    connection = await connectPostgres(url, { setUp, silenceMs })
    const [row] = await connection.rows(
      `SELECT current_setting('server_encoding'), current_setting('server_version_num')::int / 10000`,
    )
    const [encoding, version] = row ?? []
    if (encoding !== 'UTF8') throw new OperatorError(encodingProblem(url, String(encoding)), 1)
    if (Number(version) < oldestVersion) throw new OperatorError(versionProblem(url, Number(version), oldestVersion), 1)
    return await use(connection)
  } catch (error) {
    if (!(error instanceof PostgresFailure)) throw error
    throw new OperatorError((connection?.isConnected() ? statementProblem : reachProblem)(setting, url, error), 1)
  } finally {
    await connection?.close()
  }
}

export async function problemOr<Result extends object>(work: Promise<Result>): Promise<Result | { problem: string }> {
  try {
    return await work
  } catch (error) {
    if (error instanceof OperatorError) return { problem: error.message }
    throw error
  }
}
