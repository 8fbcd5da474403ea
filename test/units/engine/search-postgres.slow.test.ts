// Search on PostgreSQL finds the same whatever the locale of the database, in columns and by plain SQL: what a regular expression
// of JavaScript finds. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { startEngine } from '../../../src/engine/open.ts'
import { createLog } from '../../../src/platform/log.ts'
import { connectPostgres } from '../../../src/platform/postgres/connection.ts'
import { planList } from '../../../src/query/plan-list.ts'
import type { PostgresUrl } from '../../../src/platform/postgres/url.ts'
import { caseForms } from '../../../src/sql/case-forms.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { makePostgresPos, urlOf } from '../../support/place-postgres.ts'
import { newSchema } from '../../support/postgres.ts'
import { searchScenarios } from '../../support/search-scenarios.ts'
import { untilLoaded } from '../../support/until-loaded.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

// What makes letters small: ASCII alone, Unicode's simple or full rules, or those of a language.
const locales = {
  C: { words: `LOCALE_PROVIDER libc LOCALE 'C'`, since: 15 },
  'C.UTF-8': { words: `LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'`, since: 17 },
  PG_UNICODE_FAST: { words: `LOCALE_PROVIDER builtin BUILTIN_LOCALE 'PG_UNICODE_FAST' LOCALE 'C'`, since: 18 },
  English: { words: `LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`, since: 15 },
  Turkish: { words: `LOCALE_PROVIDER icu ICU_LOCALE 'tr-TR' LOCALE 'C'`, since: 15 },
  Lithuanian: { words: `LOCALE_PROVIDER icu ICU_LOCALE 'lt-LT' LOCALE 'C'`, since: 15 },
}

// Texts full of letters that languages make small in their own ways.
const letters = [
  ...'aeiIİıjJĮįÌìkK\u212asSſßẞåÅ\u212bΣσςωΩ\u2126ÉéǅǆǄ',
  '\u0307',
  '\u0345',
  '\u0301',
  'ﬁ',
  '𐐀',
  '𐐨',
  ' ',
]
const odd = fc.string({ unit: fc.constantFrom(...letters), minLength: 3, maxLength: 9 })
// Texts in which İ stands behind letters that locales fold in different ways.
const missable = ['aΣI-İ', 'ıſΣsbİ', 'iI aſİ', 'ΣſIIİ', 'bis.İ', 'ΣſıI-İiaK', 'kςa \u0307İ']
const stored = [
  ...searchScenarios.map((scenario) => scenario.stored),
  ...missable,
  ...fc.sample(odd, { seed, numRuns: 99 - searchScenarios.length - missable.length }),
]
// Parts of them, some letters in another form.
const part = fc
  .tuple(fc.constantFrom(...stored), fc.nat(), fc.integer({ min: 2, max: 6 }), fc.array(fc.nat(), { minLength: 6 }))
  .map(([text, start, length, choices]) => {
    const characters = [...text]
    const from = start % Math.max(1, characters.length - 1)
    const chosen = characters.slice(from, from + length).map((each, at) => {
      const forms = [...caseForms(each)]
      return forms[(choices[at] ?? 0) % forms.length] ?? each
    })
    return chosen.join('')
  })
const words = [
  ...new Set([
    ...searchScenarios.flatMap(({ found, missed }) => [...found, ...missed]),
    ...missable.map((text) => text.slice(1)),
    ...fc.sample(part, { seed, numRuns: 100 }),
  ]),
]

const vendors = findResource('vendors')

async function searchAll(url: PostgresUrl, way: 'columns' | 'plain'): Promise<number[][]> {
  const log = createLog('error', () => {}, systemClock)
  const memory = way === 'plain' ? { indexMemoryBytes: 0 } : {}
  const engine = await startEngine(url, { readers: 2, statementTimeoutMs: 30_000, log, ...memory })
  try {
    await untilLoaded(engine)
    return await Promise.all(
      words.map(async (word) => {
        assert(vendors)
        const query = `per_page=100&sort=id&search=${encodeURIComponent(word)}`
        const planned = planList(vendors, query, { permissions, stores: null, priceList: null })
        assert('plan' in planned, JSON.stringify(planned))
        const { body } = await engine.list(planned.plan)
        const { data, meta } = JSON.parse(Buffer.from(body).toString()) as {
          data: { id: number }[]
          meta: { total: number }
        }
        assert.equal(meta.total, data.length, `${word}, seed ${seed}`)
        return data.map(({ id }) => id)
      }),
    )
  } finally {
    await engine.close()
  }
}

// A database of its own, because its locale is the database's.
async function makeDatabase(context: TestContext, locale: string): Promise<PostgresUrl> {
  const shared = await urlOf('pos')
  const database = newSchema('locale')
  const admin = await connectPostgres(shared, { timeoutMs: 30_000, setUp: 'SET statement_timeout = 0' })
  await admin.script(`CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8' ${locale}`)
  context.after(async () => {
    await admin.script(`DROP DATABASE ${database} WITH (FORCE)`)
    await admin.close()
  })
  return { ...shared, database }
}

for (const [name, { words: locale, since }] of Object.entries(locales)) {
  test(`the same is found in a database with the locale ${name}, in columns and by plain SQL`, async (context) => {
    const shared = await urlOf('pos')
    const look = await connectPostgres(shared, { timeoutMs: 30_000, setUp: 'SET statement_timeout = 0' })
    const [[version] = []] = await look.rows(`SELECT current_setting('server_version_num')::int / 10000`)
    await look.close()
    if (Number(version) < since) return context.skip(`PostgreSQL ${String(version)} has no such locale`)
    const url = await makeDatabase(context, locale)
    const owner = await connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${url.schema}, public` })
    try {
      const rows = stored.map((text, at) => ({ id: at + 1, name: text }))
      await makePostgresPos(owner, url.schema, { vendors: rows }, schemaStatements(postgresSchema))
      const expected = words.map((word) => {
        const pattern = new RegExp(RegExp.escape(word), 'iu')
        return rows.filter((row) => pattern.test(row.name)).map(({ id }) => id)
      })
      const differences = (found: readonly number[][]) =>
        words.flatMap((word, at) =>
          JSON.stringify(found[at]) === JSON.stringify(expected[at])
            ? []
            : [
                {
                  word,
                  found: found[at]?.map((id) => stored[id - 1]),
                  expected: expected[at]?.map((id) => stored[id - 1]),
                },
              ],
        )
      for (const way of ['columns', 'plain'] as const)
        assert.deepEqual(differences(await searchAll(url, way)), [], `${way}, seed ${seed}`)
    } finally {
      await owner.close()
    }
  })
}
