// The keys of the demo company: one for each kind of restriction, so that a newcomer can see what each does.
import { createKey, type KeyInput, type NewKey } from '../keys/keys.ts'
import type { State } from '../state/state.ts'
import { refuseFaults } from './runnable.ts'

const inputs: readonly (KeyInput & { readonly name: string })[] = [
  { name: 'Demo: everything', permissions: 'all', rate: '600' },
  { name: 'Demo: web shop, one price list', permissions: 'products:read,reference:read', priceList: '2' },
  {
    name: 'Demo: ledger, with balances, without costs',
    permissions:
      'customers:read,invoices:read,credit-memos:read,payments:read,receivings:read,reference:read,customers:financial',
  },
  { name: 'Demo: two stores, with costs', permissions: 'all', stores: '1,2' },
  { name: 'Demo: no store at all', permissions: 'all', stores: 'none' },
]

export async function makeDemoKeys(state: State): Promise<NewKey[]> {
  const made: NewKey[] = []
  for (const input of inputs) made.push(refuseFaults(await createKey(state, input)))
  return made
}
