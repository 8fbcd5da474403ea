// The looks of the documentation page in a real browser: at every width, in light and dark, by the keyboard, and while it loads.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { noBrowser } from '../support/browser.ts'
import { openDocs, shownArticles, signIn, type DocsPage } from '../support/docs-page.ts'
import { isLong } from '../support/how-much.ts'
import type { NewKey } from '../support/process.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('the looks of the documentation page', { skip: noBrowser }, () => {
  let opened: DocsPage
  let key: NewKey
  let docs = ''
  const withPage: DocsPage['withPage'] = (...words) => opened.withPage(...words)
  before(async () => {
    opened = await openDocs()
    docs = opened.url
    key = await opened.server.makeKey('--rate', '1000')
  })
  after(() => opened?.close())

  for (const width of isLong ? [320, 360, 390, 768, 1024, 1440, 2200] : [320, 390, 1440])
    test(`${width} pixels wide: nothing is wider than the screen, cut off, or sticks out of the head`, () =>
      withPage({ width, height: 800, isPhone: width < 500 }, async (page) => {
        await page.goto(docs)
        const outside = `(() => {
          const head = document.querySelector('.top').getBoundingClientRect()
          return [...document.querySelectorAll('.top *')].filter((each) => each.checkVisibility())
            .map((each) => each.getBoundingClientRect()).filter(({ top, bottom }) => top < head.top - 1 || bottom > head.bottom + 1).length
        })()`
        assert.equal(await page.evaluate(outside), 0)
        await page.goto(`${docs}/fr`)
        assert.equal(await page.evaluate('document.documentElement.lang'), 'fr')
        assert.equal(await page.evaluate(outside), 0, 'in French')
        await signIn(page, key)
        assert.equal(await page.evaluate(outside), 0, 'signed in')
        const articles: string[] = await page.evaluate(`[...document.querySelectorAll('article')].map(({ id }) => id)`)
        for (const article of articles) {
          await page.evaluate(`location.hash = '${article}'`)
          const shown = `[...document.querySelectorAll('article')].find((each) => each.checkVisibility())`
          const widest = `Math.max(document.documentElement.scrollWidth, ...[...${shown}.querySelectorAll(':is(p, table, form, h1, h2, .code)')]
            .filter((each) => each.checkVisibility() && !each.closest('.table')).map((each) => each.getBoundingClientRect().right))`
          const right: number = await page.evaluate(widest)
          assert.ok(Math.floor(right) <= width, `${article}: ${right}`)
          const cut = `[...${shown}.querySelectorAll('pre')].filter((each) => each.checkVisibility() && each.scrollWidth > each.clientWidth)
            .map((each) => each.innerText)`
          assert.deepEqual(await page.evaluate(cut), [], article)
        }
      }))

  for (const [width, isDark, path] of [
    [1440, false, ''] as const,
    [390, true, '/fr'] as const,
    ...(isLong ? [[1440, true, '/fr'] as const, [390, false, ''] as const] : []),
  ])
    test(`axe finds nothing: ${width} pixels, ${isDark ? 'dark' : 'light'}, ${path || 'English'}`, () =>
      withPage({ width, height: 900, isDark, isPhone: width < 500 }, async (page) => {
        await page.goto(`${docs}${path}`)
        const ground: string = await page.evaluate('getComputedStyle(document.body).backgroundColor')
        assert.equal(Number(/\d+/.exec(ground)?.[0]) < 128, isDark)
        // As the debugger: the policy of the page lets no script in.
        await page.evaluate(`${axe}; undefined`)
        await signIn(page, key)
        for (const article of ['first-call', 'errors', 'service', 'products']) {
          await page.evaluate(`location.hash = '${article}'`)
          await page.evaluate(`document.querySelectorAll('details').forEach((each) => (each.open = true))`)
          if (article === 'products') {
            await page.click('#products-listProducts [type=submit]')
            await page.waitForSelector('#products-listProducts .outcome .status')
          }
          const faults: string[] = await page.evaluate(
            // Without the articles that are not shown: axe would take most of its time for them.
            `(${onlyShown})(() => axe.run()).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(' | ')))`,
          )
          assert.deepEqual(faults, [], article)
        }
      }))

  test('by the keyboard: what has the focus is seen, everything has a name, and the text can be skipped to', () =>
    withPage({}, async (page) => {
      await page.goto(docs)
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.className'), 'skip')
      await page.keyboard.press('Enter')
      assert.equal(await page.evaluate('document.activeElement.id'), 'content')
      assert.deepEqual(await shownArticles(page), ['first-call'])
      for (let times = 0; times < 12; times += 1) {
        await page.keyboard.press('Tab')
        const outline: string = await page.evaluate(
          `(({ outlineStyle, outlineWidth }) => outlineStyle + ' ' + outlineWidth)(getComputedStyle(document.activeElement))`,
        )
        assert.equal(outline, 'solid 2px', await page.evaluate('document.activeElement.outerHTML.slice(0, 200)'))
      }
      const nameless: string[] = await page.evaluate(`[...document.querySelectorAll('input, select, button, a')]
        .filter((each) => !(each.labels?.length || each.getAttribute('aria-label') || each.innerText.trim() || each.textContent.trim()))
        .map((each) => each.outerHTML.slice(0, 120))`)
      assert.deepEqual(nameless, [])
      const landmarks = ['header', 'nav[aria-label]', 'main', '[role=search]']
      for (const landmark of landmarks) assert.ok(await page.isVisible(landmark), landmark)
    }))

  test('on paper: the article that is shown, and all of it', () =>
    withPage({ width: 800 }, async (page) => {
      await page.goto(`${docs}#invoices`)
      await page.emulateMedia({ media: 'print' })
      assert.deepEqual(await shownArticles(page), ['invoices'])
      for (const hidden of ['.top', '#navigation', '#invoices form.try', '#invoices .copy'])
        assert.equal(await page.isVisible(hidden), false, hidden)
      const cut = `[...document.querySelectorAll('#invoices pre')].filter((each) => each.scrollHeight > each.clientHeight).length`
      assert.equal(await page.evaluate(cut), 0)
    }))

  test('limits of parameters: no sign is left over where a line ends', () =>
    withPage({ width: 390, isPhone: true }, async (page) => {
      await page.goto(`${docs}#products`)
      assert.match(
        await page.innerText('#products-listProducts-per_page .limits'),
        /^minimum 1\s+maximum 100\s+default 25$/,
      )
      const signs: string[] = await page.evaluate(
        `[...document.querySelectorAll('#products .limits span')].map((each) => getComputedStyle(each, '::after').content)`,
      )
      assert.ok(signs.length > 10)
      assert.deepEqual([...new Set(signs)], ['none'])
    }))

  test('nothing moves while it loads', () =>
    withPage({}, async (page) => {
      await page.addInitScript(`globalThis.shifts = []
        new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
          .observe({ type: 'layout-shift', buffered: true })`)
      await page.goto(`${docs}#invoices`)
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
      const moved: number = await page.evaluate('shifts.reduce((sum, each) => sum + each, 0)')
      assert.ok(moved < 0.01, `moved by ${moved}`)
    }))
})

// These run in the page.
const onlyShown = `async (run) => {
  const hidden = [...document.querySelectorAll('article')].filter((each) => !each.checkVisibility())
  const places = hidden.map((each) => [document.createComment(''), each])
  for (const [place, each] of places) each.replaceWith(place)
  const result = await run()
  for (const [place, each] of places) place.replaceWith(each)
  return result
}`
