// The client as an integrator has it: built, packed, and installed into an empty folder, without the network.
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnvironment, repository, startProcess, temporaryFolder, type Settings } from '../support/process.ts'

const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc')

export async function run(
  file: string,
  words: readonly string[],
  cwd: string,
  settings: Settings = {},
): Promise<string> {
  // What is in a folder for once is not worth keeping compiled.
  const kept = cwd === repository ? {} : { NODE_COMPILE_CACHE: '' }
  const ended = await startProcess(file, words, { cwd, env: cleanEnvironment({ ...kept, ...settings }) }).ended
  assert.equal(ended.status, 0, `${file} ${words.join(' ')}: ${ended.stdout}${ended.stderr}`)
  return ended.stdout
}

export async function installClient() {
  const folder = temporaryFolder('vitrine-client-')
  const [built, app] = [join(folder, 'built'), join(folder, 'app')]
  mkdirSync(built)
  mkdirSync(app)
  for (const name of ['package.json', 'README.md']) copyFileSync(join(repository, 'client', name), join(built, name))
  for (const project of ['client', 'client/pull'])
    await run(
      process.execPath,
      [compiler, '-p', join(repository, project), '--outDir', join(built, 'dist')],
      repository,
    )
  const packed = await run('npm', ['pack', '--json', '--offline', '--pack-destination', folder], built)
  const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }]
  writeFileSync(join(app, 'package.json'), '{"name":"shop","private":true,"type":"module"}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], app)
  return {
    app,
    files: files.map(({ path }) => path),
    installed: join(app, 'node_modules', 'vitrine-client'),
    write: (name: string, text: string) => writeFileSync(join(app, name), text),
    run: (file: string, words: readonly string[], settings?: Settings) => run(file, words, app, settings),
    compile: (...words: string[]) => startProcess(process.execPath, [compiler, ...words], { cwd: app }).ended,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export type Installed = Awaited<ReturnType<typeof installClient>>
