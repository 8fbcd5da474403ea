// The plain way to find a page: COUNT, ORDER BY and OFFSET. It serves whatever the columns cannot.
import type { Resource } from '../catalogue/resource.ts'
import type { ListPlan } from '../query/plan.ts'
import type { Id } from '../sql/arrays.ts'
import type { Dialect } from '../sql/dialect.ts'
import { pageStatement, totalStatement } from '../sql/records.ts'
import type { Page } from './finder.ts'
import type { Snapshot } from './snapshot.ts'

export async function findPlainly(
  dialect: Dialect,
  resource: Resource,
  plan: ListPlan,
  snapshot: Pick<Snapshot, 'rows'>,
): Promise<Page> {
  // Asked together: where the database is another process, that is one round trip.
  const [[count], rows] = await Promise.all([
    snapshot.rows(totalStatement(dialect, resource, plan)),
    snapshot.rows(pageStatement(dialect, resource, plan)),
  ])
  return { total: Number(count?.[0] ?? 0), ids: rows.map(([id]) => id as Id) }
}
