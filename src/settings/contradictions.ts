// Checks valid settings against each other: a sentence for each pair that contradicts. A setting with a fault of its own is absent
// here.
import { realpathSync, statSync, type BigIntStats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { settingsTable } from './table.ts'
import type { Settings } from './table.ts'
import type { PostgresUrl } from '../platform/postgres/url.ts'

export function findContradictions(
  settings: Partial<Settings>,
  isGiven: (name: string) => boolean,
  needsState: boolean,
): string[] {
  return [
    ...halves(isGiven, settingsTable.tlsCert.name, settingsTable.tlsKey.name),
    // `copy` takes either as an option.
    ...(needsState ? halves(isGiven, settingsTable.copyFrom.name, settingsTable.copyViews.name) : []),
    ...equalPorts(settings),
    ...statePlace(settings, isGiven, needsState),
  ]
}

function halves(isGiven: (name: string) => boolean, ...names: readonly string[]): string[] {
  const missing = names.filter((name) => !isGiven(name))
  return missing.length === 1 ? [`${names.join(' and ')} must be given together, but ${missing[0]} is not.`] : []
}

function equalPorts(settings: Partial<Settings>): string[] {
  const byPort = new Map<number, string[]>()
  for (const field of ['port', 'httpPort', 'consolePort'] as const) {
    const number = settings[field]
    if (number) byPort.set(number, [...(byPort.get(number) ?? []), settingsTable[field].name])
  }
  return [...byPort]
    .filter(([, names]) => names.length > 1)
    .map(([number, names]) => `${names.join(' and ')} are the same port, ${number}: each needs its own (or 0).`)
}

function statePlace(
  { databaseUrl, stateUrl }: Partial<Settings>,
  isGiven: (name: string) => boolean,
  needsState: boolean,
): string[] {
  const state = settingsTable.stateUrl.name
  const database = settingsTable.databaseUrl.name
  if (databaseUrl?.kind === 'postgres' && !isGiven(state) && needsState) {
    return [`${state} must be given when ${database} is PostgreSQL: it names the primary, or sqlite:PATH.`]
  }
  if (databaseUrl?.kind === 'sqlite' && stateUrl?.kind === 'sqlite' && isSameFile(databaseUrl.path, stateUrl.path))
    return [`${state} and ${database} both name ${stateUrl.path}: state never shares a file with the data.`]
  if (databaseUrl?.kind === 'postgres' && stateUrl?.kind === 'postgres' && isSameSchema(databaseUrl, stateUrl))
    return [
      `${state} and ${database} both name the schema ${stateUrl.schema}: state never shares a schema with the data.`,
    ]
  return []
}

// Whatever the host: a replica has the schemas of its primary.
const isSameSchema = (one: PostgresUrl, other: PostgresUrl) =>
  one.database === other.database && one.schema === other.schema

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [statOf(one), statOf(other)]
  if (first && second) return first.dev === second.dev && first.ino === second.ino
  return realPath(one) === realPath(other)
}

// The code that opens the file reports why it cannot be read.
function statOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true })
  } catch {
    return undefined
  }
}

// The files and their folders may be missing, but a link on the way to them may exist.
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
  }
}
