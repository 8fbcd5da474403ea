// The routes for the audit: page by page, or as a file.
import type { InputFault } from '../../keys/faults.ts'
import { acts, type Act, type AuditQuery, type Key, type State } from '../../state/state.ts'
import { folded } from '../page/browser/typed.ts'
import type { Entries, Entry } from './answers.ts'
import { csvFile, mostRows } from './csv.ts'
import { json, readTime, refusedFor, timeOf } from './exchange.ts'
import { consoleFault } from './faults.ts'
import type { Route } from './request.ts'
import { namesOf } from './usage-routes.ts'

const perPage = 100
// The columns of the file, before the details.
const texts = ['at', 'by', 'action', 'subject', 'name'] as const

// `before` continues after the last entry of a page.
export const showAudit: Route = async ({ state }, { query }) => {
  const found = await findEntries(state, query, perPage)
  if ('faults' in found) return refusedFor(found.faults)
  return json({
    data: found.entries,
    is_last: found.entries.length < perPage,
    by: query.has('before') ? [] : await state.listActors(),
  } satisfies Entries)
}

export const downloadAudit: Route = async (options, { query }) => {
  const found = await findEntries(options.state, query, mostRows + 1)
  if ('faults' in found) return refusedFor(found.faults)
  const rows = found.entries.map((entry) => [...texts.map((name) => entry[name]), JSON.stringify(entry.details)])
  return csvFile('history', options, [...texts, 'details'], rows)
}

async function findEntries(state: State, query: URLSearchParams, limit: number) {
  const filters = readFilters(query)
  if ('faults' in filters) return filters
  const keys = await state.listKeys()
  const typed = query.get('subject')
  const found = await state.listAudit({
    ...filters,
    limit,
    ...(typed ? { subjects: await subjectsFor(typed, keys, state) } : {}),
  })
  const nameOf = namesOf(keys)
  const entries = found.map(({ act: action, ...entry }): Entry => ({
    ...entry,
    action,
    at: timeOf(entry.at),
    name: nameOf(entry.subject),
  }))
  return { entries }
}

type Filters = Omit<AuditQuery, 'limit' | 'subjects'>

function readFilters(query: URLSearchParams): Filters | { readonly faults: InputFault[] } {
  const [before, by, action] = [query.get('before'), query.get('by'), query.get('action') || null]
  if (before !== null && !/^[1-9]\d{0,14}$/.test(before)) return { faults: [consoleFault('before_invalid')] }
  if (action !== null && !isAction(action)) return { faults: [consoleFault('action_unknown', { given: action })] }
  const [from, to] = [readTime(query, 'from'), readTime(query, 'to')]
  if (typeof from === 'object' || typeof to === 'object')
    return { faults: [from, to].filter((each) => typeof each === 'object') }
  return {
    ...(before === null ? {} : { before: Number(before) }),
    ...(by ? { by } : {}),
    ...(action ? { act: action } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  }
}

// Administrators type a part of the name of a key or account, of an access key or of an address. A whole access key means that key
// alone, even if another one has it in its name.
async function subjectsFor(typed: string, keys: readonly Key[], state: State): Promise<string[]> {
  if (keys.some(({ accessKey }) => accessKey === typed)) return [typed]
  const part = folded(typed)
  const hasPart = (text: string) => folded(text).includes(part)
  const named = keys.filter(({ name }) => hasPart(name)).map(({ accessKey }) => accessKey)
  return [...named, ...(await state.listSubjects()).filter(hasPart)]
}

const isAction = (text: string): text is Act => (acts as readonly string[]).includes(text)
