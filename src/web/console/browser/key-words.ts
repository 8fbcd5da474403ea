// A key in few words: what it may read, from which stores, at which prices, when it was last used.
import { get } from './ask.ts'
import type { Choices, Key, ListedKey, Named } from './data.ts'
import { day, listed, moment, number, t } from './language.ts'
import { permissionName } from './parts.tsx'

export const additions = ['costs:read', 'customers:financial']

export const opens = ({ permissions }: Pick<Key, 'permissions'>): string[] =>
  permissions.filter((name) => !additions.includes(name))

const allKinds = () => Object.keys(t.permissions).length - additions.length

export function readsShort(key: Key): string {
  const own = opens(key)
  const kinds =
    own.length === allKinds()
      ? t.keys.everything
      : own.length === 1
        ? permissionName(own[0] ?? '')
        : t.keys.kinds(own.length, number(own.length))
  const more = [
    ...(key.permissions.includes('costs:read') ? [t.keys.withCosts] : []),
    ...(key.permissions.includes('customers:financial') ? [t.keys.withBalances] : []),
  ]
  return listed([kinds, ...more])
}

export const readsLong = (names: readonly string[]): string => listed(names.map(permissionName))

export const storesShort = ({ stores }: Pick<Key, 'stores'>): string =>
  stores === null
    ? t.keys.allStores
    : stores.length === 0
      ? t.keys.noStore
      : t.keys.storeCount(stores.length, number(stores.length))

const nameIn = (all: readonly Named[], id: number, otherwise: string, isUnread = false): string => {
  const found = all.find((each) => each.id === id)
  if (isUnread) return otherwise
  return found ? found.name || otherwise : `${otherwise} (${t.keys.notThere})`
}

export const storesLong = ({ stores }: Pick<Key, 'stores'>, choices: Choices): string =>
  stores === null || stores.length === 0
    ? storesShort({ stores })
    : listed(stores.map((id) => nameIn(choices.stores, id, t.keys.store(String(id)), choices.isUnread)))

const priceListName = (id: number, choices: Choices): string =>
  nameIn(choices.price_lists, id, t.keys.list(String(id)), choices.isUnread)

export const pricesLong = ({ price_list: id }: Pick<Key, 'price_list'>, choices: Choices): string =>
  id === null ? t.look.pricesAll : t.look.pricesOne(priceListName(id, choices))

export const lastUse = ({ last_used: at }: Pick<ListedKey, 'last_used'>): string =>
  at === null ? t.page.never : moment(at)

// Includes the caller's address.
export const lastUseFrom = (key: Pick<ListedKey, 'last_used' | 'last_address'>): string =>
  key.last_address === null ? lastUse(key) : `${lastUse(key)}, ${t.keys.from(key.last_address)}`

// Noon, so that the day is the same in every time zone.
export const dayOf = (text: string): string => day(new Date(`${text}T12:00:00`))
export const lastDay = ({ expires }: Pick<Key, 'expires'>): string =>
  expires === null ? t.key.noLastDay : dayOf(expires)

export const addressesLong = ({ addresses }: Pick<Key, 'addresses'>): string =>
  addresses === null ? t.key.anywhere : addresses.join(', ')

// A key can be viewed, paused and revoked while the POS database is lost; stores and price lists then have numbers instead of names.
export const readChoices = (): Promise<Choices> =>
  get<Choices>('/api/choices').catch(() => ({ stores: [], price_lists: [], isUnread: true }))

// The beginning of the day in the time zone of the browser.
export function dayBegan(): string {
  const now = new Date()
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).toISOString()
}
