// What an administrator may have mistyped in a key: stores or a price list that the POS database does not know, or
// permissions that open nothing by themselves. Only remarks: the database may be filled later.
import { gates, permissions, type Gate } from '../catalogue/access.ts'
import { createLog } from '../platform/log.ts'
import type { Key } from '../state/state.ts'
import type { Context } from './runnable.ts'

export async function remarkOnKey({ settings, output }: Context, key: Key): Promise<void> {
  if (key.permissions.every((permission) => gates.includes(permission as Gate)))
    output.remark('These permissions open no resource by themselves: they add fields to others.')
  const wanted = [
    ...(key.stores ?? []).map((id) => ({ resource: 'stores', what: 'store', id })),
    ...(key.priceList === null ? [] : [{ resource: 'price-lists', what: 'price list', id: key.priceList }]),
  ]
  if (wanted.length === 0) return
  const [{ databaseProblems, startEngine }, { findResource }, { planDetail }] = await Promise.all([
    import('../engine/open.ts'),
    import('../catalogue/resources/index.ts'),
    import('../query/plan-detail.ts'),
  ])
  if ((await databaseProblems(settings.databaseUrl)).length > 0) return
  const log = createLog('silent', () => {})
  const { databaseUrl, statementTimeoutMs } = settings
  const engine = await startEngine(databaseUrl, { readers: 1, statementTimeoutMs, log })
  try {
    for (const { resource: name, what, id } of wanted) {
      const resource = findResource(name)
      const planned = resource && planDetail(resource, String(id), '', { permissions, stores: null, priceList: null })
      if (planned && 'plan' in planned && (await engine.detail(planned.plan)) === null)
        output.remark(`There is no ${what} ${id} in the POS database.`)
    }
  } catch {
    // The key is made; that the POS database does not answer now is no concern of it.
  } finally {
    await engine.close()
  }
}
