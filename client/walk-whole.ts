// Resources whose records have no `updated_at` are small: they are read whole, and told apart by content.
import type { Position } from './cursor.ts'
import { take } from './take.ts'
import { perPage, type Source } from './source.ts'

export async function* walkWhole<Found>(
  position: Position,
  { list, fetch }: Source<Found>,
): AsyncGenerator<Found[], void> {
  for (let page = 1; ; page++) {
    const { data, meta } = await list({ sort: 'id', per_page: perPage, page })
    yield* take(position, data, fetch)
    if (page >= meta.total_pages) return
  }
}
