// A key in few words: what it may read, from which stores, at which prices, when it was last used.
import { gates, isGate } from '../../../catalogue/access.ts'
import { get, words } from './ask.ts'
import type { Choices, Key, ListedKey, Named } from '../answers.ts'
import { counted, day, fill, listed, moment, t } from './language.ts'
import { permissionName } from './parts.tsx'

export const keyAddress = (id: string): string => `#keys/${encodeURIComponent(id)}`

export const opens = ({ permissions }: Pick<Key, 'permissions'>): string[] =>
  permissions.filter((name) => !isGate(name))

export function readsShort(key: Key): string {
  const own = opens(key)
  const isAll = own.length === words().permissions.length - gates.length
  const kinds = isAll ? t.keys.everything : own.length === 1 ? readsLong(own) : counted(t.keys.kinds, own.length)
  return listed([kinds, ...key.permissions.filter(isGate).map((name) => permissionName(name).toLowerCase())])
}

export const readsLong = (names: readonly string[]): string => listed(names.map(permissionName))

export const storesShort = ({ stores }: Pick<Key, 'stores'>): string => {
  if (stores === null) return t.keys.allStores
  return stores.length === 0 ? t.keys.noStore : counted(t.keys.storeCount, stores.length)
}

const nameOfId = (all: readonly Named[], id: number, otherwise: string, { isUnread }: KnownChoices): string => {
  const found = all.find((each) => each.id === id)
  if (isUnread || found) return found?.name || otherwise
  return `${otherwise} (${t.keys.notThere})`
}

export const storesLong = ({ stores }: Pick<Key, 'stores'>, choices: KnownChoices): string =>
  listed((stores ?? []).map((id) => nameOfId(choices.stores, id, fill(t.keys.store, { id: String(id) }), choices))) ||
  storesShort({ stores })

export const pricesLong = ({ price_list: id }: Pick<Key, 'price_list'>, choices: KnownChoices): string =>
  id === null
    ? t.preview.pricesAll
    : fill(t.preview.pricesOne, {
        name: nameOfId(choices.price_lists, id, fill(t.keys.list, { id: String(id) }), choices),
      })

export const lastUse = ({ last_used: at }: Pick<ListedKey, 'last_used'>): string =>
  at === null ? t.page.never : moment(at)

// Noon, so that the day is the same in every time zone.
export const lastDay = (expires: string | null): string =>
  expires === null ? t.key.noLastDay : day(new Date(`${expires}T12:00:00`))

export const addressesLong = (addresses: readonly string[] | null): string => addresses?.join(', ') ?? t.key.anywhere

// Empty if the POS database could not be read.
export interface KnownChoices extends Choices {
  readonly isUnread?: true
}

// A key can be viewed, paused and revoked while the POS database is lost; stores and price lists then have numbers instead of names.
export const readChoices = (): Promise<KnownChoices> =>
  get<KnownChoices>('/api/choices').catch(() => ({ stores: [], price_lists: [], isUnread: true }))

// The beginning of the day in the time zone of the browser.
export const dayBegan = (): string => new Date(new Date().setHours(0, 0, 0, 0)).toISOString()
