// The console's page in a real browser when something goes wrong: sessions that end, two administrators at once, a service that is
// lost, the link of the first start, and a stranger who guesses the password.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { hashSecret, makeToken } from '../../src/auth/secrets.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { noBrowser, waitUntil, type Page } from '../support/browser.ts'
import { heading, isTitled, open, openConsole, says, secret, shown, type Console } from '../support/console.ts'
import { freePort } from '../support/free-port.ts'
import { startServer, type Server } from '../support/process.ts'

const signIn = async (page: Page) => {
  await page.fill('#name', 'Ada')
  await page.fill('#password', secret)
  await page.keyboard.press('Enter')
}

describe("the console's page: troubles", { skip: noBrowser }, () => {
  let console: Console
  before(async () => {
    console = await openConsole({ settings: { VITRINE_CONSOLE_PORT: String(await freePort()) } })
  })
  after(() => console?.close())

  test('a session that has ended is begun again over the form, which keeps what was typed and is then sent', () =>
    console.visit({ expected: /status of 401/ }, async (page) => {
      await open(page, console.base, 'keys/new')
      await page.fill('#name', 'Kept')
      await page.click('[value="vendors:read"]')
      await console.state.endSessions('a test')
      await page.click('[type=submit]')
      await says(page, '#again[open]', /Your session has ended.*Nothing you typed is lost/s)
      assert.equal(await page.evaluate(`document.querySelector('#again-name').value`), 'Marie')
      assert.equal(await page.evaluate(`document.activeElement.id`), 'again-password')
      // The form is as wide as the dialog.
      const widths = `['h2', 'form'].map((name) => document.querySelector('#again ' + name).clientWidth)`
      const [wide, own] = await page.evaluate<number[]>(widths)
      assert.equal(own, wide)
      await page.keyboard.press('Escape')
      assert.ok(await page.evaluate(`document.querySelector('#again').open`))
      await page.fill('#again-password', 'wrong password')
      await page.keyboard.press('Enter')
      await says(page, '#again .faults', /Wrong name or password/)
      await page.fill('#again-password', secret)
      await page.keyboard.press('Enter')
      await page.waitForSelector('.code-once')
      assert.equal(await heading(page), 'The key for Kept is ready')
      assert.equal((await console.state.listKeys()).filter(({ name }) => name === 'Kept').length, 1)
    }))

  test('the cookie alone, which browsers send to every port of a machine, opens nothing', () =>
    console.visit({ expected: /401/ }, async (page) => {
      await open(page, console.base, 'keys')
      assert.equal(await page.evaluate(`fetch('/api/keys').then(({ status }) => status)`), 401)
      const withProof = `fetch('/api/keys', { headers: { 'X-Vitrine-Session': localStorage.session } })`
      assert.equal(await page.evaluate(`${withProof}.then(({ status }) => status)`), 200)
    }))

  test('another language keeps what was typed and chosen', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'keys/new')
      await page.fill('#name', 'Ti boutik')
      await page.click('[value="products:read"]')
      await page.click('[value="some"]')
      await page.click('.stores [value="1"]')
      await page.focus('#language')
      await page.selectOption('#language', 'fr')
      await waitUntil(page, `document.documentElement.lang === 'fr' && document.activeElement.id === 'language'`)
      const kept = `[document.querySelector('#name').value, document.querySelector('.stores').hidden,
        ...[...document.querySelectorAll(':checked:not(option)')].map(({ value }) => value)]`
      assert.deepEqual(await page.evaluate(kept), ['Ti boutik', false, 'products:read', 'some', '1'])
    }))

  test('whoever is signed out stays outside, whatever the address; what was open inside is gone', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'keys/new')
      await page.fill('#name', 'Secretive')
      await page.click('[value="vendors:read"]')
      await page.click('[type=submit]')
      await page.waitForSelector('.code-once')
      await page.click('.tools .sign-out')
      await says(page, 'dialog[open]', /Leave without saving the security code/)
      await page.click('dialog[open] .do')
      await says(page, '.said', /signed out/)
      const before = await page.evaluate<string>('location.hash')
      await page.evaluate(`location.hash = '#health'`)
      await page.evaluate('history.back()')
      await waitUntil(page, `location.hash === ${JSON.stringify(before)}`)
      const asked = page.asked.filter(({ url }) => url.includes('/api/')).map(({ url }) => new URL(url).pathname)
      assert.deepEqual(asked.slice(-2), ['/api/session', '/api/session'], 'signing out, and what the page shows then')
      assert.equal(await heading(page), 'Sign in')
      assert.equal(await page.evaluate(`document.querySelector('#again').open`), false)
      await page.fill('#name', 'Rose')
      await page.fill('#password', secret)
      await page.keyboard.press('Enter')
      await says(page, '#main', /shown once and cannot be shown again/)
      assert.equal(await page.innerText('.who'), 'Rose')
      assert.equal(await page.evaluate(`document.querySelector('#navigation').hidden`), false)
    }))

  test('whoever signs in again is shown, and signing out asks for no password', () =>
    console.visit({ expected: /status of 401/ }, async (page) => {
      await open(page, console.base, 'keys')
      await console.state.endSessions('a test')
      await page.click('#navigation [href="#company"]')
      await says(page, '#again[open]', /Your session has ended/)
      await page.fill('#again-name', 'Carol')
      await page.fill('#again-password', secret)
      await page.keyboard.press('Enter')
      await says(page, '.who', /^Carol$/)
      // What had waited for the sign-in would otherwise find the session ended, and ask for it over the button.
      await isTitled(page, 'Company')
      await shown(page)
      await console.state.endSessions('a test')
      await page.click('.tools .sign-out')
      await says(page, '.said', /signed out/)
    }))

  test('while the POS database is away, a key can be opened and paused, and health says what to do', async () => {
    const { id } = await console.makeKey({ name: 'Lonely', stores: '1', priceList: '2' })
    const pos = openSqlite(join(console.server.data, 'pos.db'))
    pos.exec('ALTER TABLE stores RENAME TO stores_away')
    try {
      await console.visit({ expected: /status of 50[0-9]/ }, async (page) => {
        await open(page, console.base, `keys/${id}`)
        await says(page, '.facts', /Store 1/)
        await page.click('#pause')
        await page.click('#ask .do')
        await says(page, '.badge', /Paused/)
        await page.waitForSelector('#resume:focus')
        await open(page, console.base, `keys/${id}/edit`)
        await says(page, '.warning', /does not answer/)
        await open(page, console.base, `keys/new?from=${id}`)
        await waitUntil(page, `document.querySelector('#price_list')?.selectedOptions[0]?.value === '2'`)
        await open(page, console.base, 'health')
        await says(
          page,
          '.verdict',
          /One thing needs your attention.*Company data: Not available.*Check that the database is running/s,
        )
      })
    } finally {
      pos.exec('ALTER TABLE stores_away RENAME TO stores')
      pos.close()
    }
  })

  test('while the state cannot be read, the page says so, and begins when it is tried again', () =>
    console.visit({ expected: /status of 500/ }, async (page) => {
      const file = openSqlite(join(console.server.data, 'state.db'))
      file.exec('ALTER TABLE company RENAME TO company_away')
      try {
        await page.goto(console.base)
        await says(page, '.problem-box', /Try again/)
      } finally {
        file.exec('ALTER TABLE company_away RENAME TO company')
        file.close()
      }
      await page.click('.try-again')
      await isTitled(page, 'Keys')
      assert.equal(await page.evaluate(`document.querySelector('#navigation [aria-current]').hash`), '#keys')
    }))

  test('odd addresses are no pages, and a question is not asked on another one', () =>
    console.visit({}, async (page) => {
      const { id } = await console.makeKey({ name: 'Asked' })
      for (const odd of ['constructor', '__proto__', 'toString']) {
        await open(page, console.base, odd)
        await says(page, '#main', /Page not found/)
      }
      await open(page, console.base, `keys/${id}`)
      await page.click('#revoke')
      await page.waitForSelector('#ask[open]')
      await page.evaluate(`location.hash = '#health'`)
      await page.waitForSelector('#ask', { state: 'hidden' })
    }))

  test('two administrators at once: the second is told, loses nothing of the first, and sees what it is now', () =>
    console.visit({ by: 'Marie', expected: /status of 409/ }, (page) =>
      console.visit({ by: 'Paul' }, async (other) => {
        const { id } = await console.makeKey({ name: 'Both' })
        await open(page, console.base, `keys/${id}/edit`)
        await open(other, console.base, `keys/${id}/edit`)
        await other.fill('#rate', '99')
        await other.keyboard.press('Enter')
        await says(other, '#message', /takes effect immediately/)
        await page.fill('#name', 'Mine')
        await page.keyboard.press('Enter')
        await says(page, '.faults', /Another administrator changed Both.*Nothing was saved/s)
        const key = await console.state.findKey(id)
        assert.deepEqual([key?.name, key?.rate], ['Both', 99])
        await page.click('.faults a')
        await page.click('dialog[open] .do')
        await says(page, '.facts', /Requests a minute\s+99/)
        const acts = await console.state.listAudit({ limit: 1, subjects: [id] })
        assert.equal(acts[0]?.by, 'Paul, console')
      }),
    ))

  test('a key that somebody else has revoked meanwhile can be neither changed nor revoked again', () =>
    console.visit({ expected: /status of (404|409)/ }, async (page) => {
      const { id } = await console.makeKey({ name: 'Gone' })
      const { id: other } = await console.makeKey({ name: 'Going' })
      await open(page, console.base, `keys/${other}/edit`)
      await console.state.revokeKey(other, 'Paul, console')
      await page.fill('#name', 'Back')
      await page.keyboard.press('Enter')
      await says(page, '.faults', /was revoked/)
      await page.click('.faults a')
      await page.click('dialog[open] .do')
      await says(page, '.badge', /Revoked/)
      await open(page, console.base, `keys/${id}`)
      await console.state.revokeKey(id, 'Paul, console')
      await page.click('#revoke')
      await page.click('dialog[open] .do')
      await says(page, 'dialog[open] .faults', /was revoked/)
      await page.click('dialog[open] .cancel')
      await open(page, console.base, `keys/${id}/edit`)
      await says(page, '.badge', /Revoked/)
      await open(page, console.base, 'keys/svc_ak_nobody')
      await says(page, '.problem-box', /There is no key svc_ak_nobody/)
      await open(page, console.base, 'nothing')
      await says(page, '#main h1', /Page not found/)
    }))

  test('a service that is lost: it is said, what is typed stays, and the page goes on when it is back', () =>
    console.visit({ expected: /Failed to load|ERR_CONNECTION/ }, async (page) => {
      await open(page, console.base, 'keys/new')
      await page.fill('#name', 'Survivor')
      await page.click('[value="vendors:read"]')
      const { server } = console
      await server.stop()
      await page.click('[type=submit]')
      await says(page, '.faults', /change may have been made/)
      await says(page, '#lost', /cannot be reached/)
      const started: Server[] = []
      const start = async () => {
        started.push(await startServer({ folder: server.data, settings: server.settings }))
      }
      try {
        await start()
        await page.waitForSelector('#lost', { state: 'hidden' })
        assert.equal(await page.evaluate(`document.querySelector('#name').value`), 'Survivor')
        await page.click('[type=submit]')
        await page.waitForSelector('.code-once')
        await page.click('.buttons .primary')
        await page.waitForSelector('#revoke')
        // A view that could not be shown is shown by itself.
        await started[0]?.stop()
        await page.goto(`${console.base}#company`)
        await says(page, '.problem-box', /cannot be reached.*Try again/s)
        await start()
        await says(page, '.switch', /The subscription is on/)
      } finally {
        for (const each of started) await each.stop()
      }
    }))
})

