// Files and folders that an operator names: problems with them as sentences, and whether other users may read them.
import { accessSync, chmodSync, constants, existsSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../errors.ts'

// Why no file can be created in a folder, if so. The folder itself may still be missing.
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

// Not mkdir's `recursive`, which never returns on a file system that refuses new folders, such as /proc.
function makeMissing(folder: string): void {
  if (existsSync(folder)) return
  makeMissing(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

// Replaces a file and keeps its mode.
export function putInPlace(path: string, made: string): void {
  const before = statSync(path, { throwIfNoEntry: false })
  if (before) chmodSync(made, before.mode & 0o777)
  renameSync(made, path)
}

// What every user of the machine may do with a file, given its mode and those of its folders. undefined: nothing, or no such file.
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
