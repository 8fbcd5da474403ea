// Progress of a long job, reported before each step and at the end.
import type { Progress } from '../terminal/progress.ts'

export type OnProgress = (progress: Progress) => void

// With one decimal.
export const secondsSince = (startedAt: number) => Number(((performance.now() - startedAt) / 1000).toFixed(1))

export async function eachWithProgress<Item>(
  what: string,
  items: readonly Item[],
  onProgress: OnProgress,
  run: (item: Item) => Promise<void> | void,
): Promise<void> {
  if (items.length === 0) return
  for (const [done, item] of items.entries()) {
    onProgress({ what, done, total: items.length })
    await run(item)
  }
  onProgress({ what, done: items.length, total: items.length })
}
