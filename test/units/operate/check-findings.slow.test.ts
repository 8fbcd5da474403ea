// `vitrine check` finds each fault, on each engine that can have it, and nothing in a sound company.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Clock } from '../../../src/platform/clock.ts'
import { parsePostgresUrl } from '../../../src/platform/postgres/url.ts'
import type { DatabaseUrl } from '../../../src/settings/types.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaStatements, tableStatements } from '../../../src/sql/schema.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { checkDatabase, type Report } from '../../../src/operate/check/check.ts'
import {
  findingCodes,
  findingKinds,
  severityOf,
  type Engines,
  type Finding,
} from '../../../src/operate/check/finding.ts'
import { demoPlace } from '../../../demo/load-sqlite.ts'
import { faults, noon, soundRows, worlds, type Fault, type World } from '../../support/check-worlds.ts'
import { dropDatabases, makeDatabase, type Database } from '../../support/database.ts'
import { connectTo } from '../../support/own-company.ts'
import { makePostgresPos } from '../../support/place-postgres.ts'
import type { EngineName } from '../../support/place.ts'
import { makePos } from '../../support/pos.ts'
import { temporaryFolder } from '../../support/process.ts'

const folder = temporaryFolder()
let database: Database
before(async () => {
  database = await makeDatabase()
})
after(async () => {
  await dropDatabases()
  rmSync(folder, { recursive: true, force: true })
})

const statements = ({ isBare }: World) => (isBare ? tableStatements : schemaStatements)

function makeFile(name: string, world: World): DatabaseUrl {
  const path = join(folder, `${name}.db`)
  makePos(path, {}, statements(world)(sqliteSchema))
  makePos(path, soundRows, [])
  const sqlite = openSqlite(path)
  sqlite.exec(`${world.breaks?.both ?? ''}; ${world.breaks?.sqlite ?? ''}`)
  sqlite.close()
  return { kind: 'sqlite', path }
}

function parse(url: string): DatabaseUrl {
  const parsed = parsePostgresUrl(url, 'public', '/')
  assert.ok('value' in parsed, JSON.stringify(parsed))
  return parsed.value
}

async function makeSchemaOf(name: string, world: World): Promise<DatabaseUrl> {
  const url = database.at(name)
  const connection = await connectTo(url)
  try {
    await makePostgresPos(connection, name, soundRows, statements(world)(postgresSchema))
    await connection.script(`${world.breaks?.both ?? ''}; ${world.breaks?.postgres ?? ''}`)
    if (!world.grants) return parse(url)
    const role = await database.makeRole()
    await connection.script(`GRANT USAGE ON SCHEMA ${name} TO ${role.name};
      GRANT SELECT ON ALL TABLES IN SCHEMA ${name} TO ${role.name};
      ${world.grants(role.name).replaceAll(':schema', name)}`)
    return parse(database.at(name, role))
  } finally {
    await connection.close()
  }
}

const isOn = (engine: EngineName, { code, engines }: Fault) => {
  const on: Engines = engines ?? findingKinds[code].engines
  return on === 'both' || on === engine
}

const make = (engine: EngineName, name: string, as: string): DatabaseUrl | Promise<DatabaseUrl> => {
  const world = worlds[name]
  if (world) return engine === 'sqlite' ? makeFile(as, world) : makeSchemaOf(as, world)
  return engine === 'sqlite' ? { kind: 'sqlite', path: join(folder, 'nothing.db') } : parse(database.at('nothing'))
}

const atNoon: Clock = { now: () => noon }

const checkWorld = async (engine: EngineName, name: string, as = name): Promise<Report> => {
  const { scope = 'all', timeoutMs, timeZone = 'UTC', exposures = [] } = worlds[name] ?? {}
  const settings = {
    databaseUrl: await make(engine, name, as),
    timeZone,
    currencies: ['USD', 'HTG'],
    statementTimeoutMs: 5000,
  }
  return checkDatabase({ settings, exposures, clock: atNoon, scope, timeoutMs })
}

