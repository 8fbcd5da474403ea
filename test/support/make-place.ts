// A place for the data and the state of a world, on the engine under test.
import { copiedEngine, engineUnderTest, isOverViews, type Place, type PlaceOptions } from './place.ts'

export async function makePlace(options: PlaceOptions, engine = engineUnderTest): Promise<Place> {
  if (copiedEngine !== undefined) return (await import('./caisse/place-copy.ts')).makeCopyPlace(options)
  if (isOverViews) return (await import('./caisse/place-postgres.ts')).makePostgresViewsPlace(options)
  if (engine === 'sqlite') return (await import('./place-sqlite.ts')).makeSqlitePlace(options)
  return (await import('./place-postgres.ts')).makePostgresPlace(options)
}
