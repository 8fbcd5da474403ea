// The options that say what a key may do, shared by `keys create` and `keys update`.
import { systemClock, type Clock } from '../platform/clock.ts'
import { inputFaults, type KeyInput } from '../keys/keys.ts'
import type { Option } from './command.ts'

export const keyOptions: readonly Option[] = [
  { name: 'name', value: 'N', help: 'Who the key is for.' },
  { name: 'permissions', value: 'a,b|all', help: 'What it may read, such as products:read,invoices:read; or all.' },
  { name: 'stores', value: '1,2|none|all', help: 'Limits it to these stores, or to none; all takes the limit away.' },
  { name: 'price-list', value: 'P|all', help: 'Limits it to one price list; all takes the limit away.' },
  { name: 'rate', value: 'R', help: 'Requests it may make a minute (a new key: 60).' },
  {
    name: 'expires',
    value: 'DATE|never',
    help: 'The last day on which it works, such as 2026-12-31, by VITRINE_TIME_ZONE; never takes it away.',
  },
  {
    name: 'addresses',
    value: 'CIDR,…|all',
    help: 'Limits it to callers from these addresses or ranges, such as 203.0.113.7,198.51.100.0/24; all takes the limit away.',
  },
]

export const keyInput = (
  options: Readonly<Record<string, string>>,
  { settings, clock }: { readonly settings: { readonly timeZone: string }; readonly clock: Clock },
): KeyInput => ({
  name: options['name'],
  permissions: options['permissions'],
  stores: options['stores'],
  priceList: options['price-list'],
  rate: options['rate'],
  expires:
    options['expires'] === undefined
      ? undefined
      : { text: options['expires'], timeZone: settings.timeZone, now: clock.now() },
  addresses: options['addresses'],
})

// What is wrong with the words, whatever the settings: a day is over when it is so in the last zone of the world.
export const keyOptionFaults = (options: Readonly<Record<string, string>>): string[] =>
  inputFaults(keyInput(options, { settings: { timeZone: 'Etc/GMT+12' }, clock: systemClock }))
