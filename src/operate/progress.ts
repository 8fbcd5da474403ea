// How far a long job is, told before each of its steps and at the end.

export interface Step {
  readonly what: string
  readonly done: number
  readonly total: number
}

export type OnProgress = (step: Step) => void

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
