// Files and folders that an operator named: what is wrong with them, in a sentence.
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from './errors.ts'

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
  mkdirSync(folder)
}
