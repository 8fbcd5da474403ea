// Values of a key as people type them → values of the state; every mistake is added to `faults`.
import type { Permission } from '../catalogue/access.ts'
import { inPermissionOrder, permissions } from '../catalogue/permissions.ts'
import { readInteger } from '../catalogue/filters/integer.ts'
import { rangeText, readRange } from '../platform/addresses.ts'
import { nearest } from '../terminal/nearest.ts'
import { keyFault, type InputFault } from './faults.ts'

const controlOrDirection = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

// A name needs a visible character, no control characters, and none that change the direction of writing, which would make a list
// misleading.
export const isUnwritable = (name: string): boolean => controlOrDirection.test(name) || !visible.test(name)

export function readPermissions(text: string, faults: InputFault[]): Permission[] {
  if (text === 'all') return [...permissions]
  if (text.trim() === '') {
    faults.push(keyFault('permissions.missing'))
    return []
  }
  const names = text.split(',').map((name) => name.trim())
  for (const name of names.filter((each) => !permissions.includes(each as Permission))) {
    const meant = nearest(name, permissions)
    faults.push(
      meant
        ? keyFault('permissions.mistyped', { given: name, meant })
        : keyFault('permissions.unknown', { given: name, known: permissions.join(', ') }),
    )
  }
  return inPermissionOrder(names)
}

export function readStores(text: string, faults: InputFault[]): number[] | null {
  if (text === 'all') return null
  if (text === 'none') return []
  const stores = text.split(',').map((each) => readInteger(each.trim()))
  const ids = stores.flatMap((each) => ('value' in each && each.value >= 1 ? [each.value] : []))
  if (ids.length < stores.length) faults.push(keyFault('stores.invalid', { given: text }))
  return [...new Set(ids)].toSorted((one, other) => one - other)
}

export function readPriceList(text: string, faults: InputFault[]): number | null {
  if (text === 'all') return null
  const id = readInteger(text)
  if ('value' in id && id.value >= 1) return id.value
  faults.push(keyFault('price_list.invalid', { given: text }))
  return null
}

const mostRanges = 50

export function readAddressList(text: string, faults: InputFault[]): string[] | null {
  if (text.trim() === 'all') return null
  const items = text.split(/[\s,;]+/).filter(Boolean)
  if (items.length === 0) faults.push(keyFault('addresses.missing'))
  const ranges = new Set<string>()
  for (const given of items) {
    const read = readRange(given)
    if ('range' in read) {
      const range = rangeText(read.range)
      if (read.hasHostBits)
        faults.push(keyFault('addresses.host_bits', { given, range, one: given.split('/')[0] ?? '' }))
      ranges.add(range)
    } else if (read.fault.is === 'no address') faults.push(keyFault('addresses.invalid', { given }))
    else faults.push(keyFault('addresses.prefix', { given, most: read.fault.longest }))
  }
  if (ranges.size > mostRanges) faults.push(keyFault('addresses.many', { most: mostRanges }))
  return [...ranges]
}
