// Makes the folders and files of a mirror. Only their owner can read them (a mode that the owner has changed is kept), and
// symbolic links are never followed.
import process from 'node:process'
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Refused } from './store.ts'

const folderMode = 0o700
const fileMode = 0o600

// Not with `recursive`, which never returns below /proc.
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, folderMode)
}

// Refuses a link, which could lead to another user's folder.
export function makeOwnFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Refused(`${path} is a link: remove it, or name another folder with --to.`)
  makeFolder(path)
}

// To be called before SQLite opens the file: SQLite would make a file that all users can read, and follow a link. Its -wal and
// -shm files get the mode of the file.
export function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', fileMode))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Refused(`${path} is a link: name the file that it leads to with --to, or remove it.`)
  }
}

const pieceLength = 1 << 18

// Writes a draft beside the file, and then replaces it. `announce` gets the stamp that the file will have.
export async function replaceFile(
  path: string,
  lines: Iterable<string>,
  announce: (stamp: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.part`
  // A killed run may have left its draft. Of a link, only the link is removed.
  rmSync(draft, { force: true })
  const handle = openSync(draft, 'wx', fileMode)
  try {
    let piece = ''
    for (const line of lines) {
      piece += line
      if (piece.length < pieceLength) continue
      writeFileSync(handle, piece)
      piece = ''
    }
    writeFileSync(handle, piece)
    const mode = chosenMode(path)
    if (mode !== undefined) fchmodSync(handle, mode)
    fsyncSync(handle)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(handle)
  }
  await announce(stampOf(draft) ?? '')
  renameSync(draft, path)
}

// The size and the time of the last change: they differ after any program has written to the file. null: there is no such file.
export function stampOf(path: string): string | null {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? `${found.size} ${found.mtimeMs}` : null
}

// The mode of the old file, if the user owns it.
function chosenMode(path: string): number | undefined {
  const before = lstatSync(path, { throwIfNoEntry: false })
  return before?.isFile() && before.uid === process.getuid?.() ? before.mode & 0o777 : undefined
}
