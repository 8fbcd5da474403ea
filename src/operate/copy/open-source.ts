// Opens the source of a copy by its URL. Drivers are loaded only where they are used.
import type { SourceUrl } from '../../settings/types.ts'
import type { SourceOptions, UseSource } from './source.ts'

export async function withSource<Result>(
  url: SourceUrl,
  options: SourceOptions,
  use: UseSource<Result>,
): Promise<Result> {
  switch (url.kind) {
    case 'sqlite':
      return (await import('./source-sqlite.ts')).withSqliteSource(url.path, options, use)
    case 'postgres':
      return (await import('./source-postgres.ts')).withPostgresSource(url, options, use)
    case 'mysql':
      return (await import('./source-mysql.ts')).withMysqlSource(url, options, use)
  }
}
