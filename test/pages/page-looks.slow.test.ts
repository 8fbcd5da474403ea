// The console's page as people meet it: in three languages, on a phone and on a wide screen, light and dark, by the keyboard and by
// a screen reader, with five thousand keys; and that it is light, quick to be seen, and from the service alone.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { consoleFile, consolePaths } from '../../src/web/console/files.ts'
import { noBrowser, waitUntil, type Page } from '../support/browser.ts'
import { isLong } from '../support/how-much.ts'
import { heading, isTitled, open, openConsole, says, secret, shown, type Console } from '../support/console.ts'

const axe = findAxe()
const withoutAxe = axe === undefined && 'axe-core is not installed'

function findAxe(): string | undefined {
  try {
    return readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  } catch {
    return undefined
  }
}

for (const language of ['en', 'fr', 'ht'])
  test(`all that a browser loads in ${language} weighs less than 60 kB compressed`, async () => {
    const loaded = (await consolePaths()).filter(
      (path) => !/^\/[a-z]{2}-/.test(path) || path.startsWith(`/${language}-`),
    )
    assert.equal(loaded.length, 5, 'the page, its script, style sheet and icon, and the texts')
    const files = await Promise.all(loaded.map(consoleFile))
    const weight = files.reduce((sum, file) => sum + gzipSync(file?.body ?? '').byteLength, 0)
    assert.ok(weight < 60_000, `${weight} bytes`)
  })

