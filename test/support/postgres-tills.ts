// Tills on PostgreSQL: random transactions under every isolation level, which commit late and out of order.
import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresConnection } from '../../src/platform/postgres/connection.ts'
import { sale } from './exact.ts'
import { connectTo } from './own-company.ts'
import type { Random } from './random.ts'

const isolations = ['READ COMMITTED', 'READ UNCOMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']

/** A till, until it is stopped. Others get in its way: what fails is rolled back. */
export function startTill(url: string, own: Random, stop: AbortSignal) {
  let committed = 0
  // It survives a crash of the server, with its locks.
  let prepared: string | undefined
  const sell = async (till: PostgresConnection) => {
    await till.rows(`BEGIN ISOLATION LEVEL ${own.of(isolations)}`)
    try {
      for (const statement of sale(own, { hasReplace: false })) {
        const isUndone = own.chance(0.2)
        if (isUndone || own.chance(0.2)) await till.rows('SAVEPOINT s')
        await till.rows(statement)
        if (isUndone) await till.rows('ROLLBACK TO s')
        // Another one commits meanwhile.
        if (own.chance(0.3)) await wait(own.upTo(20))
      }
    } catch {
      return void (await till.rows('ROLLBACK'))
    }
    const isUndone = own.chance(0.15)
    if (own.chance(0.1)) await inTwoPhases(till, isUndone)
    else await till.rows(isUndone ? 'ROLLBACK' : 'COMMIT')
    committed += 1
  }
  // Its session does something else before it ends.
  const inTwoPhases = async (till: PostgresConnection, isUndone: boolean) => {
    prepared = `till ${own.upTo(2 ** 31)}`
    await till.rows(`PREPARE TRANSACTION '${prepared}'`)
    await wait(own.upTo(40))
    await till.rows(`${isUndone ? 'ROLLBACK' : 'COMMIT'} PREPARED '${prepared}'`)
    prepared = undefined
  }
  const work = async () => {
    while (!stop.aborted) {
      // Not there while the server is started again.
      const till = await connectTo(url).catch(() => undefined)
      try {
        if (prepared !== undefined) await till?.rows(`ROLLBACK PREPARED '${prepared}'`).catch(() => {})
        while (!stop.aborted) {
          if (!till) break
          await sell(till)
          await wait(15)
        }
      } catch {
        // The server went away.
      }
      await till?.close().catch(() => {})
      await wait(20)
    }
    return committed
  }
  return work()
}
