// The statements of docs/connect, for a schema of the test's own or in the words of another database.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../process.ts'

export const connectFile = (name: string) => join(repository, 'docs', 'connect', name)
const read = (name: string) => readFileSync(connectFile(name), 'utf8')

// The tables, in a schema of PostgreSQL or without one.
export const caisseTables = (schema = '') => read('caisse.sql').replaceAll(' caisse.', schema ? ` ${schema}.` : ' ')

export const caisseViews = (tables: string, views: string, reader: string) =>
  read('views-caisse.sql')
    .replaceAll(' caisse.', ` ${tables}.`)
    .replaceAll('vitrine_views', views)
    .replaceAll('vitrine_reader', reader)

// The guide's table: the words of PostgreSQL, of MariaDB and MySQL, and of SQLite. `x` is any column.
const guide = readFileSync(join(repository, 'docs', 'connect-your-pos.md'), 'utf8')
const words = [...guide.matchAll(/^\| [\w ]+ \| `(.+)` \| `(.+)` \| `(.+)` \|$/gm)]
const x = /\bx\b/g

/** Without the views of archives, which read other views: a relation without a view stays empty. */
export function caisseSelects(dialect: 'postgres' | 'mysql' | 'sqlite', tables = ''): string {
  const selects = read('views-caisse.sql').replaceAll(/CREATE VIEW \w+_archive AS [^;]*;/g, '')
  if (dialect === 'postgres') return selects.replaceAll(' caisse.', ` ${tables}.`)
  return words.reduce((text, [, postgres = '', mysql = '', sqlite = '']) => {
    const [before = '', ...after] = postgres.split(x).map((piece) => RegExp.escape(piece))
    const pattern = new RegExp(String.raw`${before}([\w.]+)${after.join(String.raw`\1`)}`, 'g')
    return text.replaceAll(pattern, (dialect === 'mysql' ? mysql : sqlite).replaceAll(x, '$1'))
  }, selects)
}
