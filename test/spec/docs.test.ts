// The documentation page among the routes: who it opens to, its headers, and that nothing in it leads outside.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { resources } from '../../src/catalogue/resources/index.ts'
import { pagePaths } from '../../src/web/docs/files.ts'
import { guideNames } from '../../src/web/docs/guides.ts'
import { errors } from '../../src/errors.ts'
import { strangeToken } from '../support/grants.ts'
import { createWorld, type World } from '../support/world.ts'

let on: World
let off: World
let narrow: World
const pages: string[] = []
before(async () => {
  ;[on, off, narrow] = await Promise.all([createWorld(), createWorld(), createWorld({ anonymousRate: 2 })])
  await off.state.setEnabled(false)
  for (const path of ['/docs/en', '/docs/fr']) pages.push((await on.ask(path)).text)
})
after(() => Promise.all([on.close(), off.close(), narrow.close()]))

const types: Readonly<Record<string, string>> = {
  docs: 'text/html; charset=utf-8',
  en: 'text/html; charset=utf-8',
  fr: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

for (const path of pagePaths) {
  suite(path, () => {
    test('has its type, the headers of every answer, and a policy that lets nothing else in', async () => {
      const { status, headers, text } = await on.ask(path)
      assert.equal(status, 200, text)
      assert.equal(headers['Content-Type'], types[path.split(/[/.]/).at(-1) ?? ''])
      assert.match(String(headers['X-Request-Id']), /^[\w-]{36}$/)
      assert.equal(headers['Cache-Control'], 'no-store')
      assert.equal(headers['X-Content-Type-Options'], 'nosniff')
      assert.equal(headers['Referrer-Policy'], 'no-referrer')
      assert.ok(headers['Strict-Transport-Security'])
      for (const name of ['Limit', 'Remaining', 'Reset']) assert.match(String(headers[`X-RateLimit-${name}`]), /^\d+$/)
      assert.deepEqual(String(headers['Content-Security-Policy']).split('; ').toSorted(), [
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "img-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
      ])
      for (const name of ['ETag', 'Server', 'X-Powered-By', 'Location', 'Set-Cookie'])
        assert.equal(headers[name], undefined)
    })

    test('is compressed when asked, and the same every time', async () => {
      const { bytes } = await on.ask(path)
      for (const [acceptEncoding, expand] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const [one, other] = [await on.ask(path, { acceptEncoding }), await on.ask(path, { acceptEncoding })]
        if (bytes.byteLength <= 1024) assert.equal(one.headers['Content-Encoding'], undefined)
        else {
          assert.equal(one.headers['Content-Encoding'], acceptEncoding)
          assert.equal(one.headers['Vary'], 'Accept-Encoding')
          assert.ok(expand(one.bytes).equals(bytes))
          assert.ok(Buffer.from(one.bytes).equals(other.bytes))
        }
      }
    })

    test('other methods: 405; plain HTTP: 403', async () => {
      for (const method of ['HEAD', 'POST', 'OPTIONS', 'DELETE']) {
        const { status, headers, body } = await on.ask(path, { method })
        assert.deepEqual([status, headers['Allow'], body.error.code], [405, 'GET', 'method_not_allowed'])
      }
      const plain = await on.ask(path, { isSecure: false })
      assert.deepEqual([plain.status, plain.body.error.code], [403, 'https_required'])
    })

    test('opens to anybody: without a subscription, with a wrong token, with any query [N17]', async () => {
      assert.equal((await off.ask(path)).status, 200)
      assert.equal((await on.ask(path, { token: strangeToken })).status, 200)
      assert.equal((await on.ask(`${path}?utm=1`)).status, 200)
      const broken = { ...on.state, admit: () => Promise.reject(new Error('broken')) }
      assert.equal((await on.askWith({ state: broken })(path, { token: strangeToken })).status, 200)
    })

    test('nothing in it leads outside, and nothing is inline', async () => {
      const { text } = await on.ask(path)
      const outside = [...text.matchAll(/(?:https?:)?\/\/[a-z0-9.-]+/gi)].map(([found]) => found)
      // The example addresses of samples, of the demo company, and the name of SVG.
      const known = /^https?:\/\/(127\.0\.0\.1|HOST|www\.w3\.org|www\.[a-z-]+\.example)$/
      const foreign = outside.filter((found) => found.startsWith('http') && !known.test(found))
      assert.deepEqual(foreign, [])
      if (!['/docs/en', '/docs/fr'].includes(path)) return
      const loaded = [...text.matchAll(/\s(?:src|href|action)="([^"]*)"/g)].map((found) => found[1] ?? '')
      assert.ok(loaded.length > 50)
      for (const address of loaded) assert.match(address, /^(?:#|\/docs(?:\/|$)|\/api\/v1\/openapi\.json$)/)
      assert.doesNotMatch(text, /\sstyle=|\son[a-z]+="|<style|<iframe|<base|http-equiv/)
      for (const [script] of text.matchAll(/<script[^>]*>[^<]*/g)) assert.match(script, /src="[^"]+">$/)
    })
  })
}

test('whoever asks for it counts in the window of its address, and is refused beyond', async () => {
  for (const status of [200, 200, 429])
    assert.equal((await narrow.ask('/docs', { address: '10.5.5.5' })).status, status)
})

test('what is not there is not found', async () => {
  const paths = [
    '/docs/',
    '/docs/nothing.js',
    '/docs/page.ts',
    '/docs/../docs',
    '/docs/%2e%2e/page.css',
    '/docs/tsconfig.json',
  ]
  for (const path of paths) {
    const { status, body } = await on.ask(path)
    assert.deepEqual([path, status, body.error.code], [path, 404, 'not_found'])
  }
})

test('the pages name every file that is served, and no other', async () => {
  const pages = await Promise.all(['/docs/en', '/docs/fr'].map(async (path) => (await on.ask(path)).text))
  const named = pages.flatMap((text) => [...text.matchAll(/"(\/docs[\w./-]*)"/g)].map((found) => found[1] ?? ''))
  assert.deepEqual([...new Set(['/docs', ...named])].toSorted(), pagePaths.toSorted())
})

test('/docs is in the language that the browser asks for', async () => {
  for (const [acceptLanguage, language] of [
    [undefined, 'en'],
    ['', 'en'],
    ['fr', 'fr'],
    ['FR-ca,fr;q=0.9,en;q=0.8', 'fr'],
    ['en-US,en;q=0.9,fr;q=0.8', 'en'],
    ['en;q=0.5, fr;q=0.7', 'fr'],
    ['ht, fr;q=0.8, en;q=0.7', 'fr'],
    ['fr;q=0, de', 'en'],
    ['constructor', 'en'],
    ['*', 'en'],
  ] as const) {
    const { text } = await on.ask('/docs', acceptLanguage === undefined ? {} : { acceptLanguage })
    assert.equal(text, (await on.ask(`/docs/${language}`)).text, acceptLanguage)
  }
})

for (const [at, path] of ['/docs/en', '/docs/fr'].entries())
  suite(path, () => {
    test('the page holds every guide, resource, field, parameter and error, under ids that are there once', () => {
      const page = pages[at] ?? ''
      const ids = [...page.matchAll(/\sid="([^"]*)"/g)].map((found) => found[1] ?? '')
      assert.deepEqual(
        ids.filter((id, at) => ids.indexOf(id) !== at),
        [],
      )
      const articles = [...page.matchAll(/<article id="([^"]+)"/g)].map((found) => found[1])
      const names = resources.map(({ name }) => name)
      assert.deepEqual(articles, [...guideNames, 'service', ...names, 'error-codes', 'nothing-here'])
      for (const code of Object.keys(errors)) assert.ok(ids.includes(`error-${code}`), code)
      for (const { name, fields, filters } of resources) {
        for (const field of fields) assert.ok(ids.includes(`${name}-field-${field.name}`), `${name} ${field.name}`)
        const own = ids.filter((id) => id.startsWith(`${name}-list`)).join(' ')
        for (const each of [...filters.map((filter) => filter.name), 'page', 'per_page', 'sort', 'search'])
          assert.match(own, new RegExp(`-${each}( |$)`), `${name} ${each}`)
      }
    })

    test('every link within the page has its target', () => {
      const page = pages[at] ?? ''
      const ids = new Set([...page.matchAll(/\sid="([^"]*)"/g)].map((found) => found[1]))
      const targets = [...page.matchAll(/href="#([^"]*)"/g)].map((found) => found[1] ?? '')
      assert.ok(targets.length > 60)
      assert.deepEqual(
        targets.filter((target) => !ids.has(target)),
        [],
      )
    })

    test('gated fields are marked with their permission', () => {
      const page = pages[at] ?? ''
      assert.match(page, /id="invoices-field-cost_total"[^]*?class="gate">\w+ <code>costs:read<\/code>/)
      assert.match(page, /id="customers-field-balance"[^]*?class="gate">\w+ <code>customers:financial<\/code>/)
    })
  })

test('both languages have the same parts, under the same ids', () => {
  const [english, french] = pages.map((page) => [...page.matchAll(/\sid="([^"]*)"/g)].map((found) => found[1]))
  assert.deepEqual(french, english)
  assert.match(pages[0] ?? '', /<html lang="en"/)
  assert.match(pages[1] ?? '', /<html lang="fr"/)
})

test('the bodies of errors in the page are those of the service, but for the request id', async () => {
  const section = /id="invoices-listInvoices"[^]*?<\/section>/.exec(pages[0] ?? '')?.[0] ?? ''
  const shown = [...section.matchAll(/<pre\s+class="body"[^>]*><code>([^<]*)</g)].map(
    ([, text = '']) => JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>')).error,
  )
  const token = await on.tokenFor()
  const unable = await on.tokenFor({ permissions: 'costs:read' })
  for (const [code, asked] of [
    ['missing_token', {}],
    ['invalid_token', { token: strangeToken }],
    ['insufficient_scope', { token: unable }],
    ['method_not_allowed', { token, method: 'POST' }],
    ['https_required', { isSecure: false }],
    ['invalid_parameter', { token, query: '?page=0' }],
  ] as const) {
    const { query = '', ...how }: { query?: string; token?: string; method?: string; isSecure?: boolean } = asked
    const { body } = await on.ask(`/invoices${query}`, how)
    const documented = shown.find((each) => each.code === code)
    assert.deepEqual({ ...body.error, request_id: '' }, { ...documented, request_id: '' }, code)
  }
})
