// Where a world keeps its data and its state: files of SQLite, or schemas of PostgreSQL when VITRINE_TEST_ENGINE says so. With
// `postgres-views` the data is in the tables of another POS, and the service reads it through views. With `sqlite-copy`, `postgres-copy`
// and `mysql-copy` it is copied from them. Tests that look behind the service, or play the tills or another instance, ask here and run on
// both.
import type { Clock } from '../../src/platform/clock.ts'
import type { Engine, EngineOptions } from '../../src/engine/engine.ts'
import type { State } from '../../src/state/state.ts'
import type { Lacking, Rows } from './pos.ts'

export type EngineName = 'sqlite' | 'postgres'
const [named, views] = (process.env['VITRINE_TEST_ENGINE'] ?? '').split('-')
export const isOverViews = views === 'views'
/** The service reads a copy, made from this engine; the copy is in PostgreSQL if the source is, else in a file. */
export const copiedEngine = views === 'copy' ? (named as 'sqlite' | 'postgres' | 'mysql') : undefined
export const engineUnderTest: EngineName = named === 'postgres' ? 'postgres' : 'sqlite'

export interface Place {
  startEngine(options: EngineOptions): Promise<Engine>
  // The state of the service, of another instance of it, or of the command line.
  startState(clock: Clock): Promise<State>
  openState(clock: Clock): Promise<State>
  // The tills: statements in one transaction, or scripts in turn, each in a transaction, as fast as they go or with a pause after
  // each.
  write(sql: string): Promise<void>
  keepWriting(scripts: readonly string[], pauseMs?: number): { stop(): Promise<void> }
  // Everything the state has stored, as one text in which each byte is a character.
  readState(): Promise<string>
  // Makes the state unavailable until the returned function is called.
  lockState(): Promise<() => Promise<void>>
  remove(): Promise<void>
}

export interface PlaceOptions {
  readonly rows: Rows
  // Without one, lists are found by plain SQL.
  readonly hasJournal: boolean
  readonly lacks?: Lacking
}
