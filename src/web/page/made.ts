// What browsers get is made once, at its first request, in a thread that ends with it: it may take a second, in which the listener's
// thread could answer nothing.
import { startThread } from '../../platform/thread.ts'

// The answer of the thread in `file` to `request`. After a failure it is asked again.
export function madeOnce(file: URL, request: unknown): () => Promise<unknown> {
  let made: Promise<unknown> | undefined
  const make = async () => {
    const thread = startThread(file, { data: null })
    try {
      return await thread.call(request)
    } catch (error) {
      made = undefined
      throw error
    } finally {
      await thread.stop()
    }
  }
  return () => (made ??= make())
}
