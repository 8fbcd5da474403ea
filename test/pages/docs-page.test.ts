// The documentation page in a real browser: it loads from the service alone, is searched, linked into, signed in to and
// tried, also on a phone and without scripts. (docs-page-looks.slow.test.ts: at every width, in light and dark.)
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noBrowser, waitUntil, type Page } from '../support/browser.ts'
import { openDocs, shownArticles, signIn, type DocsPage } from '../support/docs-page.ts'
import { startServer, type NewKey, type Server } from '../support/process.ts'

const navigation = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('#reference-navigation a')].map((each) => each.hash.slice(1))`)

async function makeShopKey(server: Server): Promise<NewKey> {
  const words = '--name Shop --permissions products:read,reference:read --price-list 2'.split(' ')
  return JSON.parse((await server.run('keys', 'create', '--json', ...words)).stdout)
}

describe('the documentation page', { skip: noBrowser }, () => {
  let opened: DocsPage
  let server: Server
  let keys: { everything: NewKey; shop: NewKey }
  let docs = ''
  const withPage: DocsPage['withPage'] = (...words) => opened.withPage(...words)
  const reading: DocsPage['reading'] = (...words) => opened.reading(...words)
  before(async () => {
    opened = await openDocs()
    ;({ server, url: docs } = opened)
    keys = {
      everything: await server.makeKey('--rate', '1000'),
      shop: await makeShopKey(server),
    }
  })
  after(() => opened?.close())

  test('loads, and shows the first guide; samples name the service that the page is from', () =>
    withPage({}, async (page) => {
      await page.goto(docs)
      assert.deepEqual(await shownArticles(page), ['first-call'])
      assert.equal(await page.evaluate('document.title'), 'Your first call – Vitrine API')
      assert.ok(page.asked.length <= 6, 'the page, two scripts, a style sheet and an icon')
      const code = await page.innerText('#first-call pre')
      assert.match(code, new RegExp(`export BASE=https://127.0.0.1:${server.https}/api/v1\n`))
      assert.equal(await page.evaluate(`document.querySelector('main').textContent.includes(':8443')`), false)
    }))

  test('samples name the public address where there is one; the page asks the service it is from', async () => {
    const named = await startServer({ settings: { VITRINE_PUBLIC_URL: 'https://api.example.com' } })
    try {
      const key = await named.makeKey()
      const use = async (page: Page) => {
        await page.goto(`https://127.0.0.1:${named.https}/docs#service`)
        const curl = (operation: string) => page.innerText(`#service-${operation} .samples code`)
        const metadata = 'https://api.example.com/.well-known/oauth-authorization-server'
        assert.equal(await curl('getStatus'), 'curl -s "https://api.example.com/api/v1/status"')
        assert.equal(await curl('getOAuthMetadata'), `curl -s "${metadata}"`)
        // The reference is written anew, from a document with whole addresses.
        await signIn(page, key)
        assert.equal(await curl('getOAuthMetadata'), `curl -s "${metadata}"`)
        for (const operation of ['getStatus', 'getOAuthMetadata']) {
          await page.click(`#service-${operation} [type=submit]`)
          await waitUntil(page, `document.querySelector('#service-${operation} .outcome').innerText.includes('200')`)
        }
      }
      await withPage({}, use, /^$/, named.https)
    } finally {
      await named.remove()
    }
  })

  test('links into it: a guide, a part, a field; from one to the next and back; what is not there is said', () =>
    reading(async (page) => {
      await page.goto(`${docs}#invoices-field-lines.unit_price`)
      assert.deepEqual(await shownArticles(page), ['invoices'])
      assert.equal(await page.innerText('#navigation a[aria-current]'), 'Invoices')
      assert.match(await page.innerText('#invoices .samples'), new RegExp(`https://127.0.0.1:${server.https}/`))
      const top: number = await page.evaluate(`document.querySelector(':target').getBoundingClientRect().top`)
      assert.ok(top > 50 && top < 800, `its row is at ${top}`)
      await page.click('#navigation a[href="#synchronising"]')
      await waitUntil(page, `location.hash === '#synchronising'`)
      assert.deepEqual(await shownArticles(page), ['synchronising'])
      assert.equal(await page.innerText('#navigation a[aria-current]'), 'Keeping a copy without the feed')
      await page.evaluate('history.back()')
      await waitUntil(page, `location.hash.startsWith('#invoices')`)
      assert.deepEqual(await shownArticles(page), ['invoices'])
      for (const nothing of ['no-such-thing', '100%', '%E0%A4%A']) {
        await page.goto(`${docs}#paging`)
        await page.goto(`${docs}#${nothing}`)
        await waitUntil(page, `location.hash === '#nothing-here'`)
        assert.deepEqual(await shownArticles(page), ['nothing-here'])
      }
    }))

  test('search, by the keyboard alone: fields, parameters, errors, operations and words of a guide', () =>
    reading(async (page) => {
      await page.goto(`${docs}#paging`)
      for (const [words, first, hash] of [
        ['invoices cost_total', 'cost_total', 'invoices-field-cost_total'],
        // Many resources have it: the current one is found.
        ['updated_since', 'updated_since', 'invoices-listInvoices-updated_since'],
        ['too_many_attempts', 'too_many_attempts', 'error-too_many_attempts'],
        ['/sales-orders/{id}', 'GET /sales-orders/{id}', 'sales-orders-getSalesOrder'],
        ['position bookmark', 'Why the last page first', 'synchronising-why-the-last-page-first'],
        ['maximum page size', 'per_page', 'products-listProducts-per_page'],
      ] as const) {
        await page.keyboard.press('/')
        assert.equal(await page.evaluate('document.activeElement.id'), 'search')
        await page.keyboard.insertText(words)
        await page.waitForSelector('#found')
        assert.equal(await page.innerText('#found [aria-selected=true] strong'), first, words)
        if (first === 'per_page') assert.match(await page.innerText('#found [aria-selected=true]'), /maximum 100/)
        await page.keyboard.press('Enter')
        await waitUntil(page, `decodeURIComponent(location.hash) === '#${hash}'`)
        assert.equal(await page.isVisible('#found'), false)
        assert.ok(await page.evaluate(`document.querySelector(':target').checkVisibility()`))
      }
      await page.keyboard.press('/')
      await page.keyboard.insertText('qqqqq')
      await waitUntil(page, `document.querySelector('#found').innerText === 'Nothing found.'`)
      await page.keyboard.press('Escape')
      assert.equal(await page.isVisible('#found'), false)
    }))

  test('trying: asks to sign in, lists, turns pages, shows curl without the token, suggests an id', () =>
    withPage({}, async (page) => {
      await page.goto(`${docs}#invoices`)
      const list = '#invoices-listInvoices'
      await page.fill('#try-listInvoices-per_page', '2')
      await page.selectOption('#try-listInvoices-status', 'all')
      await page.click(`${list} [type=submit]`)
      await page.waitForSelector('#sign-in')
      await page.fill('#access-key', keys.everything.client_id)
      await page.fill('#security-code', keys.everything.client_secret)
      await page.keyboard.press('Enter')
      await waitUntil(page, `document.querySelector('${list} .outcome .status')`)
      assert.equal(await page.innerText(`${list} .outcome .status`), '200')
      const headers = await page.innerText(`${list} .headers`)
      for (const name of ['X-Total-Count', 'X-RateLimit-Remaining', 'X-Request-Id']) assert.ok(headers.includes(name))
      const answer = JSON.parse(await page.innerText(`${list} .answer pre`))
      assert.equal(answer.data.length, 2)
      await page.waitForSelector('#session-note')
      // By the keyboard one goes on where one was.
      const send = `document.querySelector('${list} [type=submit]')`
      await waitUntil(page, `document.activeElement === ${send}`)
      const top: number = await page.evaluate(`${send}.getBoundingClientRect().top`)
      assert.ok(top > 100 && top < 870, `the button is at ${top}`)
      await page.click(`${list} .turn[data-page="2"]`)
      await waitUntil(page, `document.querySelector('${list} .pages')?.innerText.includes('Page 2 of')`)
      const curl = await page.innerText(`${list} .samples pre`)
      assert.equal(
        curl,
        `curl -s -H "Authorization: Bearer $TOKEN" \\\n  "https://127.0.0.1:${server.https}/api/v1/invoices?page=2&per_page=2&status=all"`,
      )
      assert.equal(await page.evaluate(`document.querySelector('#try-getInvoice-id').value`), String(answer.data[0].id))
      await page.click('#invoices-getInvoice [type=submit]')
      await waitUntil(page, `document.querySelector('#invoices-getInvoice .answer pre')?.innerText.includes('"lines"')`)
    }))

  test('trying: a wrong parameter shows the error with its details', () =>
    withPage(
      {},
      async (page) => {
        await page.goto(`${docs}#products`)
        await signIn(page, keys.everything)
        await page.fill('#try-listProducts-sort', 'nmae')
        await page.click('#products-listProducts [type=submit]')
        await page.waitForSelector('#products-listProducts .outcome .status.bad')
        assert.match(await page.innerText('#products-listProducts .answer pre'), /Did you mean name\?/)
        assert.match(
          await page.innerText('#products-listProducts .fault'),
          /not valid; see details.*sort.*Did you mean name\?/s,
        )
      },
      /status of 400/,
    ))

  test('key, code and token are in no storage, no address and no document', () =>
    withPage({}, async (page) => {
      await page.goto(`${docs}#stores`)
      await signIn(page, keys.everything)
      await page.click('#stores-listStores [type=submit]')
      await page.waitForSelector('#stores-listStores .outcome .status')
      const traces: string = await page.evaluate(`JSON.stringify([
        location.href, document.cookie, { ...localStorage }, { ...sessionStorage }, history.state,
        document.documentElement.outerHTML, document.querySelector('#security-code').value,
      ])`)
      // The document has an example of a token, which begins with this word.
      assert.ok(!/svc_at_(?!Vitrine0)\w{5}/.test(traces))
      assert.ok(!traces.includes(keys.everything.client_secret))
      assert.deepEqual(
        page.asked.filter(({ url }) => /svc_/.test(url)),
        [],
      )
      await page.reload()
      assert.equal(await page.innerText('#session-button'), 'Sign in')
    }))

  test('a key that may use less sees less, and all of it again when it has signed out', () =>
    withPage({}, async (page) => {
      await page.goto(`${docs}#invoices`)
      const before = await navigation(page)
      await signIn(page, keys.shop)
      const reference = ['stores', 'sub-departments', 'departments', 'price-lists', 'customer-types']
      assert.deepEqual(await navigation(page), ['service', 'products', ...reference, 'error-codes'])
      assert.match(await page.innerText('#session-note'), /only what this key may use: 6 resources/)
      assert.deepEqual(await shownArticles(page), ['nothing-here'])
      await page.goto(`${docs}#products`)
      for (const field of ['cost', 'price_lists', 'price_lists.price'])
        assert.equal(await page.evaluate(`document.getElementById('products-field-${field}')`), null, field)
      assert.ok(await page.isVisible('[id="products-field-price"]'))
      await page.click('#session-button')
      await page.waitForSelector('#session-note', { state: 'hidden' })
      assert.deepEqual(await navigation(page), before)
      assert.deepEqual(await shownArticles(page), ['products'])
    }))

  test('a refused sign-in says so; a blocked one, for how long; an empty one asks nobody', async () => {
    // Its own service: an address may sign in only ten times a minute.
    const other = await startServer()
    const attempts = async (page: Page) => {
      const { client_id: key } = await other.makeKey()
      await page.goto(`https://127.0.0.1:${other.https}/docs`)
      await page.click('#session-button')
      await page.keyboard.press('Enter')
      await waitUntil(page, `document.querySelector('#sign-in-problem').innerText.startsWith('Fill in both')`)
      await page.fill('#access-key', key)
      const attempt = async (starts: string) => {
        await page.fill('#security-code', 'svc_sk_wrong')
        await page.keyboard.press('Enter')
        await waitUntil(page, `document.querySelector('#sign-in-problem').innerText.startsWith('${starts}')`)
        assert.ok(await page.evaluate(`document.querySelector('#sign-in').open`))
        await page.evaluate(`document.querySelector('#sign-in-problem').textContent = ''`)
      }
      for (let time = 1; time <= 5; time += 1) await attempt('Refused: the access key or the security code is wrong')
      await attempt('Blocked after repeated failures. Try again in 15 minutes')
      await page.fill('#access-key', 'svc_ak_other')
      for (let time = 1; time <= 5; time += 1) await attempt('Refused')
      await page.fill('#access-key', 'svc_ak_another')
      await attempt('Too many sign-ins from your address. Try again in')
      await other.run('company', 'disable')
      await attempt('The company has no API subscription')
      await page.keyboard.press('Escape')
      assert.equal(await page.innerText('#session-button'), 'Sign in')
    }
    try {
      await withPage({}, attempts, /status of (401|429|503)/, other.https)
    } finally {
      await other.remove()
    }
  })

  test('a sign-in that is left before its answer signs nobody in', () =>
    withPage(
      {},
      async (page) => {
        // The first one is never answered.
        let asked = 0
        await page.route('**/auth/token', (route) => ((asked += 1) > 1 ? route.continue() : undefined))
        await page.goto(docs)
        await page.click('#session-button')
        await page.fill('#access-key', keys.shop.client_id)
        await page.fill('#security-code', keys.shop.client_secret)
        await page.keyboard.press('Enter')
        await page.waitForSelector('#sign-in [type=submit]:disabled')
        await page.keyboard.press('Escape')
        await page.waitForSelector('#sign-in', { state: 'hidden' })
        await page.waitForSelector('#sign-in [type=submit]:enabled', { state: 'attached' })
        assert.equal(await page.innerText('#session-button'), 'Sign in')
        await signIn(page, keys.everything)
        assert.match(await page.innerText('#session-note'), /17 resources/)
      },
      /ERR_ABORTED/,
    ))

  test('a token that is no longer valid: one signs in again, and goes on', () =>
    withPage(
      {},
      async (page) => {
        const key = await server.makeKey()
        await page.goto(`${docs}#stores`)
        await signIn(page, key)
        const made = await server.run('keys', 'regenerate', '--json', key.client_id)
        const { client_secret: code } = JSON.parse(made.stdout) as NewKey
        await page.click('#stores-listStores [type=submit]')
        await page.waitForSelector('#sign-in')
        assert.match(await page.innerText('#sign-in-problem'), /no longer valid/)
        await page.fill('#security-code', code)
        await page.keyboard.press('Enter')
        await waitUntil(page, `document.querySelector('#stores-listStores .outcome .status')?.innerText === '200'`)
      },
      /status of 401/,
    ))

  test('while the service is away: it is said, no earlier answer stays, and one goes on when it is back', () =>
    withPage(
      {},
      async (page) => {
        const list = '#stores-listStores'
        await page.goto(`${docs}#stores`)
        await signIn(page, keys.everything)
        await page.click(`${list} [type=submit]`)
        await waitUntil(page, `document.querySelector('${list} .outcome .status')`)
        await page.context().setOffline(true)
        await page.click(`${list} [type=submit]`)
        await waitUntil(
          page,
          `document.querySelector('${list} .outcome').innerText === 'The service cannot be reached.'`,
        )
        assert.equal(await page.innerText(`${list} .answer`), '')
        await page.context().setOffline(false)
        await page.click(`${list} [type=submit]`)
        await waitUntil(page, `document.querySelector('${list} .outcome .status')?.innerText === '200'`)
      },
      /ERR_INTERNET_DISCONNECTED/,
    ))

  test('samples: in the language that was chosen, with the values of the form, by the keyboard, also after a reload', () =>
    withPage({}, async (page) => {
      await page.goto(`${docs}#customers`)
      const [list, detail] = ['#customers-listCustomers', '#customers-getCustomer']
      const chosen = (place: string) => page.innerText(`${place} [role=tab][aria-selected=true]`)
      assert.equal(await chosen(list), 'curl')
      await page.fill('#try-listCustomers-search', "l'hôtel")
      await page.click(`${list} [data-language=python]`)
      assert.match(await page.innerText(`${list} .samples pre`), /urlopen[^]*\/customers\?search=l%27h%C3%B4tel",/)
      // The detail follows, with the id of its example.
      assert.equal(await chosen(detail), 'Python')
      assert.match(await page.innerText(`${detail} .samples pre`), /\/customers\/\d+",/)
      await page.fill('#try-getCustomer-id', '77')
      assert.match(await page.innerText(`${detail} .samples pre`), /\/customers\/77",/)
      await page.evaluate(`document.querySelector('${list} [data-language=python]').focus()`)
      await page.keyboard.press('ArrowRight')
      assert.equal(await page.evaluate('document.activeElement.innerText'), 'PHP')
      await page.reload()
      assert.equal(await chosen(list), 'PHP')
      await page.goto(`${docs}#service`)
      assert.match(
        await page.innerText('#service-createToken .samples pre'),
        /'client_secret' => getenv\('SECURITY_CODE'\)/,
      )
    }))

  test('answers: the body of every status is shown, and what tries it stays in view', () =>
    reading(async (page) => {
      await page.goto(`${docs}#invoices`)
      const place = '#invoices-getInvoice'
      const shown: string[] = await page.evaluate(
        `[...document.querySelectorAll('${place} details[open] .status')].map((each) => each.innerText)`,
      )
      assert.deepEqual(shown, ['200', '400', '401', '403', '404', '405', '408', '429', '431', '500', '503'])
      assert.match(await page.innerText(`${place} .example:has(.bad) .body`), /"code": "invalid_parameter"/)
      const bodies: string[] = await page.evaluate(
        `[...document.querySelectorAll('${place} .body')].map((each) => JSON.parse(each.innerText).error.code)`,
      )
      assert.equal(bodies.length, 14)
      await page.evaluate(
        `document.querySelector('${place} .example:last-of-type').scrollIntoView({ block: 'center' })`,
      )
      const top: number = await page.evaluate(`document.querySelector('${place} .try h3').getBoundingClientRect().top`)
      assert.ok(top > 60 && top < 200, `the heading is at ${top}`)
    }))

  test('French: for a browser that asks for it, or who has chosen it; the same part of the page', () =>
    withPage(
      { languages: 'fr-CA,fr,en' },
      async (page) => {
        // It gives way to the French one before it is loaded.
        await page.goto(`${docs}#paging-filters`, { waitUntil: 'commit' })
        await waitUntil(page, `document.title === 'Listes, pages et tri – Vitrine API'`)
        assert.equal(await page.evaluate('document.documentElement.lang'), 'fr')
        // Nothing of the English page was loaded first.
        assert.equal(page.asked.filter(({ url }) => url === docs).length, 1)
        assert.deepEqual(
          page.asked.filter(({ url }) => url.endsWith('start-en.js')),
          [],
        )
        assert.equal(await page.innerText('#session-button'), 'Se connecter')
        await page.click('.language')
        await waitUntil(
          page,
          `location.pathname === '/docs/en' && document.title === 'Lists, paging and sorting – Vitrine API'`,
        )
        assert.equal(await page.evaluate<string>('location.hash'), '#paging-filters')
        await page.reload()
        assert.equal(await page.evaluate('location.pathname'), '/docs/en')
        await page.goto(docs, { waitUntil: 'commit' })
        await waitUntil(page, `location.pathname === '/docs/en' && document.title === 'Your first call – Vitrine API'`)
        await page.goto(`${docs}/fr#invoices`)
        await signIn(page, keys.shop)
        assert.match(await page.innerText('#session-note'), /ce que cette clé peut utiliser\s: 6 ressources/)
        await page.goto(`${docs}/fr#products`)
        assert.match(await page.innerText('#products-listProducts'), /Essayer/)
        assert.match(await page.innerText('#products-listProducts-per_page'), /maximum 100/)
      },
      // What the French page had begun to load.
      /preloaded using link preload but not used/,
    ))

  test('without scripts, everything can be read and nothing pretends to work', () =>
    withPage({ hasScripts: false }, async (page) => {
      // Scripts of the page are off; what a test asks of the page still runs.
      await page.goto(`${docs}#restrictions`)
      assert.deepEqual(await shownArticles(page), ['restrictions'])
      await page.goto(`${docs}#customers`)
      assert.deepEqual(await shownArticles(page), ['customers'])
      for (const hidden of ['#search', '#session-button', '#customers form.try', '.copy'])
        assert.equal(await page.isVisible(hidden), false, hidden)
    }))

  test('on a phone, the menu opens and closes when one has chosen', () =>
    withPage({ width: 390, height: 844, isPhone: true }, async (page) => {
      await page.goto(docs)
      assert.equal(await page.isVisible('#navigation'), false)
      await page.click('.menu')
      await page.waitForSelector('#navigation')
      await page.click('#navigation a[href="#transfers"]')
      await page.waitForSelector('#navigation', { state: 'hidden' })
      assert.deepEqual(await shownArticles(page), ['transfers'])
    }))
})
