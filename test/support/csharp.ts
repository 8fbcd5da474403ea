// Runs a program in C# with Debian's Mono. Its compiler knows C# 7: what a newer one adds by itself (a class around the
// statements, an entry that waits for `async Main`) is added here.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProcess, type Ended, type Settings } from './process.ts'

export const noMono =
  !['/usr/bin/mcs', '/usr/bin/cert-sync', '/usr/lib/mono/4.5/System.Runtime.Serialization.dll'].every(existsSync) &&
  'there is no Mono on this machine: install the packages that .ci/run names'

/** Settings of a service that Mono can trust: it accepts names, no addresses, and no certificate that cannot sign others. */
export function certificateForMono(folder: string): Settings {
  if (noMono) return {}
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost'.split(' ')
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-out', cert, '-keyout', key]
  const made = spawnSync('openssl', [...words, ...names], { encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
  return { VITRINE_TLS_CERT: cert, VITRINE_TLS_KEY: key }
}

const inClass = (usings: string, statements: string) =>
  `${usings}using System.Threading.Tasks;\nstatic class Program { public static async Task Main() {\n${statements}\n} }`
const entry = (name: string) => `static class Entry { static void Main() { ${name}.Main().GetAwaiter().GetResult(); } }`

/** Trusts the certificate of `SSL_CERT_FILE`, for localhost. */
export async function runCSharp(code: string, folder: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const [, usings = '', statements = ''] = /^((?:using [\w.]+;\n)+)([\s\S]*)$/.exec(code) ?? []
  const className = /^public static class (\w+)$/m.exec(code)?.[1]
  writeFileSync(join(folder, 'Sample.cs'), className ? code : inClass(usings, statements))
  writeFileSync(join(folder, 'Entry.cs'), entry(className ?? 'Program'))
  // Mono keeps the certificates it trusts below the user's home.
  const options = { cwd: folder, env: { ...env, HOME: folder } }
  const libraries = ['-r:System.Net.Http.dll', '-r:System.Runtime.Serialization.dll']
  const trust = ['cert-sync', '--user', env['SSL_CERT_FILE'] ?? ''] as const
  for (const [tool, ...words] of [
    ...(existsSync(join(folder, '.config')) ? [] : [trust]),
    ['mcs', ...libraries, '-main:Entry', '-out:sample.exe', 'Sample.cs', 'Entry.cs'],
  ] as const) {
    const { status, stdout, stderr } = await startProcess(tool, words, options).ended
    assert.equal(status, 0, stdout + stderr)
  }
  return startProcess('mono', ['sample.exe'], options).ended
}
