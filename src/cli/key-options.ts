// The options that say what a key may do, shared by `keys create` and `keys update`.
import type { KeyInput } from '../keys/keys.ts'
import type { Option } from './command.ts'

export const keyOptions: readonly Option[] = [
  { name: 'name', value: 'N', help: 'Who the key is for.' },
  { name: 'permissions', value: 'a,b|all', help: 'What it may read, such as products:read,invoices:read; or all.' },
  { name: 'stores', value: '1,2|none|all', help: 'Limits it to these stores, or to none; all takes the limit away.' },
  { name: 'price-list', value: 'P|all', help: 'Limits it to one price list; all takes the limit away.' },
  { name: 'rate', value: 'R', help: 'Requests it may make a minute (a new key: 60).' },
]

export const keyInput = (options: Readonly<Record<string, string>>): KeyInput => ({
  name: options['name'],
  permissions: options['permissions'],
  stores: options['stores'],
  priceList: options['price-list'],
  rate: options['rate'],
})
