// The console's page in a real browser: usage, blocked callers, history, health, the company and the account.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { manualClock } from '../../src/platform/clock.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { openSqliteState } from '../../src/state/sqlite/state.ts'
import type { Usage } from '../../src/state/usage.ts'
import { noBrowser, waitUntil, type Page } from '../support/browser.ts'
import { heading, isTitled, open, openConsole, says, secret, shown, type Console } from '../support/console.ts'
import { attemptOf } from '../support/postgres-state.ts'
import { until } from '../support/process.ts'

const hourMs = 3_600_000
const count = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`document.querySelectorAll(${JSON.stringify(selector)}).length`)

// The lines of the file that the button saves, under its name.
async function downloaded(page: Page, name: string): Promise<string[]> {
  await page.evaluate(`(() => {
    globalThis.saved = undefined
    const { createObjectURL } = URL
    URL.createObjectURL = (blob) => (blob.text().then((text) => (saved = text)), createObjectURL(blob))
    HTMLAnchorElement.prototype.click = function () { globalThis.savedAs = this.download }
  })()`)
  await page.click('#csv')
  await waitUntil(page, 'globalThis.saved !== undefined')
  assert.match(await page.evaluate('savedAs'), new RegExp(`^${name}-\\d{4}-\\d\\d-\\d\\d\\.csv$`))
  return String(await page.evaluate('saved'))
    .trim()
    .split(/\r?\n/)
}

