// Where SQLite keeps rows that are not yet in the file, and what is wrong with that place: the file is not to blame for it.
import { accessSync, constants, statSync } from 'node:fs'
import process from 'node:process'
import { OperatorError } from '../../errors.ts'

const full = 13
// Reading or writing, and opening.
const unusable = new Set([10, 14])

// What is run writes to temporary tables alone. Whoever reads the file meanwhile may fail with what is wrong with that.
export async function writingTemporary<Result>(
  run: () => Result | Promise<Result>,
  { readsFile }: { readonly readsFile: boolean },
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const { errcode = 0, message } = error as { errcode?: number; message: string }
    const code = errcode & 0xff
    if (code !== full && (readsFile || !unusable.has(code))) throw error
    const is = code === full ? 'is full' : 'cannot be used'
    throw new OperatorError(
      `SQLite's temporary folder ${temporaryFolder()} ${is} (${message}). Make room there, or name another with SQLITE_TMPDIR.`,
      1,
    )
  }
}

// The first that can be used, in SQLite's order.
function temporaryFolder(): string {
  const { SQLITE_TMPDIR, TMPDIR } = process.env
  const candidates = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp']
  return candidates.find((path) => path !== undefined && isUsable(path)) ?? '.'
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
