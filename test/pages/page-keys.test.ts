// The console's page in a real browser: signing in, and everything that is done with keys.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { permissions } from '../../src/catalogue/permissions.ts'
import { noBrowser, waitUntil, type Page } from '../support/browser.ts'
import { heading, isTitled, open, openConsole, says, secret, shown, type Console } from '../support/console.ts'

const texts = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((each) => each.innerText)`)

const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10)

describe("the console's page: keys", { skip: noBrowser }, () => {
  let console: Console
  before(async () => {
    console = await openConsole({ settings: { VITRINE_PUBLIC_URL: 'https://api.example.com' } })
  })
  after(() => console?.close())

  test('signing in: what is missing, a wrong password, the right one; the name is in the history; signing out', () =>
    console.visit({ isOutside: true, expected: /status of 40[01]/ }, async (page) => {
      await page.goto(console.base)
      await shown(page)
      assert.equal(await heading(page), 'Sign in')
      assert.equal(await page.isVisible('#navigation'), false)
      // All of it is seen at once.
      assert.ok(await page.evaluate('document.documentElement.scrollHeight <= innerHeight'))
      await says(page, '.forgotten', /^Forgot your password\? Another administrator.*vitrine admin password NAME$/)
      await page.keyboard.press('Enter')
      await says(page, '.faults', /Enter your name.*Enter the password\./s)
      await page.fill('#name', 'Ada')
      await page.fill('#password', 'wrong password')
      await page.keyboard.press('Enter')
      await says(page, '.faults', /^Wrong name or password/)
      assert.equal(await page.evaluate('document.activeElement.id'), 'password')
      await page.fill('#password', secret)
      await page.keyboard.press('Enter')
      await isTitled(page, 'Keys')
      assert.equal(await page.innerText('.who'), 'Ada')
      assert.equal((await console.state.listAudit({ limit: 1, act: 'signed in' }))[0]?.by, 'Ada, console')
      await page.click('.tools .sign-out')
      await says(page, '.said', /You are signed out/)
      await page.reload()
      await shown(page)
      assert.equal(await heading(page), 'Sign in')
      // What this browser is known by opens nothing.
      assert.equal(
        await page.evaluate('document.cookie + Object.keys({ ...localStorage, ...sessionStorage })'),
        'browser',
      )
    }))

  test('no key yet: says what to do; a new one is made in plain words, its code is shown once and works', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'keys')
      await says(page, '.empty', /No keys yet/)
      await page.click('.empty .button')
      await shown(page)
      await page.fill('#name', 'Boutik Ti Mari')
      await page.click('[value="products:read"]')
      await page.click('[value="reference:read"]')
      await page.click('[value="costs:read"]')
      await page.click('[value="some"]')
      await page.click('.stores [value="1"]')
      await page.selectOption('#price_list', '2')
      await page.fill('#rate', '1,200')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.code-once')
      assert.equal(await heading(page), 'The key for Boutik Ti Mari is ready')
      const [id = '', code = '', curl = '', docs = ''] = await texts(page, '.copy-row code')
      const key = await console.state.findKey(id)
      assert.deepEqual(
        [key?.name, key?.permissions, key?.stores, key?.priceList, key?.rate],
        ['Boutik Ti Mari', ['products:read', 'reference:read', 'costs:read'], [1], 2, 1200],
      )
      assert.equal((await console.server.signIn({ client_id: id, client_secret: code })).status, 200)
      const answered = spawnSync('sh', ['-c', curl], { encoding: 'utf8' })
      if (answered.status !== 127)
        assert.match(answered.stdout, /"access_token":"svc_at_/, `${curl} ${answered.stderr}`)
      // For the developer; it is in the navigation, too.
      assert.equal(docs, 'https://api.example.com/docs')
      assert.equal(await page.evaluate(`document.querySelector('#navigation [target=_blank]').href`), docs)
      await page.click('.buttons .primary')
      await page.waitForSelector('#revoke')
      assert.ok(!(await page.content()).includes(code))
      await page.evaluate('history.back()')
      await says(page, '.empty', /shown once and cannot be shown again/)
    }))

  test('the code is copied, and whoever is told so hears it', () =>
    console.visit({}, async (page) => {
      const { id } = await console.makeKey()
      await open(page, console.base, `keys/${id}`)
      await page.click('#renew')
      await page.click('dialog[open] .do')
      await page.waitForSelector('.code-once')
      // A browser that refuses the clipboard: the code is selected instead.
      await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`)
      await page.click('.secret .copy')
      await says(page, '#message', /^Selected: copy it yourself \(Ctrl\+C\)$/)
      await says(page, '.secret .copy', /^Selected: copy it yourself \(Ctrl\+C\)$/)
      assert.equal(await page.evaluate('String(getSelection())'), await page.innerText('.secret code'))
      await page.evaluate(`navigator.clipboard.writeText = async (text) => { globalThis.copied = text }`)
      await page.click('.secret .copy')
      await says(page, '#message', /Copied/)
      // In other languages it is the same view, and the code is still there.
      for (const language of ['fr', 'ht', 'en']) {
        await page.selectOption('#language', language)
        await waitUntil(
          page,
          `document.documentElement.lang === '${language}' && document.querySelector('.secret code')`,
        )
      }
      const copied = String(await page.evaluate('copied'))
      assert.equal((await console.server.signIn({ client_id: id, client_secret: copied })).status, 200)
    }))

  test('bad input: every fault beside its question, and in a summary that gets the focus', () =>
    console.visit({ expected: /status of 400/ }, async (page) => {
      await open(page, console.base, 'keys/new')
      await page.fill('#rate', '0')
      await page.fill('#expires', day(-3))
      await page.fill('#addresses', 'here')
      await page.click('[type=submit]')
      // All at once, in the order of the questions.
      await says(
        page,
        '.faults',
        /Please fix.*A key needs a name.*Choose at least one kind.*whole number.*has passed.*"here" is neither/s,
      )
      await page.fill('#expires', '')
      await page.fill('#addresses', '')
      await page.click('[value="invoices:read"]')
      for (const rate of ['many', '1.5']) {
        await page.fill('#rate', rate)
        await page.keyboard.press('Enter')
        await says(page, '#rate-fault', /whole number of requests a minute from 1 to 1000000/)
      }
      assert.ok(await page.evaluate(`document.activeElement.matches('.faults')`))
      assert.deepEqual(await page.evaluate(`[...document.querySelectorAll('[aria-invalid]')].map(({ id }) => id)`), [
        'name',
        'rate',
      ])
      // What is costs alone opens nothing.
      await page.click('[value="invoices:read"]')
      await page.click('[value="costs:read"]')
      await page.click('[type=submit]')
      await says(page, '#permissions-fault', /at least one kind/)
    }))

  test('a refusal that is about no question is only in the summary', () =>
    console.visit({ expected: /status of 429/ }, async (page) => {
      await open(page, console.base, 'keys/new')
      // As the service answers a browser that has too many connections.
      const answer = {
        error: {
          faults: [{ code: 'rate_limited', field: '', values: { seconds: 2 }, sentence: 'Too many attempts.' }],
        },
      }
      await page.evaluate(`globalThis.fetch = async () => Response.json(${JSON.stringify(answer)}, { status: 429 })`)
      await page.click('[type=submit]')
      await says(page, '.faults', /Too many attempts/)
      assert.equal(await page.innerText('#rate-fault'), '')
    }))

  test('a part of a day is corrected without typing the rest again; an incomplete day is refused', () =>
    console.visit({ expected: /status of 400/ }, async (page) => {
      await open(page, console.base, 'keys/new')
      await page.fill('#expires', '2099-01-05')
      const month = `document.querySelector('#expires').focus()`
      await page.evaluate(month)
      await page.keyboard.press('Backspace')
      await page.click('[type=submit]')
      await says(page, '#expires-fault', /./)
      await page.evaluate(month)
      await page.keyboard.press('3')
      await waitUntil(page, `document.querySelector('#expires').value === '2099-03-05'`)
    }))

  test('a half-filled form asks before it is left; an untouched one, or one as it was, does not', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'keys/new')
      assert.equal(await wouldAsk(page), false)
      await page.click('.buttons .cancel')
      await waitUntil(page, `location.hash === '#keys'`)
      await open(page, console.base, 'keys/new')
      await page.fill('#name', 'Half')
      assert.equal(await wouldAsk(page), true)
      await page.click('.buttons .cancel')
      await says(page, 'dialog[open]', /Leave without saving\?.*typed here will be lost.*Stay here/s)
      await page.click('dialog[open] .cancel')
      assert.equal(await page.evaluate(`document.querySelector('#name').value`), 'Half')
      await page.fill('#name', '')
      assert.equal(await wouldAsk(page), false)
      await page.fill('#name', 'Half')
      await page.click('#navigation [href="#company"]')
      await page.click('dialog[open] .do')
      await isTitled(page, 'Company')
    }))

  test('a fault goes when its field is mended, the others stay', () =>
    console.visit({ expected: /status of 400/ }, async (page) => {
      await open(page, console.base, 'keys/new')
      await page.fill('#rate', 'many')
      await page.keyboard.press('Enter')
      await says(page, '.faults', /A key needs a name.*Choose at least one kind.*whole number/s)
      await page.fill('#rate', '7')
      await page.fill('#name', 'Mended')
      await waitUntil(page, `!/A key needs a name/.test(document.querySelector('.faults').innerText)`)
      await says(page, '.faults', /Choose at least one kind/)
      await page.click('[value="vendors:read"]')
      await waitUntil(page, `document.querySelector('.faults').innerText === ''`)
      assert.deepEqual(await texts(page, '.fault'), ['', '', '', '', '', '', ''])
    }))

  test('a key is changed, paused, resumed, given a new code and revoked; each says first what will stop working', () =>
    console.visit({}, async (page) => {
      const { id, code } = await console.makeKey({ name: 'Depot', stores: '1' })
      const key = () => console.state.findKey(id)
      await open(page, console.base, `keys/${id}`)
      await page.click(`a[href="#keys/${id}/edit"]`)
      await page.waitForSelector('.key-form')
      assert.equal(await page.evaluate(`document.querySelector('.stores [value="1"]').checked`), true)
      await page.click('[data-all=false]')
      await page.click('[value="vendors:read"]')
      await page.click('[value="all"]')
      await page.click('[type=submit]')
      await says(page, '#message', /takes effect immediately/)
      await page.waitForSelector('#revoke')
      assert.deepEqual(
        [(await key())?.permissions, (await key())?.stores],
        [['vendors:read', 'costs:read', 'customers:financial'], null],
      )

      await page.click('#pause')
      await says(page, 'dialog[open]', /Pause Depot\?.*refused until you resume/s)
      await page.click('dialog[open] .cancel')
      assert.equal((await key())?.isDisabled, false)
      await page.click('#pause')
      await page.click('dialog[open] .do')
      await says(page, '.badge', /Paused/)
      assert.equal((await key())?.isDisabled, true)
      await page.click('#resume')
      await says(page, '.badge', /Active/)

      await page.click('#renew')
      await says(page, 'dialog[open]', /current code stops working immediately/)
      await page.click('dialog[open] .do')
      await page.waitForSelector('.code-once')
      assert.equal((await console.server.signIn({ client_id: id, client_secret: code })).status, 401)

      // The code is not lost without a question, whichever way one leaves.
      const code1 = await page.innerText('.secret code')
      const isAsked = async () => {
        await says(page, 'dialog[open]', /Leave without saving the security code\?.*cannot be shown again/s)
        assert.equal(await page.evaluate<string>('location.hash'), `#keys/${id}/code`)
      }
      await page.click('#navigation [href="#health"]')
      await isAsked()
      await page.keyboard.press('Escape')
      await page.evaluate('history.back()')
      await isAsked()
      await page.click('dialog[open] .cancel')
      assert.equal(await page.innerText('.secret code'), code1)
      assert.equal(await wouldAsk(page), true)
      await page.evaluate(`location.hash = '#keys/${id}'`)
      await isAsked()
      await page.click('dialog[open] .do')
      await page.click('#revoke')
      await says(page, 'dialog[open]', /Permanently revoke Depot\?.*refused immediately.*cannot be undone/s)
      assert.ok(await page.evaluate(`document.activeElement.matches('dialog .cancel')`))
      await page.keyboard.press('Escape')
      assert.equal((await key())?.revokedAt, null)
      await page.click('#revoke')
      await page.click('dialog[open] .do')
      await says(page, '.badge', /Revoked/)
      assert.equal(await page.isVisible('#renew'), false)
      const acts = (await console.state.listAudit({ limit: 9, subjects: [id] })).map(({ act, by }) => `${act} ${by}`)
      assert.equal(acts[0], 'key revoked Marie, console')
    }))

  test('a code is rotated: both work, until when is said; the old one is ended after a question', () =>
    console.visit({}, async (page) => {
      const { id, code } = await console.makeKey({ name: 'Rotated' })
      const sign = async (own: string) => (await console.server.signIn({ client_id: id, client_secret: own })).status
      await open(page, console.base, `keys/${id}`)
      await page.click('#rotate')
      await says(page, 'dialog[open]', /second security code.*stay signed in.*How long do both codes work/s)
      // Nothing is done yet.
      assert.equal(await page.innerText('#rotate'), 'Rotate code')
      assert.equal(await page.evaluate(`document.querySelector('#overlap').value`), '24h')
      await page.selectOption('#overlap', '7d')
      await page.click('dialog[open] .do')
      await page.waitForSelector('.code-once')
      assert.equal(await heading(page), 'Rotated has a second security code')
      await says(page, '#main', /The old code works until/)
      const [, next = ''] = await texts(page, '.copy-row code')
      assert.deepEqual([await sign(code), await sign(next)], [200, 200])
      const until = (await console.state.findKey(id))?.oldCodeUntil ?? 0
      assert.ok(Math.abs(until - Date.now() - 7 * 86_400_000) < 600_000)

      await page.click('.buttons .primary')
      await says(page, '.notice', /Two security codes work/)
      assert.equal(await page.isVisible('#rotate'), false)
      await page.click('#finish')
      await page.click('dialog[open] .cancel')
      assert.equal(await sign(code), 200)
      await page.click('#finish')
      await says(page, 'dialog[open]', /still sign in with the old code are refused/)
      await page.click('dialog[open] .do')
      await says(page, '#message', /refused from now on/)
      assert.deepEqual([await sign(code), await sign(next)], [401, 200])
      assert.equal(await page.isVisible('#rotate'), true)
    }))

  test('a rotation that is refused keeps how long both codes shall work', () =>
    console.visit({ expected: /status of 4\d\d/ }, async (page) => {
      const { id } = await console.makeKey({ name: 'Refused' })
      await open(page, console.base, `keys/${id}`)
      await page.click('#rotate')
      await page.waitForSelector('#overlap')
      await page.selectOption('#overlap', '7d')
      await console.state.revokeKey(id, 'another, console')
      await page.click('dialog[open] .do')
      await says(page, 'dialog[open] .faults', /./)
      assert.equal(await page.evaluate(`document.querySelector('#overlap').value`), '7d')
    }))

  test('a last day and addresses: asked for in the form, shown, and told of when the day is near', () =>
    console.visit({ expected: /status of 400/ }, async (page) => {
      const { id } = await console.makeKey({ name: 'Ends' })
      await open(page, console.base, `keys/${id}/edit`)
      await page.fill('#expires', day(-3))
      await page.fill('#addresses', '10.1.2.3/8, shop.example')
      await page.click('[type=submit]')
      await says(page, '#expires-fault', /has passed: choose today/)
      await says(page, '#addresses-fault', /./)
      await says(
        page,
        '.faults',
        /give 10\.0\.0\.0\/8 for the whole range, or 10\.1\.2\.3.*"shop\.example" is neither/s,
      )
      await page.fill('#expires', day(12))
      await page.fill('#addresses', '10.0.0.0/8 192.0.2.7')
      await page.click('[type=submit]')
      await page.waitForSelector('#revoke')
      await says(page, '.notice', /This key expires after/)
      await says(page, '.facts', /Addresses\s+10\.0\.0\.0\/8, 192\.0\.2\.7/)
      const key = await console.state.findKey(id)
      assert.deepEqual([key?.expires?.day, key?.addresses], [day(12), ['10.0.0.0/8', '192.0.2.7']])
      await open(page, console.base, 'keys')
      await says(page, 'tbody', /Ends in 1[123] days/)
      // Emptied, both are taken away; nothing else is written.
      await open(page, console.base, `keys/${id}/edit`)
      await page.fill('#expires', '')
      await page.fill('#addresses', '')
      await page.click('[type=submit]')
      await page.waitForSelector('#revoke')
      const free = await console.state.findKey(id)
      assert.deepEqual([free?.expires, free?.addresses, free?.rate], [null, null, 60])
      await console.state.updateKey(id, { expires: { day: '2026-01-31', at: Date.now() } })
      await page.reload()
      await says(page, '.notice', /This key expired after January 31, 2026/)
      await says(page, '.badge', /Ended/)
    }))

  test('see as this key: its own records, fields, stores and prices, next to what it does not see', () =>
    console.visit({}, async (page) => {
      const { id } = await console.makeKey({
        name: 'Look',
        permissions: 'products:read,invoices:read,reference:read',
        stores: '1',
        priceList: '2',
      })
      await open(page, console.base, `keys/${id}/preview`)
      await page.evaluate(`document.querySelectorAll('details').forEach((each) => (each.open = true))`)
      const facts = await page.innerText('.facts')
      assert.match(facts, /Stores\s+stores\.name\.1\./)
      assert.match(facts, /Prices\s+Only 10$/)
      const names = await texts(page, '.seen summary strong')
      assert.deepEqual(names, [
        'Products',
        'Invoices',
        'Stores',
        'Sub-departments',
        'Departments',
        'Price lists',
        'Customer types',
      ])
      const seesNot = await page.innerText('.sees-not')
      for (const hidden of [
        'Customers',
        'Vendors',
        'Payments',
        'cost_total',
        'lines.cost',
        'average_cost',
        'price_lists',
      ])
        assert.ok(seesNot.includes(hidden), hidden)
      // Counted as lists without filters: with one, there are more products.
      await says(page, '#sees + .note', /lists without filters: inactive products and drafts .* are not in them/)
      const token = await console.server.tokenOf(await newCode(console, id))
      const all = await console.server.token()
      const total = async (path: string, by = token): Promise<number> =>
        (await console.server.ask(path, { token: by })).body.meta.total
      const products = await total('/products')
      assert.ok((await total('/products?status=all')) > products)
      const counts = await texts(page, '.seen summary span')
      assert.deepEqual(
        counts.slice(0, 2).map((each) => each.split(' · ')[0]),
        [`${products} records`, `${await total('/invoices')} of ${await total('/invoices', all)} records`],
      )
      // The very records that the key itself gets.
      const { data } = (await console.server.ask('/invoices?per_page=3', { token })).body as { data: { id: number }[] }
      const rows: string[] = await page.evaluate(
        `[...[...document.querySelectorAll('.seen')].find((each) => each.innerText.includes('Invoices')).querySelectorAll('tbody tr')].map((row) => row.cells[0].innerText)`,
      )
      assert.deepEqual(
        rows,
        data.map((record) => String(record.id)),
      )
      const fields: string[] = await page.evaluate(
        `[...[...document.querySelectorAll('.seen')].find((each) => each.innerText.includes('Invoices')).querySelectorAll('thead th')].map((cell) => cell.innerText)`,
      )
      assert.deepEqual(fields, Object.keys(data[0] ?? {}))
      // A closed part in an open one is shown as closed.
      const arrow = `getComputedStyle(document.querySelector('.seen[open] .whole > summary'), '::before').content`
      assert.equal(await page.evaluate(arrow), '"▾"')
      await page.click('.seen[open] .whole > summary')
      assert.equal(await page.evaluate(arrow), '"▸"')
      // A key that does not work: programs with it get nothing of this.
      await says(page, '.lead', /exactly as a program with this key gets them\.$/)
      for (const [change, words] of [
        [{ isDisabled: true }, /The key is paused: at present, programs with it get nothing\.$/],
        [{ expires: { day: '2026-01-31', at: Date.now() }, isDisabled: false }, /has ended: at present, .* nothing\.$/],
      ] as const) {
        await console.state.updateKey(id, change)
        await page.reload()
        await says(page, '.lead', words)
      }
      await console.state.revokeKey(id, 'Paul, console')
      await page.reload()
      await says(page, '.lead', /is revoked: programs with it will never get them again\.$/)
      // It cannot be brought back, but another one can be made like it.
      await open(page, console.base, `keys/${id}`)
      await page.click(`a[href="#keys/new?from=${id}"]`)
      await waitUntil(page, `document.querySelector('#name')?.value === 'Copy of Look'`)
    }))

  test('permissions that a key does not use are offered to be taken away', () =>
    console.visit({}, async (page) => {
      const { id } = await console.makeKey({ name: 'Idle' })
      const old = Date.now() - 31 * 86_400_000
      console.setLastUse(id, old, ['vendors:read', 'costs:read'])
      await open(page, console.base, 'usage')
      await says(page, '.unused', /Idle\s+Vendors\s+Costs/)
      await open(page, console.base, `keys/${id}`)
      await says(page, '.notice', /Not used in 30 days.*Vendors\s+Costs/s)
      await page.click('#remove-unused')
      await says(page, 'dialog[open]', /no longer be able to read: Vendors and Costs/)
      await page.click('dialog[open] .do')
      await says(page, '#message', /Removed/)
      assert.equal(await page.isVisible('.notice'), false)
      const left = permissions.filter((name) => name !== 'vendors:read' && name !== 'costs:read')
      assert.deepEqual((await console.state.findKey(id))?.permissions, left)
    }))
})

// Whether the browser asks before the tab is closed.
const wouldAsk = (page: Page): Promise<boolean> =>
  page.evaluate(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`)

// As the key itself would have got them.
async function newCode(console: Console, id: string) {
  const made = await console.server.run('keys', 'regenerate', '--json', id)
  return JSON.parse(made.stdout) as { client_id: string; client_secret: string }
}
