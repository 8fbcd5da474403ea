// `vitrine serve` that cannot start: one clear sentence for each thing that is wrong, exit status 2, nothing changed.
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { makePos } from '../support/pos.ts'
import { freePorts, runVitrine, snapshot, temporaryFolder, type Settings } from '../support/process.ts'

const root = temporaryFolder()
const taken = createServer()
let takenPort = ''
before(async () => {
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  takenPort = String((taken.address() as AddressInfo).port)
})
after(() => {
  taken.close()
  rmSync(root, { recursive: true })
})

interface Scenario {
  readonly name: string
  /** What is in the folder, beside a POS database that is as it should be; settings that name it. */
  readonly prepare: (folder: string) => Settings
  /** What the sentences must tell, one each, in any order. */
  readonly says: readonly RegExp[]
}

const names = ['localhost', '127.0.0.1']
const pair = (folder: string, name: string) => {
  const { cert, key } = makeSelfSigned({ names, days: 1, now: new Date() })
  writeFileSync(join(folder, `${name}.cert`), cert)
  writeFileSync(join(folder, `${name}.key`), key)
}
const sqliteFile = (path: string, statements: string) => {
  const database = openSqlite(path)
  database.exec(statements)
  database.close()
}
const drop = (table: string, column: string) => `ALTER TABLE ${table} DROP COLUMN ${column};`
const tls = (cert: string, key: string): Settings => ({ VITRINE_TLS_CERT: cert, VITRINE_TLS_KEY: key })

