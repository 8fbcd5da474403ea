// Batches: details of one resource and access that are read by one set of statements. The costs of a transaction, and of waking a
// thread, are then paid once for all of them. Requests for one answer are read once.
import type { Access } from '../catalogue/access.ts'
import { onceFor } from '../query/once-for.ts'
import type { Plan } from '../query/plan.ts'

// One request, or several that are read together.
export type Batch<Item> = readonly [Item, ...Item[]]

// Few enough that the requests of others do not wait long.
export const mostInBatch = 16

// Details with equal keys can be read together. Lists have no key.
export const batchKeyOf = (plan: Plan): string | undefined =>
  plan.shows === 'detail' ? `${plan.resource} ${textOfAccess(plan.access)}` : undefined

// Everything about an access that an answer depends on.
export const textOfAccess = onceFor(({ permissions, stores, priceList }: Access) =>
  JSON.stringify([permissions, stores, priceList]),
)

// Requests with equal keys have the same answer, if the data is the same.
export const answerKeyOf = onceFor(({ access, ...asked }: Plan) => JSON.stringify(asked) + textOfAccess(access))

// Groups a batch by answer: one group, one reading.
export const readingsIn = <Job extends { readonly answerKey: string }>(batch: readonly Job[]) =>
  [...Map.groupBy(batch, ({ answerKey }) => answerKey).values()] as unknown as Batch<Job>[]

export function whenAllHangUp(batch: readonly { readonly signal: AbortSignal | undefined }[], act: () => void): void {
  let waiting = batch.length
  const onHangUp = () => (waiting -= 1) === 0 && act()
  for (const { signal } of batch) signal?.addEventListener('abort', onHangUp, { once: true })
}
