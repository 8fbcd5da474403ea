// Three OAuth libraries that know nothing of this service get a token from it over TLS and read a list with it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { startServer, type NewKey, type Server } from '../support/process.ts'

// It brings no types: what is used of it.
interface SimpleOauth {
  readonly ClientCredentials: new (options: object) => {
    getToken(parameters: object): Promise<{ token: Record<string, unknown>; expired(): boolean }>
  }
}
const simple = createRequire(import.meta.url)('simple-oauth2') as SimpleOauth

let server: Server
let key: NewKey
let base = ''
before(async () => {
  server = await startServer({
    rows: {
      stores: [
        { id: 1, name: 'Main' },
        { id: 2, name: 'Other' },
      ],
    },
  })
  key = await server.makeKey()
  base = `https://127.0.0.1:${server.https}/api/v1`
  // The certificate is checked, as a client of a real installation would check it.
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(server.certificate, 'utf8')])
})
after(() => server.remove())

const scope = 'reference:read products:read'
const granted = 'products:read reference:read'

function assertStores(body: unknown): void {
  const { data, meta } = body as { data: { name: string }[]; meta: { total: number } }
  assert.deepEqual([data.map(({ name }) => name), meta.total], [['Main', 'Other'], 2])
}

describe('oauth4webapi', () => {
  const ways = { client_secret_post: oauth.ClientSecretPost, client_secret_basic: oauth.ClientSecretBasic }
  for (const [way, authenticate] of Object.entries(ways)) {
    test(`oauth4webapi signs in with ${way} and reads a list`, async () => {
      const as = { issuer: base, token_endpoint: `${base}/auth/token` }
      const client = { client_id: key.client_id }
      const answered = await oauth.clientCredentialsGrantRequest(as, client, authenticate(key.client_secret), { scope })
      const result = await oauth.processClientCredentialsResponse(as, client, answered)
      assert.deepEqual([result.token_type, result.expires_in, result.scope], ['bearer', 900, granted])
      const list = await oauth.protectedResourceRequest(result.access_token, 'GET', new URL(`${base}/stores`))
      assert.equal(list.status, 200)
      assertStores(await list.json())
    })

    test(`oauth4webapi understands the refusal of a wrong code sent with ${way}`, async () => {
      const as = { issuer: base, token_endpoint: `${base}/auth/token` }
      const client = { client_id: key.client_id }
      const answered = await oauth.clientCredentialsGrantRequest(as, client, authenticate('svc_sk_wrong'), {})
      await assert.rejects(oauth.processClientCredentialsResponse(as, client, answered), (error) =>
        // With Basic the library reads the challenge, else the body.
        error instanceof oauth.WWWAuthenticateChallengeError
          ? error.cause[0]?.scheme === 'basic'
          : error instanceof oauth.ResponseBodyError && error.error === 'invalid_client',
      )
    })
  }

  test('oauth4webapi understands the challenge of a data route', async () => {
    await assert.rejects(
      oauth.protectedResourceRequest('svc_at_wrong', 'GET', new URL(`${base}/stores`)),
      (error) =>
        error instanceof oauth.WWWAuthenticateChallengeError &&
        error.cause[0]?.scheme === 'bearer' &&
        error.cause[0].parameters.error === 'invalid_token',
    )
  })
})

describe('openid-client', () => {
  const ways = { client_secret_post: openid.ClientSecretPost, client_secret_basic: openid.ClientSecretBasic }
  for (const [way, authenticate] of Object.entries(ways)) {
    test(`openid-client signs in with ${way} and reads a list`, async () => {
      const metadata = { issuer: base, token_endpoint: `${base}/auth/token` }
      const config = new openid.Configuration(metadata, key.client_id, undefined, authenticate(key.client_secret))
      const tokens = await openid.clientCredentialsGrant(config, { scope })
      assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ['bearer', 900, granted])
      const list = await openid.fetchProtectedResource(config, tokens.access_token, new URL(`${base}/stores`), 'GET')
      assert.equal(list.status, 200)
      assertStores(await list.json())
    })
  }
})

describe('simple-oauth2', () => {
  const ways = [
    { name: 'client_secret_basic', options: { authorizationMethod: 'header' } },
    {
      name: 'client_secret_basic, not encoded',
      options: { authorizationMethod: 'header', credentialsEncodingMode: 'loose' },
    },
    { name: 'client_secret_post', options: { authorizationMethod: 'body' } },
    { name: 'client_secret_post in JSON', options: { authorizationMethod: 'body', bodyFormat: 'json' } },
  ]
  for (const { name, options } of ways) {
    test(`simple-oauth2 signs in with ${name} and reads a list`, async () => {
      const client = new simple.ClientCredentials({
        client: { id: key.client_id, secret: key.client_secret },
        auth: { tokenHost: `https://127.0.0.1:${server.https}`, tokenPath: '/api/v1/auth/token' },
        options,
      })
      const made = await client.getToken({ scope: ['reference:read', 'products:read'] })
      assert.equal(made.expired(), false)
      assert.deepEqual(
        [made.token['token_type'], made.token['expires_in'], made.token['scope']],
        ['Bearer', 900, granted],
      )
      const headers = { Authorization: `Bearer ${String(made.token['access_token'])}` }
      const list = await fetch(`${base}/stores`, { headers })
      assert.equal(list.status, 200)
      assertStores(await list.json())
    })
  }
})
