// What every request runs through, to the API and to the console: its checks in order, its answer, and the only catch.
import type { Reply } from './exchange.ts'

// Refuses a request by an error, or by the reply that it returns. Most checks need not be waited for.
export type Check<Exchange> = (exchange: Exchange) => Promise<Reply | void> | Reply | void

// The first check that refuses decides the reply. `refuse`: the reply for an error.
export async function answerChecked<Exchange>(
  exchange: Exchange,
  checks: readonly Check<Exchange>[],
  answer: (exchange: Exchange) => Promise<Reply> | Reply,
  refuse: (error: unknown) => Reply,
): Promise<Reply> {
  try {
    for (const check of checks) {
      const checking = check(exchange)
      const refusal = checking instanceof Promise ? await checking : checking
      if (refusal) return refusal
    }
    return await answer(exchange)
  } catch (error) {
    return refuse(error)
  }
}