const scenarios: readonly Scenario[] = [
  {
    name: 'its port is in use',
    prepare: () => ({ VITRINE_PORT: takenPort }),
    says: [/Port \d+ .*in use.*VITRINE_PORT/],
  },
  {
    name: 'its plain port is in use',
    prepare: () => ({ VITRINE_HTTP_PORT: takenPort }),
    says: [/Port \d+ .*in use.*VITRINE_HTTP_PORT/],
  },
  {
    name: 'its address is not of this machine',
    prepare: () => ({ VITRINE_HOST: '192.0.2.1' }),
    says: [/192\.0\.2\.1 .*VITRINE_HOST/],
  },
  {
    name: 'there is neither certificate nor key',
    prepare: () => tls('no.cert', 'no.key'),
    says: [/VITRINE_TLS_CERT.*no\.cert/, /VITRINE_TLS_KEY.*no\.key/],
  },
  {
    name: 'the certificate is a folder',
    prepare: (folder) => {
      pair(folder, 'a')
      mkdirSync(join(folder, 'certs'))
      return tls('certs', 'a.key')
    },
    says: [/VITRINE_TLS_CERT.*certs/],
  },
  {
    name: 'the certificate is none',
    prepare: (folder) => {
      pair(folder, 'a')
      writeFileSync(join(folder, 'text'), 'hello')
      return tls('text', 'a.key')
    },
    says: [/certificate .*text/],
  },
  {
    name: 'the key is none',
    prepare: (folder) => {
      pair(folder, 'a')
      writeFileSync(join(folder, 'text'), 'hello')
      return tls('a.cert', 'text')
    },
    says: [/key .*text/],
  },
  {
    name: 'certificate and key do not fit',
    prepare: (folder) => {
      pair(folder, 'a')
      pair(folder, 'b')
      return tls('a.cert', 'b.key')
    },
    says: [/a\.cert.*b\.key.*(does not belong|do not fit)/],
  },
  {
    name: 'the certificate has no key',
    prepare: (folder) => {
      pair(folder, 'a')
      return { VITRINE_TLS_CERT: 'a.cert' }
    },
    says: [/VITRINE_TLS_CERT.*VITRINE_TLS_KEY.*together/],
  },
  {
    name: 'there is no database',
    prepare: () => ({ VITRINE_DATABASE_URL: 'sqlite:other.db' }),
    says: [/no POS database .*other\.db.*vitrine demo.*VITRINE_DATABASE_URL/],
  },
  {
    name: 'the database is a folder',
    prepare: (folder) => {
      mkdirSync(join(folder, 'other.db'))
      return { VITRINE_DATABASE_URL: 'sqlite:other.db' }
    },
    says: [/The POS database .*other\.db is a folder\. Name the file in it\./],
  },
  {
    name: 'the database is a file of something else',
    prepare: (folder) => {
      writeFileSync(join(folder, 'other.db'), 'This is a letter, not a database. '.repeat(100))
      return { VITRINE_DATABASE_URL: 'sqlite:other.db' }
    },
    says: [/other\.db.*not a database/],
  },
  {
    name: 'the database is an empty file',
    prepare: (folder) => {
      writeFileSync(join(folder, 'other.db'), '')
      return { VITRINE_DATABASE_URL: 'sqlite:other.db' }
    },
    says: [/There is no POS database in .*other\.db/],
  },
  {
    name: 'the database is of another program',
    prepare: (folder) => {
      sqliteFile(join(folder, 'other.db'), 'CREATE TABLE songs (title TEXT)')
      return { VITRINE_DATABASE_URL: 'sqlite:other.db' }
    },
    says: [/There is no POS database in .*other\.db.* If it is a POS with tables of its own, make a copy of it/],
  },
  {
    name: 'the database lacks one relation',
    prepare: (folder) => {
      sqliteFile(join(folder, 'pos.db'), 'DROP TABLE transfer_lines')
      return {}
    },
    says: [/pos\.db lacks .*\btransfer_lines\b(?!.*\btransfers\b)/],
  },
  {
    name: 'the database lacks a column that it needs',
    prepare: (folder) => {
      sqliteFile(join(folder, 'pos.db'), drop('invoices', 'status'))
      return {}
    },
    says: [/pos\.db.*\binvoices lacks .*\bstatus\b/],
  },
  {
    name: 'the database lacks several things',
    prepare: (folder) => {
      const statements = `DROP TABLE invoice_lines; DROP TABLE stores; ${drop('payments', 'status')}`
      sqliteFile(join(folder, 'pos.db'), statements + drop('transfers', 'status'))
      return {}
    },
    says: [/stores, invoice_lines/, /payments lacks .*status/, /transfers lacks .*status/],
  },
  {
    name: 'the state is a database of another program',
    prepare: (folder) => {
      sqliteFile(join(folder, 'songs.db'), 'CREATE TABLE songs (title TEXT)')
      return { VITRINE_STATE_URL: 'sqlite:songs.db' }
    },
    says: [/songs\.db is not a state database.*VITRINE_STATE_URL/],
  },
  {
    name: 'the state is a POS database',
    prepare: (folder) => {
      makePos(join(folder, 'other.db'), {})
      return { VITRINE_STATE_URL: 'sqlite:other.db' }
    },
    says: [/other\.db is not a state database.*VITRINE_STATE_URL/],
  },
  {
    name: 'the state is a file of something else',
    prepare: (folder) => {
      writeFileSync(join(folder, 'letter'), 'This is a letter, not a database. '.repeat(100))
      return { VITRINE_STATE_URL: 'sqlite:letter' }
    },
    says: [/state.*letter/],
  },
  {
    name: 'the state is in a place where no file can be',
    prepare: (folder) => {
      writeFileSync(join(folder, 'letter'), 'no folder')
      return { VITRINE_STATE_URL: 'sqlite:letter/state.db' }
    },
    says: [/state.*letter/],
  },
  {
    name: 'the state is of a newer version',
    prepare: (folder) => {
      sqliteFile(
        join(folder, 'state.db'),
        'CREATE TABLE company (id INT); PRAGMA application_id = 0x56495452; PRAGMA user_version = 1000000',
      )
      return {}
    },
    says: [/state.*state\.db.*newer/],
  },
  {
    name: 'the state is the database',
    prepare: () => ({ VITRINE_STATE_URL: 'sqlite:pos.db' }),
    says: [/VITRINE_STATE_URL and VITRINE_DATABASE_URL .*pos\.db/],
  },
  {
    name: 'the data folder is a file',
    prepare: (folder) => {
      writeFileSync(join(folder, 'letter'), 'no folder')
      return { VITRINE_DATA_DIR: 'letter', VITRINE_DATABASE_URL: 'sqlite:pos.db' }
    },
    says: [/letter/],
  },
  {
    name: 'the data folder is new and there is no database',
    prepare: () => ({ VITRINE_DATA_DIR: 'new' }),
    says: [/no POS database/],
  },
  {
    name: 'several settings are wrong',
    prepare: () => ({
      VITRINE_PORT: 'https',
      VITRINE_HTTP_PORT: '65536',
      VITRINE_TIME_ZONE: 'America/Port-au-Prins',
      VITRINE_LOG_LEVEL: 'loud',
      VITRINE_TRUST_PROXY: '10.0.0.0/33',
      VITRINE_READERS: '0',
      VITRINE_STATEMENT_TIMEOUT_MS: '-1',
      VITRINE_ANONYMOUS_RATE: '1e3',
      VITRINE_STATE_URL: 'mysql://root:hunter2@localhost/state',
      VITRINE_HOST: '',
    }),
    says: [
      /VITRINE_PORT .*https.*0 to 65535/,
      /VITRINE_HTTP_PORT .*65536.*0 to 65535/,
      /VITRINE_TIME_ZONE .*did you mean America\/Port-au-Prince/,
      /VITRINE_LOG_LEVEL .*loud.*debug, info, warn, error/,
      /VITRINE_TRUST_PROXY .*10\.0\.0\.0\/33/,
      /VITRINE_READERS .*1 to/,
      /VITRINE_STATEMENT_TIMEOUT_MS .*-1/,
      /VITRINE_ANONYMOUS_RATE .*1e3/,
      /VITRINE_STATE_URL (?!.*hunter2).*sqlite:PATH/,
      /VITRINE_HOST is empty/,
    ],
  },
  {
    name: 'certificate, database, state and port are wrong at once',
    prepare: (folder) => {
      writeFileSync(join(folder, 'letter'), 'This is a letter, not a database. '.repeat(100))
      return {
        ...tls('no.cert', 'no.key'),
        VITRINE_DATABASE_URL: 'sqlite:no.db',
        VITRINE_STATE_URL: 'sqlite:letter',
        VITRINE_PORT: takenPort,
      }
    },
    says: [/no\.cert/, /no\.key/, /no\.db/, /letter/, /Port \d+ .*in use/],
  },
]

