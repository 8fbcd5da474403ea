// Makes the SQLite file whose views read a POS file. All faults are reported together, before anything is written. The file is
// replaced as a whole, and a running service uses the new views at once.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { absentColumns, lackingColumns, namesOf } from '../../engine/missing-parts.ts'
import { checkViews } from '../../engine/sqlite/check.ts'
import { isViewsFile, writeViewsFile } from '../../engine/sqlite/views-file.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder, putInPlace } from '../../platform/files.ts'
import { openSqlite, readSqliteHeader } from '../../platform/sqlite.ts'
import { readScript } from './script.ts'

// Returns the paths of both files, the number of views, and the columns that they lack.
export function applyViews(path: string, file: string, posFile: string) {
  const pos = resolve(posFile)
  const { views, faults: scriptFaults } = readFile(file)
  const bodies = new Map([...views].map(([relation, { body }]) => [relation, body]))
  const posFaults = posProblems(pos)
  const faults = [...placeFaults(path, pos), ...scriptFaults, ...posFaults]
  const lacking: string[] = []
  if (posFaults.length === 0) {
    const scratch = openSqlite(':memory:', { readOnly: true })
    try {
      const lackingIn: typeof lackingColumns = (where, columnsOf) => {
        lacking.push(...namesOf(absentColumns(columnsOf, 'not required')))
        // Missing relations have been reported already.
        return lackingColumns(where, columnsOf)
      }
      faults.push(...checkViews(scratch, file, { pos, bodies }, lackingIn))
    } finally {
      scratch.close()
    }
  }
  if (faults.length > 0) throw new OperatorError(faults.join('\n'), 1)
  makeFolder(dirname(path))
  const made = `${path}.new`
  rmSync(made, { force: true })
  writeViewsFile(made, { pos, bodies })
  putInPlace(path, made)
  return { database: path, pos, views: bodies.size, lacking }
}

function readFile(file: string) {
  try {
    return readScript(file, readFileSync(file, 'utf8'))
  } catch (error) {
    return { views: new Map<string, never>(), faults: [`${file} cannot be read: ${(error as Error).message}.`] }
  }
}

// Only a file that this command made is replaced.
function placeFaults(path: string, pos: string): string[] {
  if (resolve(path) === pos)
    return [
      `The views need a file of their own: VITRINE_DATABASE_URL and --pos both name ${pos}, which is never written to.`,
    ]
  if (!existsSync(path) || isViewsFile(path)) return []
  return [`There is something else at ${path}, which is not replaced: name another file in VITRINE_DATABASE_URL.`]
}

function posProblems(pos: string): string[] {
  if (!existsSync(pos)) return [`There is no file ${pos}.`]
  if (!readSqliteHeader(pos)) return [`${pos} is not a SQLite database.`]
  if (isViewsFile(pos)) return [`${pos} is a file of views itself: --pos names the file that the tills write.`]
  return []
}
