// The console's page in a real browser: accounts, what a viewer sees, presets and copies of keys, the theme, and state in the address.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { presets } from '../../src/catalogue/permissions.ts'
import { rotateKey } from '../../src/keys/rotation.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { noBrowser, waitUntil, type Page } from '../support/browser.ts'
import { isTitled, open, openConsole, says, secret, shown, type Console } from '../support/console.ts'

const values = (page: Page, selector: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ value }) => value)`)
const row = (name: string) => `[data-of="${name}"]`

describe("the console's page: accounts", { skip: noBrowser }, () => {
  let console: Console
  before(async () => {
    console = await openConsole()
  })
  after(() => console?.close())

  test('an account is made, gets another role and password, and is removed; each says first what it means', () =>
    console.visit({ expected: /status of 400/ }, async (page) => {
      const account = async () => (await console.state.listAccounts()).find(({ name }) => name === 'Jean')
      await open(page, console.base, 'accounts')
      await says(page, 'tbody', /Marie \(you\)\s+Administrator/)
      await page.fill('#name', '')
      await page.fill('#password', 'short')
      await page.fill('#repeat', 'shorter')
      await page.keyboard.press('Enter')
      await says(page, '.faults', /name of an account needs.*too short.*are different/s)
      assert.equal(await page.evaluate('document.activeElement.id'), 'name')
      await page.fill('#name', 'Paul')
      await page.fill('#password', secret)
      await page.fill('#repeat', secret)
      await page.keyboard.press('Enter')
      await says(page, '.faults', /already an account "Paul"/)
      await page.fill('#name', 'Jean')
      await page.fill('#password', secret)
      await page.fill('#repeat', secret)
      await page.keyboard.press('Enter')
      await says(page, '#message', /The account Jean is made/)
      assert.deepEqual(await values(page, '#name, #password, #repeat'), ['', '', ''])
      assert.equal((await account())?.role, 'viewer')

      await page.click(`${row('Jean')} .role`)
      await says(page, 'dialog[open]', /Make Jean an administrator\?.*can change everything.*signed out everywhere/s)
      await page.click('dialog[open] .do')
      await says(page, '#message', /Jean is changed/)
      assert.equal((await account())?.role, 'administrator')

      await page.click(`${row('Jean')} .set-password`)
      // The form behind it has such fields, too.
      await page.click('dialog[open] [for="ask-password"]')
      assert.equal(await page.evaluate('document.activeElement.id'), 'ask-password')
      await page.fill('#ask-password', 'another good one')
      await page.fill('#ask-repeat', 'another bad one')
      await page.click('dialog[open] .do')
      await says(page, 'dialog[open] .faults', /are different/)
      await page.fill('#ask-repeat', 'another good one')
      await page.keyboard.press('Enter')
      await page.waitForSelector('#ask', { state: 'hidden' })

      await page.click(`${row('Jean')} .remove`)
      await says(page, 'dialog[open]', /Remove the account of Jean\?.*can no longer sign in.*keep working/s)
      await page.click('dialog[open] .do')
      await says(page, '#message', /Jean is removed/)
      assert.equal(await account(), undefined)
      const acts = (await console.state.listAudit({ limit: 9, subjects: ['Jean'] })).map(
        ({ act, by }) => `${act}: ${by}`,
      )
      assert.equal(acts[0], 'account removed: Marie, console')
    }))

  test('a password can be looked at while it is typed', () =>
    console.visit({ isOutside: true }, async (page) => {
      await page.goto(console.base)
      await shown(page)
      await page.fill('#password', secret)
      assert.equal(await page.evaluate(`document.querySelector('#password').type`), 'password')
      await page.click('.secret-input button')
      await waitUntil(page, `document.querySelector('#password').type === 'text'`)
      assert.equal(await page.evaluate(`document.querySelector('#password').value`), secret)
    }))

  test('a viewer sees everything and no button that changes something', async () => {
    await console.state.createAccount('Vera', 'viewer', console.password)
    const { id } = await console.makeKey({ name: 'Looked at' })
    await rotateKey(console.state, id)
    for (let tries = 0; tries < 5; tries += 1)
      await console.server.signIn({ client_id: id, client_secret: 'svc_sk_wrong' }, { localAddress: '127.0.3.8' })
    const changing = `[...document.querySelectorAll('#main :is(button, a.button)')]
      .filter((each) => each.checkVisibility())
      .map((each) => each.id || each.getAttribute('href') || each.className || each.innerText)
      .filter((each) => !/preview$|^copy$|^sort$|span|^csv$|^Show|primary|^link$|older|reset/.test(each))`
    await console.visit({ by: 'Vera' }, async (page) => {
      for (const view of [
        'keys',
        `keys/${id}`,
        'usage',
        'blocks',
        'audit',
        'health',
        'company',
        'accounts',
        'account',
      ]) {
        await open(page, console.base, view)
        const left: string[] = await page.evaluate(changing)
        assert.deepEqual(
          left.filter((each) => !/Last|Clear filters/.test(each)),
          [],
          view,
        )
      }
      await open(page, console.base, `keys/${id}`)
      await says(page, '[aria-labelledby=codes-title]', /Two security codes work/)
      await open(page, console.base, 'accounts')
      const docs = await page.evaluate(`document.querySelector('#navigation [target=_blank]').href`)
      assert.equal(docs, `https://127.0.0.1:${console.server.https}/docs`)
      await says(page, 'tbody', /Vera \(you\)\s+Viewer/)
      await open(page, console.base, 'keys/new')
      await says(page, '#main', /^← Keys\s+New key\s+A viewer sees everything and changes nothing/)
    })
    await console.visit({ by: 'Marie' }, async (page) => {
      await open(page, console.base, `keys/${id}`)
      assert.ok((await page.evaluate<string[]>(changing)).length > 3)
    })
  })

  test('a preset ticks what such a program needs, and a key is copied into a new one', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'keys/new')
      for (const { id, permissions } of presets) {
        await page.click(`[data-preset=${id}]`)
        await waitUntil(page, `document.querySelectorAll('[name=permission]:checked').length === ${permissions.length}`)
        assert.deepEqual((await values(page, '[name=permission]:checked')).toSorted(), [...permissions].toSorted())
        const pressed = `[...document.querySelectorAll('[data-preset][aria-pressed=true]')].map((each) => each.dataset.preset)`
        assert.deepEqual(await page.evaluate(pressed), [id])
        const hint = await page.innerText('#main [role=status]')
        assert.equal(hint, id === 'web_shop' ? 'Also choose the web shop’s price list below.' : '')
      }
      const { id } = await console.makeKey({
        name: 'Original',
        stores: '1',
        priceList: '2',
        rate: '77',
        permissions: 'vendors:read',
      })
      await page.click('.buttons .cancel')
      await page.click('dialog[open] .do')
      await open(page, console.base, `keys/${id}`)
      await page.click(`a[href="#keys/new?from=${id}"]`)
      await waitUntil(page, `document.querySelector('#name')?.value === 'Copy of Original'`)
      await page.click('[type=submit]')
      await page.waitForSelector('.code-once')
      const made = (await console.state.listKeys()).find(({ name }) => name === 'Copy of Original')
      assert.deepEqual([made?.stores, made?.priceList, made?.rate, made?.permissions], [[1], 2, 77, ['vendors:read']])
    }))

  test('search, filter and sort of the keys are in the address; a key leads back to them', () =>
    console.visit({}, async (page) => {
      await console.makeKey({ name: 'Findable' })
      // Also from the bare address.
      await page.goto(console.base)
      await shown(page)
      await page.click('tbody a')
      await page.click('.back a')
      await waitUntil(page, `location.hash === '#keys'`)
      await shown(page)
      await page.fill('#find-key', 'findable')
      await page.click('[data-column=today]')
      await waitUntil(page, `location.hash === '#keys?search=findable&sort=-today'`)
      await page.reload()
      await shown(page)
      assert.deepEqual(await values(page, '#find-key'), ['findable'])
      assert.equal(await page.innerText('[aria-sort=descending]'), 'Requests today')
      await page.click('tbody a')
      await isTitled(page, 'Findable')
      await page.click('.back a')
      await waitUntil(page, `location.hash === '#keys?search=findable&sort=-today'`)
      await isTitled(page, 'Keys')
    }))

  test('keys that were not used in 30 days are found; new ones are given time', () =>
    console.visit({}, async (page) => {
      const [old] = [await console.makeKey({ name: 'Forgotten' }), await console.makeKey({ name: 'Brand new' })]
      const database = openSqlite(join(console.server.data, 'state.db'))
      database.prepare('UPDATE keys SET created_at = ? WHERE access_key = ?').run(Date.now() - 31 * 86_400_000, old.id)
      database.close()
      await open(page, console.base, 'keys?state=unused')
      await says(page, '#key-count', /^1 key$/)
      await says(page, 'tbody', /Forgotten/)
    }))

  test('the theme is chosen and remembered, against that of the system', () =>
    console.visit({ isDark: true }, async (page) => {
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
      const choose = (theme: string) => page.selectOption('#theme', theme)
      await open(page, console.base, 'keys')
      assert.equal(await ground(), 'rgb(18, 22, 26)')
      await choose('light')
      assert.equal(await ground(), 'rgb(255, 255, 255)')
      await page.reload()
      await shown(page)
      assert.equal(await ground(), 'rgb(255, 255, 255)')
      await choose('system')
      assert.equal(await ground(), 'rgb(18, 22, 26)')
    }))

  test('what is told ends with its view', () =>
    console.visit({}, async (page) => {
      const { id } = await console.makeKey({ name: 'Told' })
      await open(page, console.base, `keys/${id}`)
      await page.click('#pause')
      await page.click('dialog[open] .do')
      await says(page, '#message', /The key is paused/)
      await page.click('#navigation [href="#company"]')
      await isTitled(page, 'Company')
      assert.equal(await page.innerText('#message'), '')
    }))
})