describe("the console's page: looks", { skip: noBrowser }, () => {
  let console: Console
  let views: string[] = []
  before(async () => {
    console = await openConsole()
    const { id } = await console.makeKey({ name: 'Boutique en ligne', stores: '1' })
    await console.makeKey({ name: 'Kontab' })
    await console.state.updateKey(id, { rate: 90 }, 'Paul, console')
    const hour = Date.now() - (Date.now() % 3_600_000)
    const use = { hour, accessKey: id, resource: 'invoices' }
    await console.state.addUsage([
      { ...use, outcome: 'answered', requests: 1231, records: 56_789 },
      { ...use, outcome: 'rate_limited', requests: 3, records: 0 },
    ])
    for (let tries = 0; tries < 5; tries += 1)
      await console.server.signIn({ client_id: id, client_secret: 'svc_sk_wrong' }, { localAddress: '127.0.3.4' })
    views = ['keys', 'keys/new', `keys/${id}`, `keys/${id}/edit`, `keys/${id}/preview`]
    views.push('usage', `usage/${id}`, 'blocks', 'audit', 'health', 'company', 'accounts', 'account')
  })
  after(() => console?.close())

  for (const [languages, code, title] of [
    ['fr-CA,fr,en', 'fr', 'Clés'],
    ['ht,fr', 'ht', 'Kle'],
    ['de,es', 'en', 'Keys'],
  ] as const)
    test(`a browser that asks for ${languages} gets ${code}, and can switch`, () =>
      console.visit({ languages }, async (page) => {
        await open(page, console.base, 'keys')
        assert.equal(await heading(page), title)
        assert.equal(await page.evaluate('document.documentElement.lang'), code)
        await page.selectOption('#language', 'ht')
        await isTitled(page, 'Kle')
        assert.equal(await page.innerText('#navigation a[aria-current]'), 'Kle')
        await page.reload()
        await shown(page)
        assert.equal(await heading(page), 'Kle')
      }))

  test('numbers and dates are written as in the language', async () => {
    const [total, moment] = await written(console, 'en')
    assert.equal(total, '1,231')
    assert.match(moment ?? '', /^[A-Z][a-z]+\u00A0\d+,\u00A0\d{4},\u00A0\d+:\d\d\s[AP]M$/)
    const french = await written(console, 'fr')
    assert.match(french[0] ?? '', /^1\s231$/)
    assert.match(french[1] ?? '', /^\d+(?:er)?\s[a-zéû]+\.?\s\d{4},\s\d\d:\d\d$/)
    const creole = await written(console, 'ht')
    assert.match(creole[0] ?? '', /^1\s231$/)
    assert.match(creole[1] ?? '', /^\d+\s(?:jan|fev|mas|avr|me|jen|jiy|out|sep|okt|nov|des)\s\d{4},\s\d\d:\d\d$/)
  })

  test('what is refused is said in the language, too', () =>
    console.visit({ languages: 'ht', expected: /status of 400/ }, async (page) => {
      await open(page, console.base, 'keys/new')
      await page.click('[value="vendors:read"]')
      await page.fill('#rate', '0')
      await page.keyboard.press('Enter')
      await says(page, '#rate-fault', /nonm antye, soti 1 rive 1\s000\s000/)
      await says(page, '#name-fault', /Mete yon non pou kle a/)
    }))

  for (const width of isLong ? [360, 390, 768, 1440, 2200] : [360, 768, 2200])
    test(`${width} pixels wide: nothing is wider than the screen, in the longest language`, () =>
      console.visit({ languages: 'fr', width, height: 800, isPhone: width < 500 }, async (page) => {
        for (const view of views) {
          await open(page, console.base, view)
          const wide: string[] = await page.evaluate(`[...document.querySelectorAll('body *')]
            .filter((each) => each.checkVisibility() && !each.closest('.table:has(.records), .unseen, .skip'))
            .filter((each) => each.getBoundingClientRect().right > ${width} + 1)
            .map((each) => each.outerHTML.slice(0, 100))`)
          assert.deepEqual(wide, [], view)
          assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, view)
        }
      }))

  test('on a phone, the menu opens, closes when one has chosen, and holds signing out', () =>
    console.visit({ width: 390, height: 844, isPhone: true }, async (page) => {
      await open(page, console.base, 'keys')
      assert.equal(await page.isVisible('#navigation'), false)
      await page.click('.menu')
      await page.click('#navigation a[href="#company"]')
      await page.waitForSelector('#navigation', { state: 'hidden' })
      await isTitled(page, 'Company')
      await page.click('.menu')
      await page.click('#navigation .sign-out')
      await says(page, '.said', /You are signed out/)
    }))

  test('on a phone, a touch on a bar of the chart shows its values', () =>
    console.visit({ width: 390, height: 844, isPhone: true }, async (page) => {
      await open(page, console.base, 'usage')
      await says(page, '.readout', /Point at a bar/)
      const { width } = (await page.locator('.chart').boundingBox()) ?? assert.fail('there is no chart')
      await page.tap('.chart', { position: { x: width - 12, y: 100 } })
      await says(page, '.readout', /\(so far\): Answered 1,231, /)
    }))

  for (const isDark of [false, true])
    for (const isPhone of isLong ? [false, true] : [isDark])
      test(
        `axe finds nothing: ${isDark ? 'dark' : 'light'}, ${isPhone ? 'phone' : 'wide'}`,
        { skip: withoutAxe },
        async () => {
          const size = isPhone ? { width: 390, height: 844 } : {}
          await console.visit({ isDark, isPhone, ...size, isOutside: true }, async (page) => {
            await page.goto(console.base)
            await shown(page)
            await assertAccessible(page, 'sign-in')
          })
          await console.visit({ isDark, isPhone, ...size, expected: /status of 400/ }, async (page) => {
            for (const view of views) {
              await open(page, console.base, view)
              // What a key sees is alike for each resource, and axe takes long for all of them.
              await page.evaluate(
                `[...document.querySelectorAll('details')].slice(0, 8).forEach((each) => (each.open = true))`,
              )
              await assertAccessible(page, view)
            }
            await open(page, console.base, 'keys/new')
            await page.click('[type=submit]')
            await says(page, '.faults', /Please fix/)
            await assertAccessible(page, 'faults')
            await open(page, console.base, views[2] ?? '')
            await page.click('#revoke')
            await says(page, 'dialog[open]', /Permanently/)
            await assertAccessible(page, 'a question')
          })
        },
      )

  test('by the keyboard alone: skips to the content, sees where one is, makes a key and answers a question', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'keys')
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.className'), 'skip')
      await page.keyboard.press('Enter')
      assert.equal(await page.evaluate('document.activeElement.id'), 'main')
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.hash'), '#keys/new')
      await page.keyboard.press('Enter')
      await page.waitForSelector('#name:focus')
      await page.keyboard.insertText('By hand')
      for (let times = 0; times < 12; times += 1) {
        await page.keyboard.press('Tab')
        const outline: string = await page.evaluate(
          `(({ outlineStyle, outlineWidth }) => outlineStyle + ' ' + outlineWidth)(getComputedStyle(document.activeElement))`,
        )
        assert.equal(outline, 'solid 2px', await page.evaluate('document.activeElement.outerHTML.slice(0, 200)'))
      }
      await page.evaluate(`document.querySelector('[value="vendors:read"]').focus()`)
      await page.keyboard.press(' ')
      await page.keyboard.press('Enter')
      await page.waitForSelector('.code-once')
      assert.ok(await page.evaluate(`document.activeElement.matches('h1')`))
    }))

  test('by the keyboard alone: signs in, makes a key for a web shop, previews and rotates it, reads a chart, unblocks', () =>
    console.visit({ isOutside: true, expected: /status of 401/ }, async (page) => {
      const isOn = (selector: string): Promise<boolean> =>
        page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)
      const tabTo = async (selector: string) => {
        for (let times = 0; times < 90; times += 1) {
          if (await isOn(selector)) return
          await page.keyboard.press('Tab')
        }
        assert.fail(`Tab does not reach ${selector}`)
      }
      const go = async (selector: string, title: RegExp) => {
        await tabTo(selector)
        await page.keyboard.press('Enter')
        await says(page, '#main h1', title)
        await shown(page)
        await page.waitForSelector(':is(h1, [autofocus]):focus')
      }
      await page.goto(console.base)
      await page.waitForSelector('#name:focus')
      await page.keyboard.insertText('Marie')
      await tabTo('#password')
      await page.keyboard.insertText(secret)
      await page.keyboard.press('Enter')
      await says(page, '#main h1', /^Keys$/)
      await go('a[href="#keys/new"]', /^New key$/)
      await page.keyboard.insertText('Web shop by hand')
      await tabTo('[data-preset=web_shop]')
      await page.keyboard.press('Enter')
      await tabTo('#price_list')
      await page.keyboard.press('ArrowDown')
      await tabTo('[type=submit]')
      await page.keyboard.press('Enter')
      await says(page, '#main h1', /is ready$/)
      await go('.buttons .primary', /^Web shop by hand$/)
      const made = (await console.state.listKeys()).find(({ name }) => name === 'Web shop by hand')
      assert.deepEqual(made?.permissions, ['products:read', 'reference:read'])
      assert.equal(typeof made?.priceList, 'number')
      await go('a[href$="/preview"]', /^Preview as Web shop by hand$/)
      await go('.back a', /^Web shop by hand$/)
      await tabTo('#rotate')
      await page.keyboard.press('Enter')
      await tabTo('dialog .do')
      await page.keyboard.press('Enter')
      await says(page, '#main h1', /second security code$/)
      await go('.buttons .primary', /^Web shop by hand$/)
      await page.evaluate(`document.querySelector('.skip').focus()`)
      await go('#navigation [href="#usage"]', /^Usage$/)
      await tabTo('[role=slider]')
      await page.keyboard.press('ArrowLeft')
      await says(page, '.readout', /: 0$/)
      await page.keyboard.press('End')
      await says(page, '.readout', /Answered 1,231, .*3$/)
      await page.evaluate(`document.querySelector('.skip').focus()`)
      await go('#navigation [href="#blocks"]', /^Blocked callers$/)
      await tabTo('[aria-label="Unblock: 127.0.3.4"]')
      await page.keyboard.press('Enter')
      await tabTo('dialog .do')
      await page.keyboard.press('Enter')
      await says(page, '#message', /127\.0\.3\.4 is unblocked/)
      await page.waitForSelector(':is(h1):focus')
    }))

  test('everything comes from the service, nothing is inline, and other sites may not show it', async () => {
    const answer = await console.server.askConsole('/')
    const policy = String(answer.headers['content-security-policy'])
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(part), part)
    assert.ok(!policy.includes('unsafe'))
    for (const path of await consolePaths()) {
      const text = Buffer.from((await consoleFile(path))?.body ?? '').toString('utf8')
      assert.doesNotMatch(
        text.replaceAll(/http:\/\/www\.w3\.org\/\d{4}\/(?:svg|xhtml|Math\/MathML)/g, ''),
        /https?:\/\/[a-z]/,
        path,
      )
      assert.doesNotMatch(text, /<[^>]+ (?:style|on\w+)="/, path)
      assert.equal((await console.server.askConsole(path)).status, 200, path)
    }
    assert.equal((await console.server.ask('/')).status, 404)
  })

  test('what is stored is shown as text, whatever it is', () =>
    console.visit({}, async (page) => {
      const { id } = await console.makeKey({ name: `<img src=x onerror=alert(1)>"'&` })
      for (const view of ['keys', `keys/${id}`, `keys/${id}/edit`, `keys/${id}/preview`, 'audit']) {
        await open(page, console.base, view)
        assert.equal(await page.evaluate(`document.querySelectorAll('#main img').length`), 0)
      }
      await open(page, console.base, `keys/${id}`)
      assert.equal(await heading(page), `<img src=x onerror=alert(1)>"'&`)
    }))
})

