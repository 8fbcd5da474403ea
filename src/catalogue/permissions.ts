// Every permission, with its words and the ready-made choices for a key. Derived from the resources.
import { gates, isGate, presetNames, type Group, type Permission, type Preset } from './access.ts'
import type { Words } from './resource.ts'
import { resources } from './resources/index.ts'

// In the order of the specification's table, which is also the order in a granted scope.
export const permissions: readonly Permission[] = [
  ...new Set([...resources.map(({ permission }) => permission), ...gates]),
]

export function inPermissionOrder(names: Iterable<string>): Permission[] {
  const wanted = new Set(names)
  return permissions.filter((permission) => wanted.has(permission))
}

// How people know a permission. A gate has a place of its own in the form of a key.
interface PermissionWords {
  readonly names: Words
  readonly group?: Group
  readonly holds?: Words
}

const shared: Readonly<Partial<Record<Permission, PermissionWords>>> = {
  'reference:read': {
    names: { en: 'Lists', fr: 'Listes', ht: 'Lis' },
    group: 'goods',
    holds: {
      en: 'Stores, departments, price lists, customer types',
      fr: 'Magasins, départements, listes de prix, types de clients',
      ht: 'Magazen, depatman, lis pri, kalite kliyan',
    },
  },
  'costs:read': { names: { en: 'Costs', fr: 'Coûts', ht: 'Koutan' } },
  'customers:financial': { names: { en: 'Balances', fr: 'Soldes', ht: 'Balans' } },
}

export const permissionWords = permissions.flatMap((name) => {
  const own = shared[name] ?? resources.find(({ permission }) => permission === name)
  return own ? [{ name, names: own.names, group: own.group, holds: own.holds }] : []
})

const isIn = (preset: Preset, permission: Permission) =>
  permission === 'reference:read' ||
  (preset === 'accountant' && isGate(permission)) ||
  resources.some((resource) => resource.permission === permission && resource.presets?.includes(preset))

// Each has `reference:read`, which names stores, departments and price lists. Only an accountant sees costs and balances.
export const presets = presetNames.map((id) => ({ id, permissions: permissions.filter((each) => isIn(id, each)) }))
