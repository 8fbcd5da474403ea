// Two OAuth libraries that are told nothing but the address of a service discover the rest over TLS (RFC 8414), sign in, read a list
// and sign off (RFC 7009).
import assert from 'node:assert/strict'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { freePort } from '../support/free-port.ts'
import {
  cleanEnvironment,
  repository,
  startProcess,
  startServer,
  temporaryFolder,
  type NewKey,
  type Server,
} from '../support/process.ts'
import { sampleFile } from '../support/samples.ts'

// One that names whatever host it was asked at, and one with a public address.
let server: Server
let named: Server
let key: NewKey
before(async () => {
  const port = await freePort()
  const settings = { VITRINE_PORT: String(port), VITRINE_PUBLIC_URL: `https://localhost:${port}/` }
  const rows = { stores: [{ id: 1, name: 'Main' }] }
  ;[server, named] = await Promise.all([startServer({ rows }), startServer({ rows, settings })])
  key = await server.makeKey()
  // The certificate is checked, as a client of a real installation would check it.
  const certificates = [server, named].map(({ certificate }) => readFileSync(certificate, 'utf8'))
  setDefaultCACertificates([...getCACertificates('default'), ...certificates])
})
after(() => Promise.all([server.remove(), named.remove()]))

const statusWith = async (token: string) => (await server.ask('/stores', { token })).status
const origins = () => ['127.0.0.1', 'localhost'].map((host) => `https://${host}:${server.https}`)
const discover = (origin: string, authentication?: openid.ClientAuth) =>
  openid.discovery(new URL(origin), key.client_id, undefined, authentication, { algorithm: 'oauth2' })

describe('openid-client', () => {
  const ways = { client_secret_post: openid.ClientSecretPost, client_secret_basic: openid.ClientSecretBasic }
  for (const [way, authenticate] of Object.entries(ways)) {
    test(`openid-client discovers, signs in, reads and signs off with ${way}`, async () => {
      for (const origin of origins()) {
        const config = await discover(origin, authenticate(key.client_secret))
        assert.equal(config.serverMetadata().issuer, origin)
        const { access_token: token } = await openid.clientCredentialsGrant(config, { scope: 'reference:read' })
        const stores = new URL(`${origin}/api/v1/stores`)
        const list = await openid.fetchProtectedResource(config, token, stores, 'GET')
        assert.equal(((await list.json()) as { data: { name: string }[] }).data[0]?.name, 'Main')
        await openid.tokenRevocation(config, token, { token_type_hint: 'access_token' })
        assert.equal(await statusWith(token), 401)
      }
    })
  }
})

describe('oauth4webapi', () => {
  const ways = { client_secret_post: oauth.ClientSecretPost, client_secret_basic: oauth.ClientSecretBasic }
  for (const [way, authenticate] of Object.entries(ways)) {
    test(`oauth4webapi discovers, signs in, reads and signs off with ${way}`, async () => {
      for (const origin of origins()) {
        const issuer = new URL(origin)
        const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2' })
        const as = await oauth.processDiscoveryResponse(issuer, found)
        const [client, authentication] = [{ client_id: key.client_id }, authenticate(key.client_secret)]
        const answered = await oauth.clientCredentialsGrantRequest(as, client, authentication, {})
        const { access_token: token } = await oauth.processClientCredentialsResponse(as, client, answered)
        assert.equal(await statusWith(token), 200)
        await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, authentication, token))
        assert.equal(await statusWith(token), 401)
      }
    })

    test(`oauth4webapi understands the refusal of a wrong code at /auth/revoke sent with ${way}`, async () => {
      const base = `https://127.0.0.1:${server.https}`
      const as = { issuer: base, revocation_endpoint: `${base}/api/v1/auth/revoke` }
      const client = { client_id: key.client_id }
      const answered = await oauth.revocationRequest(as, client, authenticate('svc_sk_wrong'), 'svc_at_any')
      await assert.rejects(oauth.processRevocationResponse(answered), (error) =>
        error instanceof oauth.WWWAuthenticateChallengeError
          ? error.cause[0]?.scheme === 'basic'
          : error instanceof oauth.ResponseBodyError && error.error === 'invalid_client',
      )
    })
  }
})

test('VITRINE_PUBLIC_URL: discovery works at that address, and at no other', async () => {
  const address = `https://localhost:${named.https}`
  const { issuer, token_endpoint: endpoint } = (await discover(address)).serverMetadata()
  assert.deepEqual([issuer, endpoint], [address, `${address}/api/v1/auth/token`])
  await assert.rejects(discover(`https://127.0.0.1:${named.https}`), { code: 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED' })
  assert.equal((await named.ask('/openapi.json')).body.servers[0].url, `${address}/api/v1`)
})

test('the sample of the guide, as it stands there', async () => {
  const folder = temporaryFolder()
  try {
    const { client_id: id, client_secret: code } = await named.makeKey()
    writeFileSync(join(folder, 'discover.ts'), sampleFile('discover.ts').code)
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
    const env = cleanEnvironment({
      BASE: `https://localhost:${named.https}/api/v1`,
      ACCESS_KEY: id,
      SECURITY_CODE: code,
      NODE_EXTRA_CA_CERTS: named.certificate,
    })
    const { stdout, stderr } = await startProcess(process.execPath, ['discover.ts'], { cwd: folder, env }).ended
    assert.equal(stdout, '0 invoices\n', stderr)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('over HTTP/2, the host is what stands in its place there', async () => {
  const session = connect(`https://localhost:${server.https}`, { ca: readFileSync(server.certificate) })
  try {
    const stream = session.request({ ':path': '/.well-known/oauth-authorization-server' })
    stream.setEncoding('utf8')
    const text = (await stream.toArray()).join('')
    assert.equal((JSON.parse(text) as { issuer: string }).issuer, `https://localhost:${server.https}`)
  } finally {
    session.destroy()
  }
})