describe("the console's page: a name without end", { skip: noBrowser }, () => {
  let console: Console
  before(async () => {
    console = await openConsole()
  })
  after(() => console?.close())

  for (const width of [360, 1600])
    test(`fits into every view, ${width} pixels wide`, () =>
      console.visit({ width, height: 900 }, async (page) => {
        const { id } = await console.makeKey({ name: 'W'.repeat(100) })
        for (const view of ['keys', `keys/${id}`, `keys/${id}/preview`, 'audit']) {
          await open(page, console.base, view)
          const over = `[...document.querySelectorAll('#main .table:not(:has(.records)), #main h1')]
            .filter((each) => each.scrollWidth > each.clientWidth + 1).map(({ outerHTML }) => outerHTML.slice(0, 200))`
          assert.deepEqual(await page.evaluate(over), [], view)
        }
        await open(page, console.base, `keys/${id}`)
        await page.click('#revoke')
        await page.waitForSelector('#ask[open]')
        assert.ok(
          await page.evaluate(
            `document.querySelector('#ask').scrollWidth <= document.querySelector('#ask').clientWidth + 1`,
          ),
        )
      }))
})

describe("the console's page: five thousand keys", { skip: noBrowser }, () => {
  let console: Console
  before(async () => {
    console = await openConsole()
    const { openSqlite, inTransaction } = await import('../../src/platform/sqlite.ts')
    const database = openSqlite(`${console.server.data}/state.db`)
    const add = database.prepare(
      `INSERT INTO keys (access_key, name, code_hash, permissions, rate, is_disabled, created_at)
       VALUES (?, ?, zeroblob(32), 'products:read invoices:read', 60, ?, ?)`,
    )
    inTransaction(database, 'BEGIN', () => {
      for (let at = 0; at < 5000; at += 1)
        add.run(
          `svc_ak_${String(at).padStart(24, '0')}`,
          `Magazen ${at % 10 === 0 ? 'É' : 'e'}tè ${at}`,
          at % 7 === 0 ? 1 : 0,
          at,
        )
    })
    database.close()
  })
  after(() => console?.close())

  test('are listed a page at a time, searched without accents, filtered, sorted and turned', () =>
    console.visit({}, async (page) => {
      await open(page, console.base, 'keys')
      const rows = () => page.evaluate(`document.querySelectorAll('tbody tr').length`)
      const search = async (text: string, count: string) => {
        await page.fill('#find-key', text)
        await waitUntil(page, `document.querySelector('#key-count').innerText === '${count}'`)
      }
      assert.equal(await page.innerText('#key-count'), '5,000 keys')
      assert.equal(await rows(), 50)
      await page.click('.pager [data-page="1"]')
      await says(page, '.pager', /51 to 100 of 5,000/)
      assert.equal(await page.evaluate(`document.activeElement.dataset.page`), '2')
      await waitUntil(page, `location.hash === '#keys?page=2'`)
      await search('ETE 4999', '1 key')
      assert.match(await page.innerText('tbody'), /Magazen etè 4999/)
      await search('0004998', '1 key')
      await search('ete', '5,000 keys')
      await page.selectOption('#key-state', 'disabled')
      await waitUntil(page, `document.querySelector('#key-count').innerText === '715 keys'`)
      await page.click('[data-column=name]')
      assert.equal(await page.evaluate(`document.querySelector('[aria-sort=descending]').innerText.trim()`), 'Name')
      // Also after one has been elsewhere and back.
      await page.click('tbody a')
      await page.waitForSelector('#key-count', { state: 'detached' })
      await shown(page)
      await page.evaluate('history.back()')
      await waitUntil(page, `document.querySelector('#key-count')?.innerText === '715 keys'`)
      await page.click('[data-column=name]')
      assert.equal(await page.evaluate(`document.querySelector('[aria-sort=ascending]').innerText.trim()`), 'Name')
      await search('nothing like it', '0 keys')
      await page.click('.show-all')
      await waitUntil(page, `document.querySelector('#key-count').innerText === '5,000 keys'`)
      assert.equal(await page.evaluate('document.activeElement.id'), 'find-key')
    }))
})

// The rules of WCAG 2.2, level AA, and what axe takes for good practice.
async function assertAccessible(page: Page, what: string) {
  if (!(await page.evaluate(`typeof globalThis.axe !== 'undefined'`))) await page.evaluate(`${axe}; undefined`)
  const found: string[] = await page.evaluate(`axe
    .run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 160) + ' ' + failureSummary)))`)
  assert.deepEqual(found, [], what)
}

// A number and a time, as a browser shows them that asks for these languages.
async function written(console: Console, languages: string): Promise<string[]> {
  let said: string[] = []
  await console.visit({ languages }, async (page) => {
    await open(page, console.base, 'usage')
    const total = await page.innerText('.legend-list strong')
    await open(page, console.base, 'audit')
    said = [total, await page.innerText('#entries tbody td')]
  })
  return said
}
