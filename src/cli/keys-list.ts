// `vitrine keys list`: every key, without its secrets.
import { keyJson, keyState, storesText } from './key-text.ts'
import { table } from './output.ts'
import { withState, type Runnable } from './runnable.ts'

export const keysList: Runnable = {
  name: 'keys list',
  summary: 'Lists the keys.',
  operands: [],
  options: [],
  run: (context) =>
    withState(context, async (state) => {
      const { output } = context
      const keys = await state.listKeys()
      if (output.isJson) return keys.forEach((key) => output.result(keyJson(key), ''))
      if (keys.length === 0) return output.remark('There is no key yet: "vitrine keys create" makes one.')
      const rows = keys.map((key) => [
        key.accessKey,
        keyState(key),
        storesText(key),
        String(key.priceList ?? 'all'),
        String(key.rate),
        key.name,
      ])
      output.result(null, table([['ACCESS KEY', 'STATE', 'STORES', 'PRICE LIST', 'RATE', 'NAME'], ...rows]))
    }),
}
