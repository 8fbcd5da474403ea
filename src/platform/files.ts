// Files and folders that an operator named: what is wrong with them, in a sentence; who else may read them.
import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../errors.ts'

// Why no file can be made in a folder, which may itself still have to be made; undefined when it can.
export function folderProblem(folder: string): string | undefined {
  let nearest = folder
  while (!existsSync(nearest)) nearest = dirname(nearest)
  if (!statSync(nearest).isDirectory())
    return `Neither state nor data can be kept in ${folder}: ${nearest} is not a folder.`
  try {
    accessSync(nearest, constants.W_OK)
    return undefined
  } catch {
    return `Neither state nor data can be kept in ${folder}: there is no permission to write in ${nearest}.`
  }
}

export function makeFolder(folder: string): void {
  const problem = folderProblem(folder)
  if (problem) throw new OperatorError(problem)
  try {
    makeMissing(folder)
  } catch (error) {
    throw new OperatorError(`The folder ${folder} cannot be made: ${(error as Error).message}.`)
  }
}

// One at a time: the recursive way of Node.js never ends where a file system refuses new folders, as /proc does.
function makeMissing(folder: string): void {
  if (existsSync(folder)) return
  makeMissing(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

// Puts a new file in the place of an old one, and keeps the old one's mode.
export function putInPlace(path: string, made: string): void {
  const before = statSync(path, { throwIfNoEntry: false })
  if (before) chmodSync(made, before.mode & 0o777)
  renameSync(made, path)
}

// What every user of the machine may do with a file: the file and all folders on the way to it are open to them. undefined:
// nothing, or there is no such file.
export function openToOthers(path: string): 'read' | 'changed' | undefined {
  if (process.platform === 'win32') return undefined
  try {
    const real = realpathSync(path)
    const { mode } = statSync(real)
    if ((mode & 0o006) === 0 || !canBeReached(dirname(real))) return undefined
    return (mode & 0o002) === 0 ? 'read' : 'changed'
  } catch {
    // The code that opens it reports the reason.
    return undefined
  }
}

const canBeReached = (folder: string): boolean =>
  (statSync(folder).mode & 0o001) !== 0 && (folder === dirname(folder) || canBeReached(dirname(folder)))

export const quoteForShell = (text: string) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
