// `vitrine keys list`: every key, without its secrets.
import { keyState } from '../keys/expiry.ts'
import { oldCodeUntil } from '../keys/rotation.ts'
import type { Key, LastUse } from '../state/state.ts'
import { endText, keyJson, shortMoment, storesText } from './key-text.ts'
import { table } from './output.ts'
import { withState, type Runnable } from './runnable.ts'

type Row = Readonly<Record<string, string>>

export const keysList: Runnable = {
  name: 'keys list',
  summary: 'Lists the keys.',
  operands: [],
  options: [],
  run: (context) =>
    withState(context, async (state) => {
      const { output, clock } = context
      const [keys, lastUse] = await Promise.all([state.listKeys(), state.listLastUse('keys', null)])
      const [now, used] = [clock.now(), new Map(lastUse.map((use) => [use.accessKey, use]))]
      if (output.isJson) return keys.forEach((key) => output.result(keyJson(key, now, used.get(key.accessKey)), ''))
      if (keys.length === 0) return output.remark('There is no key yet: "vitrine keys create" makes one.')
      const rows = keys.map((key) => rowOf(key, now, used.get(key.accessKey)))
      // A column that says nothing of any key is left out.
      const columns = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== ''))
      output.result(null, table([columns, ...rows.map((row) => columns.map((name) => row[name] ?? ''))]))
    }),
}

function rowOf(key: Key, now: number, used: LastUse | undefined): Row {
  const until = oldCodeUntil(key, now)
  return {
    'ACCESS KEY': key.accessKey,
    STATE: keyState(key, now),
    STORES: storesText(key),
    'PRICE LIST': String(key.priceList ?? 'all'),
    RATE: String(key.rate),
    ADDRESSES: key.addresses?.join(', ') ?? '',
    'LAST DAY': endText(key, now),
    'OLD CODE UNTIL': until === null ? '' : shortMoment(until),
    'LAST USE': used ? shortMoment(used.at) : '',
    FROM: used?.address ?? '',
    NAME: key.name,
  }
}
