// The statements of docs/connect, for a schema of the test's own.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../process.ts'

export const connectFile = (name: string) => join(repository, 'docs', 'connect', name)
const read = (name: string) => readFileSync(connectFile(name), 'utf8')

// The tables, in a schema of PostgreSQL or without one.
export const caisseTables = (schema = '') => read('caisse.sql').replaceAll(' caisse.', schema ? ` ${schema}.` : ' ')

export const caisseViews = (tables: string, views: string, reader: string) =>
  read('views-postgres.sql')
    .replaceAll(' caisse.', ` ${tables}.`)
    .replaceAll('vitrine_views', views)
    .replaceAll('vitrine_reader', reader)