describe("the console's page: the first start", { skip: noBrowser }, () => {
  let console: Console
  before(async () => {
    console = await openConsole()
    const database = openSqlite(join(console.server.data, 'state.db'))
    database.exec('DELETE FROM accounts')
    database.close()
  })
  after(() => console?.close())

  test('without an account, it says where the link is; with the link, one is made once, and one is in', () =>
    console.visit({ isOutside: true, expected: /status of 40[0-9]/ }, async (page) => {
      await page.goto(console.base)
      await says(page, '.empty', /No account exists yet.*console-link\.txt.*vitrine admin password/s)
      const link = makeToken()
      await console.state.offerLink(hashSecret(link))
      // Into the very page that says so: its fragment alone changes.
      await page.goto(`${console.base}#link=${link}`)
      await isTitled(page, 'Make your account')
      await page.fill('#password', secret)
      await page.fill('#repeat', secret)
      await page.keyboard.press('Enter')
      // Without a name the link is not used up.
      await says(page, '.faults', /^The name of an account needs/)
      // All at once.
      await page.fill('#password', 'short')
      await page.keyboard.press('Enter')
      await says(page, '.faults', /name of an account needs.*too short.*are different/s)
      assert.deepEqual(await console.state.listAccounts(), [])
      await page.fill('#name', 'Ada')
      await page.fill('#password', 'aaaaaaaaaaaaaaa')
      await page.fill('#repeat', 'aaaaaaaaaaaaaaa')
      await page.keyboard.press('Enter')
      await says(page, '.faults', /too simple/)
      await page.fill('#password', secret)
      await page.fill('#repeat', secret)
      await page.keyboard.press('Enter')
      await isTitled(page, 'Keys')
      assert.equal(await page.evaluate<string>('location.hash'), '#keys')
      assert.ok(!page.asked.some(({ url }) => url.includes(link)))
      await page.click('.tools .sign-out')
      await says(page, '.said', /signed out/)
      assert.equal(await heading(page), 'Sign in')
      // A second time, it is a way to sign in, and nothing else.
      for (const [language, words] of [
        ['fr', /^Ce lien a été utilisé ou a expiré\./],
        ['ht', /^Lyen sa a te gentan sèvi, oswa li fini\./],
        [
          'en',
          /^This link has been used or has expired\. Sign in with your account; if you have none, an administrator/,
        ],
      ] as const) {
        await page.selectOption('#language', language)
        await waitUntil(page, `document.documentElement.lang === '${language}'`)
        await page.goto('about:blank')
        await page.goto(`${console.base}#link=${link}`)
        await says(page, '.said', words)
      }
      assert.deepEqual([await heading(page), await page.evaluate<string>('location.hash')], ['Sign in', '#keys'])
    }))

  test('somebody else guesses from this address: who has signed in here before gets in, who has not is told how long to wait', async () => {
    const database = openSqlite(join(console.server.data, 'state.db'))
    const write = database.prepare(
      `INSERT OR REPLACE INTO failures (address, key_hash, started_at, count, blocked_until) VALUES (?, x'', ?, 12, ?)`,
    )
    const guessed = (untilMs: number) => write.run('console 127.0.0.1', Date.now(), untilMs)
    try {
      await console.visit({ isOutside: true, expected: /status of (401|429)/ }, async (page) => {
        await page.goto(console.base)
        await shown(page)
        guessed(Date.now() + 60_000)
        await signIn(page)
        await says(page, '.faults', /^Too many wrong passwords\. Try again in \d\d seconds; until then/)
        guessed(Date.now())
        await signIn(page)
        await isTitled(page, 'Keys')
        await page.click('.tools .sign-out')
        await says(page, '.said', /signed out/)
        guessed(Date.now() + 60_000)
        await signIn(page)
        await isTitled(page, 'Keys')
      })
    } finally {
      database.close()
    }
  })
})