describe("the console's page: the service", { skip: noBrowser }, () => {
  let console: Console
  before(async () => {
    console = await openConsole()
  })
  after(() => console?.close())

  test('usage: nothing yet says what to do; then a chart and tables of all keys and of one, over a period in the address', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'usage')
      await says(page, '.empty', /No requests in this period.*Refused sign-ins are not counted here; see Blocked/s)
      const [one, other] = [await console.makeKey({ name: 'One' }), await console.makeKey({ name: 'Other' })]
      const hour = Date.now() - (Date.now() % hourMs)
      const use = (at: number, accessKey: string, requests: number, refused = 0): Usage[] => {
        const counted = { hour: hour - at * hourMs, accessKey, resource: 'invoices' }
        return [
          { ...counted, outcome: 'answered', requests: requests - refused, records: requests * 10 },
          { ...counted, outcome: 'not_allowed', requests: refused, records: 0 },
        ]
      }
      await console.state.addUsage([
        ...use(0, one.id, 5, 1),
        ...use(3, one.id, 7),
        ...use(0, other.id, 1000, 1),
        ...use(24 * 10, one.id, 30),
        ...use(24 * 200, one.id, 400),
      ])
      await open(page, console.base, 'keys')
      await open(page, console.base, 'usage')
      const chart = '[role=slider]'
      const value = () => page.locator(chart).getAttribute('aria-valuetext')
      const bars = () => count(page, '.chart g')
      await says(page, '.chart-figure', /Requests per hour\s+Answered 1,010\s+Not allowed 2/)
      assert.equal(await bars(), 24)
      await says(page, '.chart-figure', /The last bar, drawn lighter, has not ended yet/)
      assert.equal(await count(page, '.chart .partial'), 1)
      // Its values are read by the keyboard, and by pointing.
      await page.evaluate(`document.querySelector('${chart}').focus()`)
      await page.keyboard.press('End')
      await says(page, '.readout', /\(so far\): Answered 1,003, Not allowed 2$/)
      for (let times = 0; times < 3; times += 1) await page.keyboard.press('ArrowLeft')
      await says(page, '.readout', /: Answered 7$/)
      assert.match((await value()) ?? '', /: Answered 7$/)
      const { width } = (await page.locator('.chart').boundingBox()) ?? assert.fail('there is no chart')
      await page.hover('.chart', { position: { x: width - 20, y: 60 } })
      await says(page, '.readout', /\(so far\): Answered 1,003, Not allowed 2$/)
      await page.click('.as-table summary')
      assert.equal(await count(page, '.as-table tbody tr'), 24)
      assert.match(await page.innerText('.as-table tbody tr:last-child'), /1,005\s+10,050\s+2$/)
      assert.match(await page.innerText('#by-key'), /Other\s+1,000\s+10,000\s+1\s+Not allowed 1\s+One\s+12\s+120\s+1/)
      assert.match(await page.innerText('#by-cause'), /Not allowed\s+2\s+The key may not read/)

      await page.click('[data-span=month]')
      await says(page, '.chart-figure', /Requests per day\s+Answered 1,040/)
      assert.equal(await bars(), 30)
      assert.equal(await page.evaluate(`document.activeElement.dataset.span`), 'month')
      // The period is in the address: it survives a reload, and goes along to one key.
      await page.reload()
      await says(page, '.chart-figure', /Requests per day\s+Answered 1,040/)
      await page.click('[data-span=year]')
      await says(page, '.chart-figure', /Requests per month\s+Answered 1,440/)
      assert.equal(await bars(), 12)
      await page.click(`#by-key a[href="#usage/${one.id}?span=year"]`)
      await isTitled(page, 'Usage of One')
      await says(page, '.chart-figure', /Answered 441/)
      await page.click('[data-span=day]')
      await says(page, '.chart-figure', /Answered 11/)
      // A period of one's own.
      const ago = (days: number) => new Date(Date.now() - days * 24 * hourMs).toLocaleDateString('sv')
      await page.fill('#from', ago(11))
      await page.fill('#to', ago(9))
      await page.click('.own-period [type=submit]')
      await says(page, '.chart-figure', /Requests per day\s+Answered 30/)
      assert.equal(await bars(), 3)
      assert.equal(await count(page, '.chart .partial'), 0)
      assert.equal(await page.evaluate<string>('location.hash'), `#usage/${one.id}?from=${ago(11)}&to=${ago(9)}`)
      const lines = await downloaded(page, 'usage')
      assert.equal(lines.length, 2)
      assert.match(lines[1] ?? '', new RegExp(`${one.id}.*30,300`))
    }))

  test('real requests are counted for their key and its permissions', async () => {
    const { id, code } = await console.makeKey({ name: 'Real', permissions: 'invoices:read,vendors:read,costs:read' })
    const token = await console.server.tokenOf({ client_id: id, client_secret: code })
    console.setLastUse(id, 0, ['invoices:read', 'vendors:read', 'costs:read'])
    assert.equal((await console.server.ask('/products', { token })).status, 403)
    assert.equal((await console.server.ask('/invoices', { token })).status, 200)
    // The refused request uses the key, too, and may be handed over before the other.
    const permissions = await until('the use of a permission is handed over', async () => {
      const listed = await console.state.listLastUse('permissions', id)
      return listed.some(({ at }) => at > 0) ? listed : undefined
    })
    const [used] = await console.state.listLastUse('keys', id)
    // An invoice shows its costs to a key that may see them.
    const hours = permissions.map(({ permission, at }) => [permission, at])
    assert.deepEqual(hours, [
      ['costs:read', used?.at],
      ['invoices:read', used?.at],
      ['vendors:read', 0],
    ])
    await console.visit({}, async (page) => {
      await open(page, console.base, `usage/${id}`)
      await says(page, '.chart-figure', /Answered 1\s+Not allowed 1/)
      // The key's page shows what was refused, too.
      await open(page, console.base, `keys/${id}`)
      await says(page, '#by-cause', /Not allowed\s+1\s+The key may not read/)
      await says(page, '#by-resource', /Products\s+1\s+0\s+1\s+Not allowed 1/)
      await says(page, '#by-cause + .note', /^Refused sign-ins are not counted here; see Blocked callers\.$/)
      await page.click('#by-cause + .note a')
      await isTitled(page, 'Blocked callers')
    })
  })

  test('blocked callers: who, for what and until when; unblocked after a question', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'blocks')
      await says(page, '.empty', /No callers are blocked/)
      const { id } = await console.makeKey({ name: 'Guessed' })
      for (let tries = 0; tries < 5; tries += 1)
        await console.server.signIn({ client_id: id, client_secret: 'svc_sk_wrong' }, { localAddress: '127.0.3.3' })
      await open(page, console.base, 'keys')
      await open(page, console.base, 'blocks')
      assert.match(await page.innerText('table.cards'), /127\.0\.3\.3\s+the key Guessed\s+5/)
      // The key's page says it, too, and each leads to the other.
      await page.click(`table.cards a[href="#keys/${id}"]`)
      await says(
        page,
        '[aria-labelledby=blocked-title]',
        /1 address is blocked for this key.*127\.0\.3\.3 after 5 refused sign-ins, until .*20\d\d/s,
      )
      await page.click('[aria-labelledby=blocked-title] a')
      await isTitled(page, 'Blocked callers')
      const { id: other } = await console.makeKey({ name: 'Not guessed' })
      await open(page, console.base, `keys/${other}`)
      await says(page, '#main', /No requests in this period\s+Refused sign-ins are not counted here/)
      assert.equal(await page.isVisible('[aria-labelledby=blocked-title]'), false)
      await open(page, console.base, 'blocks')
      await page.click('[aria-label="Unblock: 127.0.3.3"]')
      await says(page, 'dialog[open]', /Unblock 127\.0\.3\.3\?.*guess/s)
      await page.click('dialog[open] .do')
      await says(page, '.empty', /No callers are blocked/)
      assert.deepEqual(await console.state.listBlocks(), [])
      for (const [languages, words] of [
        ['en', /Blocks ended 1\s+Counts of failures reset \d/],
        ['fr', /Blocages levés 1\s+Compteurs d’échecs remis à zéro \d/],
        ['ht', /Blokaj retire 1\s+Kontè move esè remete a zewo \d/],
      ] as const)
        await console.visit({ languages }, async (other) => {
          await open(other, console.base, 'audit?action=blocks+cleared&subject=127.0.3.3')
          await says(other, '#entries', words)
        })
    }))

  test('history: who did what to what, filtered by each, and as far back as one likes', () =>
    console.visit({ by: 'Paul' }, async (page) => {
      const { id } = await console.makeKey({ name: 'Story' })
      await console.state.updateKey(id, { rate: 7, permissions: ['vendors:read'] }, 'Paul, console')
      for (let times = 0; times < 120; times += 1) await console.state.setEnabled(times % 2 === 1, 'root, command line')
      await open(page, console.base, 'audit')
      assert.equal(await count(page, '#entries tbody tr'), 100)
      await page.click('.older')
      await waitUntil(page, `document.querySelectorAll('#entries tbody tr').length > 120`)
      await page.selectOption('#action', 'key changed')
      await page.fill('#subject', id)
      await page.keyboard.press('Enter')
      await waitUntil(page, `document.querySelectorAll('#entries tbody tr').length === 1`)
      const entry = await page.innerText('#entries tbody')
      assert.match(entry, /Key changed\s+Story\s+svc_ak_\w+\s+Paul/)
      // Long entries are closed until they are opened.
      assert.match(entry, /May read and Requests a minute$/)
      await page.click('#entries .long summary')
      const opened = await page.innerText('#entries tbody')
      assert.match(opened, /removed: Products, Customers/)
      assert.match(opened, /Requests a minute 60 → 7/)
      await page.selectOption('#by', 'root, command line')
      await page.click('[type=submit]')
      await says(page, '#entries', /No entries found/)
      assert.match(
        await page.evaluate<string>('location.hash'),
        /^#audit\?action=key\+changed&by=root%2C\+command\+line&subject=svc/,
      )
      await page.reload()
      await says(page, '#entries', /No entries found/)
      assert.equal(await page.evaluate(`document.querySelector('#subject').value`), id)
      await page.click('[type=reset]')
      await waitUntil(page, `document.querySelectorAll('#entries tbody tr').length === 100`)
      // What was typed and not sent is cleared, too.
      await page.fill('#subject', 'unsent')
      await page.click('[type=reset]')
      await waitUntil(page, `document.querySelector('#subject').value === ''`)
      await page.fill('#to', '2020-01-01')
      // What is typed the moment the answer is shown is kept.
      await page.evaluate(`void new MutationObserver((_, observer) => {
        if (!document.querySelector('#entries .empty')) return
        observer.disconnect()
        const from = document.querySelector('#from')
        from.value = '2020-01-02'
        from.dispatchEvent(new Event('input', { bubbles: true }))
      }).observe(document.querySelector('#main'), { childList: true, subtree: true })`)
      await page.click('[type=submit]')
      await says(page, '#entries', /No entries found/)
      // The browser refuses the days the wrong way round, as for usage.
      await page.click('[type=submit]')
      await page.waitForSelector(':is(#from:invalid):focus')
      assert.match(await page.evaluate<string>('location.hash'), /^#audit\?to=2020-01-01$/)
    }))

  test('history: stores, price lists and keys are named beside their ids; all that is filtered is downloaded', () =>
    console.visit({}, async (page) => {
      const { id } = await console.makeKey({ name: 'Named', stores: '1', priceList: '2', permissions: 'vendors:read' })
      for (let tries = 0; tries < 5; tries += 1)
        await console.server.signIn({ client_id: id, client_secret: 'svc_sk_wrong' }, { localAddress: '127.0.3.9' })
      await open(page, console.base, `audit?subject=${id}`)
      await page.evaluate(`document.querySelectorAll('#entries details').forEach((each) => (each.open = true))`)
      await says(page, '#entries', /Stores stores\.name\.1\..* \(1\).*Price list .*10.* \(2\)/s)
      await open(page, console.base, 'audit?subject=127.0.3.9')
      await says(page, '#entries', new RegExp(`Access key Named \\(${id}\\)`))
      const lines = await downloaded(page, 'history')
      assert.equal(lines.length, 2)
      assert.match(lines[1] ?? '', /caller blocked.*127\.0\.3\.9/)
    }))

  test('history: blocks that were only counted are told in plain words, in each language', async () => {
    // In an hour of its own.
    const clock = manualClock(Date.now() - (Date.now() % hourMs) - 10 * hourMs)
    const flooded = openSqliteState({ path: join(console.server.data, 'state.db'), clock })
    for (let from = 1; from <= 23; from += 1)
      for (let turn = 0; turn < 5; turn += 1)
        await flooded.requestToken(attemptOf({ accessKey: 'svc_ak_x', securityCode: 'svc_sk_x' }, `10.9.0.${from}`))
    await flooded.close()
    for (const [languages, ...words] of [
      ['en', 'More callers blocked', 'Several addresses', 'Further blocks in the same hour: 3 (addresses: 3)'],
      [
        'fr',
        'Autres appelants bloqués',
        'Plusieurs adresses',
        'Autres blocages dans la même heure\u00A0: 3 (adresses\u00A0: 3)',
      ],
      ['ht', 'Lòt adrès bloke', 'Plizyè adrès', 'Lòt blokaj nan menm lè a: 3 (adrès: 3)'],
    ] as const)
      await console.visit({ languages }, async (page) => {
        await open(page, console.base, 'audit')
        await page.selectOption('#action', 'more callers blocked')
        await page.click('[type=submit]')
        await waitUntil(page, `document.querySelectorAll('#entries tbody tr').length === 1`)
        const entry = await page.innerText('#entries tbody')
        for (const each of words) assert.ok(entry.includes(each), entry)
      })
  })

  test('health: all that is asked for, looked at again by itself', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'health')
      await says(page, '.verdict', /^Everything works$/)
      const cards = await page.innerText('.cards-grid')
      for (const part of [/Company data\s+Available/, /Keys and sessions\s+Available/, /\d+ days left/])
        assert.match(cards, part)
      assert.equal(await page.isVisible('#count'), false)
      await page.click('.figures > summary')
      const figures = await page.innerText('.figures .cards-grid')
      for (const part of [/Busy readers\s+\d of \d/, /Waiting requests\s+0/, /Stopped statements\s+0/, /tills\s+–/])
        assert.match(figures, part)
      await waitUntil(page, `document.querySelectorAll('.volume tbody tr').length === 17`)
      await says(page, '.figures', /Number of records in each list\s+The numbers are of the lists without filters/)
      const before = await page.innerText('#updated')
      await waitUntil(page, `document.querySelector('#updated').innerText !== ${JSON.stringify(before)}`)
      // After sign-out the page stops polling.
      await page.evaluate(`(() => {
        globalThis.looking = 0
        const clear = globalThis.clearInterval
        globalThis.clearInterval = (timer) => (looking += 1, clear(timer))
      })()`)
      await page.click('.tools .sign-out')
      await says(page, '.said', /You are signed out/)
      assert.equal(await page.evaluate('looking'), 1)
    }))

  test('health: how far back the change feed reaches', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'health')
      await says(page, '.cards-grid', /Change feed\s+–\s+No program has asked for changes/)
      const token = await console.server.token()
      await console.server.ask('/changes', { token })
      await page.reload()
      await says(page, '.cards-grid', /Change feed\s+All changes\s+Every change/)
      const till = openSqlite(join(console.server.data, 'pos.db'))
      till.exec(
        `UPDATE stores SET name = 'One'; UPDATE stores SET name = 'Two'; DELETE FROM vitrine_journal WHERE seq = 1`,
      )
      till.close()
      await console.server.ask('/changes', { token })
      await page.reload()
      await says(page, '.cards-grid', /Change feed\s+Since .*20\d\d\s+A program that last asked before then/)
    }))

  test('health: what a copy keeps out, and which relations wait', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'health')
      await says(page, '.verdict', /^Everything works$/)
      const copy = {
        age_seconds: 7,
        problem: null,
        failing_since: null,
        kept_out: [{ relation: 'invoice_lines', rows: 2 }],
        waiting: [{ relation: 'products', had: 345, has: 1, lost: 344 }],
      }
      await page.evaluate(`(() => {
        const ask = globalThis.fetch
        globalThis.fetch = async (...given) => {
          const answer = await ask(...given)
          if (!String(given[0].url ?? given[0]).includes('/api/health')) return answer
          return Response.json({ ...(await answer.json()), copy: ${JSON.stringify(copy)} })
        }
      })()`)
      await says(page, '.verdict', /2 things need your attention/)
      await says(page, '.cards-grid', /Kept out of the copy\s+2 rows\s+Wrong in the POS: invoice_lines \(2\)\./)
      await says(page, '.cards-grid', /Copy of products\s+Waits: 345 rows, now 1\s+344 rows would be deleted/)
    }))

  test('health: which lists are read from the database, and why', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'health')
      await page.click('.figures > summary')
      await says(page, '#lists', /^All lists are served from memory\.$/)
      const till = openSqlite(join(console.server.data, 'pos.db'))
      till.exec('DROP TRIGGER vitrine_invoices_insert')
      till.close()
      // Noticed by those that are asked for: all of them are counted here.
      await waitUntil(page, `document.querySelectorAll('.volume tbody tr').length === 17`)
      await page.click('#count')
      await says(page, '#lists', /These lists are read from the database.*Invoices.*Credit memos.*schema apply/s)
    }))

  test('company: off after a question that says what it means, and on again', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'company')
      await says(page, '.switch', /The subscription is on/)
      await page.click('#switch')
      await says(page, 'dialog[open]', /refused immediately.*active keys?.*again at any time/s)
      await page.click('dialog[open] .do')
      await says(page, '.switch', /The subscription is off.*Keys, codes and history are kept/s)
      assert.equal(await console.state.isEnabled(), false)
      // Wherever one is.
      await page.click('#navigation [href="#keys"]')
      await page.waitForSelector('#switch', { state: 'detached' })
      await says(page, '#off', /The subscription is off/)
      await page.click('#off a')
      await shown(page)
      await page.click('#switch')
      await says(page, '.switch', /The subscription is on/)
      assert.equal(await console.state.isEnabled(), true)
      await page.waitForSelector('#off', { state: 'hidden' })
      assert.equal(await page.evaluate(`document.querySelector('#navigation [aria-current]').hash`), '#company')
      assert.equal(await page.evaluate('document.activeElement.id'), 'switch')
    }))

  test('account: the password is changed by whoever knows it, and everybody is signed out', () =>
    console.visit({ by: 'Rose', expected: /status of 40[03]/ }, async (page) => {
      await open(page, console.base, 'account')
      const fill = async (current: string, chosen: string, repeat = chosen) => {
        await page.fill('#current', current)
        await page.fill('#password', chosen)
        await page.fill('#repeat', repeat)
        await page.keyboard.press('Enter')
      }
      await fill(secret, 'another good one', 'another bad one')
      await says(page, '.faults', /are different/)
      await fill(secret, 'short')
      await says(page, '.faults', /too short: it needs 12/)
      await fill('wrong password', 'another good one')
      await says(page, '.faults', /current password is wrong/)
      await fill(secret, 'another good one')
      await says(page, '.said', /The password is set/)
      assert.equal(await heading(page), 'Sign in')
    }))

  test('everybody is signed out, everywhere', () =>
    console.visit({}, async (page) => {
      await console.visit({ by: 'Paul', expected: /status of 401/ }, async (other) => {
        await open(other, console.base, 'keys')
        await open(page, console.base, 'account')
        await page.click('#everywhere')
        await says(page, 'dialog[open]', /all other administrators have to sign in again/)
        await page.click('dialog[open] .do')
        await says(page, '.said', /All administrators are signed out/)
        await other.goto(`${console.base}#company`)
        await says(other, '#again[open]', /Your session has ended/)
      })
      await shown(page)
    }))
})