function isIt(finding: Finding, { code, relation, column }: Fault): boolean {
  return (
    finding.code === code &&
    (relation === undefined || finding.relation === relation) &&
    (column === undefined || finding.column === column)
  )
}

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`the doctor on ${engine}`, () => {
    const own = faults.filter((fault) => isOn(engine, fault))
    for (const name of new Set(own.map(({ world }) => world)))
      describe(`the world "${name}"`, () => {
        let report: Report
        before(async () => {
          report = await checkWorld(engine, name)
        })
        for (const fault of own.filter(({ world }) => world === name)) {
          const place = [fault.relation, fault.column].filter(Boolean).join('.')
          test(`${fault.code} ${place}`.trim(), () => {
            const found = report.findings.filter((finding) => isIt(finding, fault))
            assert.equal(found.length, 1, report.findings.map(told).join('\n'))
            const [{ count, examples, message, remedy, statements: pasted = [] } = {} as Finding] = found
            if (fault.count !== undefined) assert.equal(count, fault.count)
            if (fault.examples) assert.deepEqual(examples, fault.examples)
            if (fault.says) assert.match(message, fault.says)
            if (fault.remedy)
              assert.ok(
                [remedy, ...pasted].some((each) => fault.remedy?.test(each)),
                [remedy, ...pasted].join('\n'),
              )
            assert.match(message, /^[A-Z0-9].*\.$/s)
            assert.ok(remedy.length > 0)
            // In views of a copy from MySQL, a column in double quotes would be a text.
            assert.doesNotMatch(remedy, /\bview\b.*"[a-z_]+"/)
          })
        }

        test('no statement that is ready to be pasted takes anything away from anybody', () => {
          const pasted = report.findings.flatMap(({ statements: each = [] }) => each)
          assert.deepEqual(
            pasted.filter((each) => /\bREVOKE\b|PASSWORD/.test(each)),
            [],
          )
        })

        test('whatever fails or warns was put there', () => {
          const surprising = report.findings
            .filter(
              (finding) =>
                severityOf(finding) !== 'notes' && !own.some((fault) => fault.world === name && isIt(finding, fault)),
            )
            .map(told)
          assert.deepEqual(
            surprising.filter((each) => !follows(name, each)),
            [],
          )
        })
      })

    test('of a sound company nothing is noted but where it is, and how far its journal reaches', async () => {
      const { findings } = await checkWorld(engine, 'sound', `${engine}_again`)
      const notes = findings.filter((finding) => severityOf(finding) === 'notes')
      const always = ['journal_reach', 'time_zone']
      assert.deepEqual(notes.map(told).toSorted(), engine === 'sqlite' ? ['file_writable', ...always] : always)
    })

    test('a demo company that a role reads which may do nothing else: nothing fails, nothing warns', async () => {
      const place: DatabaseUrl =
        engine === 'sqlite' ? { kind: 'sqlite', path: join(folder, 'demo.db') } : parse(database.at('demo'))
      await (await demoPlace(place)).load({ scale: 0.02, seed: 1 })
      // The demo company is of that time, whenever the test runs.
      const clock = { now: () => Math.max(Date.now(), noon) }
      const databaseUrl = engine === 'sqlite' ? place : await readerOf('demo')
      const { findings } = await checkDatabase({
        settings: { databaseUrl, timeZone: 'UTC', currencies: ['USD', 'HTG'], statementTimeoutMs: 5000 },
        clock,
      })
      const told = findings.filter(
        (finding) => severityOf(finding) !== 'notes' && !(finding.code === 'clocks_apart' && Date.now() < noon),
      )
      assert.deepEqual(told, [])
    })
  })

const rightsOf = async (name: string, world: World) => {
  const databaseUrl = await makeSchemaOf(name, world)
  const settings = { databaseUrl, timeZone: 'UTC', currencies: ['USD', 'HTG'], statementTimeoutMs: 5000 }
  const { findings } = await checkDatabase({ settings, clock: atNoon, scope: 'quick' })
  return findings.filter(({ code }) => ['may_write', 'may_create', 'superuser'].includes(code))
}
const mayWrite = (role: string) => `GRANT INSERT ON invoices TO ${role}; GRANT CREATE ON SCHEMA :schema TO ${role}`

test('the role of a copy writes it, but is no superuser', async () => {
  const marks = { postgres: 'CREATE TABLE vitrine_copy_marks (name text PRIMARY KEY, value text NOT NULL)' }
  assert.deepEqual(
    (await rightsOf('no_copy', { grants: mayWrite })).map(({ code }) => code),
    ['may_write', 'may_create'],
  )
  assert.deepEqual(await rightsOf('a_copy', { breaks: marks, grants: mayWrite }), [])
  const [superuser, ...others] = await rightsOf('a_copy_of_root', { breaks: marks })
  assert.match(superuser?.remedy ?? '', /^Make a role that owns the schema a_copy_of_root,/)
  assert.deepEqual([superuser?.statements, others], [undefined, []])
})