// SQLite itself makes these two beside a database that it reads.
const files = (folder: string) =>
  Object.fromEntries(Object.entries(snapshot(folder)).filter(([path]) => !/^pos\.db-(wal|shm)$/.test(path)))

describe('serve that cannot start', { concurrency: 2 }, () => {
  for (const [at, { name, prepare, says }] of scenarios.entries()) {
    test(`serve: ${name}: a clear sentence for each fault, exit 2, nothing changed`, async () => {
      const folder = join(root, String(at))
      mkdirSync(folder)
      makePos(join(folder, 'pos.db'), {})
      const settings = { VITRINE_DATA_DIR: '.', ...freePorts, ...prepare(folder) }
      const before = files(folder)
      const { status, stdout, stderr } = await runVitrine(['serve', '--json'], settings, folder)
      const lines = stderr.trimEnd().split('\n')
      for (const pattern of says)
        assert.equal(lines.filter((line) => pattern.test(line)).length, 1, `${pattern}: ${stderr}`)
      assert.equal(lines.length, says.length, stderr)
      for (const line of lines) {
        assert.match(line, /^vitrine: \S.*[.?]$/)
        assert.doesNotMatch(line, /\.ts:|\bat \w+ \(|Error:/)
      }
      assert.deepEqual([status, stdout], [2, ''])
      assert.deepEqual(files(folder), before)
    })
  }
})
