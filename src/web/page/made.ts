// Makes the files of a page once, at the first request, in a thread that ends afterwards: it may take a second, in which the listener's
// thread could answer nothing.
import { startThread } from '../../platform/thread.ts'
import type { BundledFile, PageName } from './bundle.ts'

// The answer of the thread in `file` to `request`. After a failure it is asked again.
export function madeOnce<Result>(file: URL, request: unknown): () => Promise<Result> {
  let made: Promise<Result> | undefined
  const make = async () => {
    const thread = startThread(file, { data: null })
    try {
      return (await thread.call(request)) as Result
    } catch (error) {
      made = undefined
      throw error
    } finally {
      await thread.stop()
    }
  }
  return () => (made ??= make())
}

export const bundleOnce = (page: PageName) =>
  madeOnce<readonly BundledFile[]>(new URL('bundle-thread.ts', import.meta.url), page)