test('on PostgreSQL what is offered can be pasted into a fresh session, whatever the schema is called', async () => {
  const world: World = {
    isBare: true,
    breaks: {
      both: 'DROP TABLE adjustment_lines; ALTER TABLE vendors DROP COLUMN phone; ALTER TABLE quotes DROP COLUMN status;',
    },
  }
  const databaseUrl = await makeSchemaOf('to_be_pasted', world)
  const made = ['relation_missing', 'column_missing', 'column_not_recorded']
  const find = async () => {
    const settings = { databaseUrl, timeZone: 'UTC', currencies: ['USD', 'HTG'], statementTimeoutMs: 5000 }
    const { findings } = await checkDatabase({ settings, clock: atNoon, scope: 'quick' })
    return findings.filter(({ code }) => made.includes(code))
  }
  const first = await find()
  assert.deepEqual([...new Set(first.map(({ code }) => code))].toSorted(), made.toSorted())
  const pasteThenFind = async (findings: readonly Finding[]) => {
    for (const { statements: pasted = [] } of findings) {
      const session = await database.connect()
      for (const each of pasted) await session.query(each)
      await session.end()
    }
    return find()
  }
  assert.deepEqual(await pasteThenFind(first), [])
})

test('currencies are those that the setting names', async () => {
  const databaseUrl = makeFile('currencies', { breaks: { both: `UPDATE vendors SET currency = 'EUR'` } })
  const unknown = async (currencies: string[]) => {
    const settings = { databaseUrl, timeZone: 'UTC', currencies, statementTimeoutMs: 5000 }
    const { findings } = await checkDatabase({ settings, clock: atNoon })
    return findings.filter(({ code }) => code === 'unknown_currency')
  }
  const [euros, ...none] = await unknown(['USD', 'HTG'])
  assert.deepEqual(none, [])
  assert.equal(euros?.relation, 'vendors')
  assert.match(euros.message, /another currency than USD or HTG: EUR \(1\)/)
  assert.match(euros.remedy, /name it in VITRINE_CURRENCIES/)
  assert.deepEqual(await unknown(['EUR', 'USD', 'HTG']), [])
  assert.equal(
    (await unknown(['EUR'])).some(({ relation }) => relation === 'vendors'),
    false,
  )
})

test('a database that has nothing of ours: told how to begin, on both engines', async () => {
  const path = join(folder, 'foreign.db')
  const sqlite = openSqlite(path)
  sqlite.exec('CREATE TABLE ventes (numero INTEGER)')
  sqlite.close()
  await database.query('CREATE SCHEMA of_others')
  await database.query('CREATE TABLE of_others.ventes (numero int)')
  for (const databaseUrl of [{ kind: 'sqlite' as const, path }, parse(database.at('of_others'))]) {
    const settings = { databaseUrl, timeZone: 'UTC', currencies: ['USD', 'HTG'], statementTimeoutMs: 5000 }
    const { findings } = await checkDatabase({ settings, clock: atNoon })
    assert.deepEqual(findings.map(told), ['cannot_open'])
    assert.match(findings[0]?.remedy ?? '', /"vitrine views print"/)
  }
})

const told = ({ code, relation, column }: Finding) => [code, relation, column].filter(Boolean).join(' ')

// Findings that follow from a listed fault, and are right.
function follows(world: string, finding: string): boolean {
  const always = /^(superuser|clocks_apart)$/
  const more: Readonly<Record<string, RegExp>> = {
    rows: /^mostly_dangling products department_id$/,
    loose: /^(journal_missing|column_type sub_departments code)/,
    views: /^journal_missing/,
    refusing: /^journal_missing/,
    refusing_late: /^journal_missing/,
    slow: /^journal_missing/,
  }
  return always.test(finding) || more[world]?.test(finding) === true
}

async function readerOf(schema: string): Promise<DatabaseUrl> {
  const role = await database.makeRole()
  await database.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role.name}`)
  await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role.name}`)
  return parse(database.at(schema, role))
}

test('every kind of finding has a world in which it is found, on every engine of its own', () => {
  // Needs a server of its own: test/units/engine/feed-hold-postgres.test.ts.
  const others = findingCodes.filter((code) => code !== 'feed_held_back')
  const missing = others.flatMap((code) =>
    (['sqlite', 'postgres'] as const)
      .filter((engine) => findingKinds[code].engines === 'both' || findingKinds[code].engines === engine)
      .filter((engine) => !faults.some((fault) => fault.code === code && isOn(engine, fault)))
      .map((engine) => `${code} on ${engine}`),
  )
  assert.deepEqual(missing, [])
})
