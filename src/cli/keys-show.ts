// `vitrine keys list`, `show`, `preview` and `unused`: keys, without their secrets.
import { keyState } from '../keys/expiry.ts'
import { oldCodeUntil } from '../keys/rotation.ts'
import type { Key, LastUse, State } from '../state/state.ts'
import { endText, keyJson, minuteOf, showKey, storesText } from './key-text.ts'
import { showList } from './output.ts'
import { keyOperand, withEngine, withState, type Runnable } from './command.ts'
import { OperatorError } from '../errors.ts'
import { missingKeyFault } from '../keys/keys.ts'
import type { ResourcePreview } from '../describe/resource-preview.ts'
import { listUnused, unusedDays } from '../keys/unused.ts'

type KeyColumns = Readonly<Record<string, string>>

export const keysList: Runnable = {
  name: 'keys list',
  summary: 'Lists the keys.',
  run: withState(async (state, { output, clock }) => {
    const [keys, lastUse] = await Promise.all([state.listKeys(), state.listLastUse('keys', null)])
    const [now, used] = [clock.now(), new Map(lastUse.map((use) => [use.accessKey, use]))]
    if (output.isJson) return keys.forEach((key) => output.result(keyJson(key, now, used.get(key.accessKey)), ''))
    const rows = keys.map((key) => columnsOf(key, now, used.get(key.accessKey)))
    // Without columns that are empty for all keys.
    const headings = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== ''))
    const none = 'There are no keys yet: "vitrine keys create" makes one.'
    showList(output, rows, { none, headings, row: (row) => headings.map((name) => row[name] ?? '') })
  }),
}

function columnsOf(key: Key, now: number, used: LastUse | undefined): KeyColumns {
  const until = oldCodeUntil(key, now)
  return {
    'ACCESS KEY': key.accessKey,
    STATE: keyState(key, now),
    STORES: storesText(key),
    'PRICE LIST': String(key.priceList ?? 'all'),
    RATE: String(key.rate),
    ADDRESSES: key.addresses?.join(', ') ?? '',
    'LAST DAY': endText(key, now),
    'OLD CODE UNTIL': until === null ? '' : minuteOf(until),
    'LAST USE': used ? minuteOf(used.at) : '',
    FROM: used?.address ?? '',
    NAME: key.name,
  }
}

async function findKey(state: State, [accessKey = '']: readonly string[]): Promise<Key> {
  const key = await state.findKey(accessKey)
  if (!key) throw new OperatorError((await missingKeyFault(state, accessKey)).sentence)
  return key
}

export const keysShow: Runnable = {
  name: 'keys show',
  summary: 'Shows one key.',
  operands: [keyOperand],
  run: withState(async (state, context) => showKey(state, context, await findKey(state, context.operands))),
}

export const keysPreview: Runnable = {
  name: 'keys preview',
  summary: 'Previews the API as a key: the number of records of each resource, and the hidden fields.',
  details: 'With --json each resource also has its first records, exactly as the API returns them to this key.',
  operands: [keyOperand],
  run: withState(async (state, { settings, output, operands }) => {
    const key = await findKey(state, operands)
    const [{ databaseProblems }, { previewAs }] = await Promise.all([
      import('../engine/open.ts'),
      import('../describe/preview.ts'),
    ])
    const problems = await databaseProblems(settings.databaseUrl)
    if (problems.length > 0) throw new OperatorError(problems.join('\n'), 1)
    // A resource that cannot be read says so in its line of the table.
    const seen = await withEngine(settings, (engine) => previewAs(engine, key))
    showList(output, seen, { none: '', headings: ['RESOURCE', 'RECORDS', 'HIDDEN FIELDS'], row: lineOf })
  }),
}

function lineOf({ name, readable, hidden, seen }: ResourcePreview): string[] {
  if (!readable) return [name, 'no access', '']
  const records = seen ? `${seen.total} of ${seen.total_of_all}` : 'could not be read'
  return [name, records, hidden.join(',')]
}

export const keysUnused: Runnable = {
  name: 'keys unused',
  summary: `Lists permissions that keys have had for ${unusedDays} days without using them.`,
  run: withState(async (state, { output, clock }) => {
    const unused = await listUnused(state, clock.now())
    const rows = unused.map(({ key, permissions }) => ({ client_id: key.accessKey, name: key.name, permissions }))
    showList(output, rows, {
      none: `No key has had an unused permission for ${unusedDays} days.`,
      headings: ['ACCESS KEY', 'UNUSED PERMISSIONS', 'NAME'],
      row: ({ client_id: id, name, permissions }) => [id, permissions.join(','), name],
    })
  }),
}
