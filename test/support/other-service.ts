// A server that answers in the place of Vitrine, over TLS, with what a test has it say; and `vitrine pull` against it.
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { cleanEnvironment, program, startProcess, temporaryFolder, type Ended } from './process.ts'

interface Said {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}
/** A path below /api/v1, without its query → what is said; undefined: what any service says. */
type Say = (path: string) => Said | undefined

const names = ['localhost', '127.0.0.1']

export async function startOtherService(say: Say) {
  const folder = temporaryFolder('vitrine-other-')
  const { cert, key } = makeSelfSigned({ names, days: 1, now: new Date() })
  const certificate = join(folder, 'cert.pem')
  writeFileSync(certificate, cert)
  const asked: string[] = []
  const server = createServer({ cert, key }, (request, response) => {
    const path = (request.url ?? '').replace('/api/v1', '').replace(/\?.*$/, '')
    asked.push(path)
    const { status = 200, headers = {}, body } = say(path) ?? usual(path)
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://localhost:${(server.address() as AddressInfo).port}`

  return {
    folder,
    asked,
    /** Runs to its end, in the folder. */
    pull(...words: string[]): Promise<Ended> {
      const env = cleanEnvironment({
        VITRINE_URL: url,
        VITRINE_CLIENT_ID: 'svc_ak_test',
        VITRINE_CLIENT_SECRET: 'svc_sk_test',
      })
      const all = [program, 'pull', '--ca', certificate, ...words]
      return startProcess(process.execPath, all, { cwd: folder, env }).ended
    },
    close() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type OtherService = Awaited<ReturnType<typeof startOtherService>>

export const listOf = (records: readonly object[]): Said => ({
  body: { data: records, meta: { page: 1, per_page: 100, total: records.length, total_pages: 1 } },
})

const usual = (path: string): Said =>
  path === '/auth/token'
    ? { body: { access_token: 'svc_at_test', token_type: 'Bearer', expires_in: 3600 } }
    : listOf([])

export const field = (name: string, type = 'string', more: object = {}) => ({ name, type, in: 'list', ...more })

/** A resource as `/resources` describes it. */
export const described = (name: string, ...fields: readonly object[]) => ({
  name,
  path: `/api/v1/${name}`,
  permission: 'reference:read',
  fields: [field('id', 'integer'), ...fields],
})
