// The documentation page of a running service, in a real browser that must not call any other service nor complain.
import assert from 'node:assert/strict'
import { startBrowser, type Page, type PageOptions } from './browser.ts'
import { company } from './fixture.ts'
import { startServer, type NewKey } from './process.ts'

export type DocsPage = Awaited<ReturnType<typeof openDocs>>

async function usePage(page: Page, use: (page: Page) => Promise<void>, expected: RegExp, port: number) {
  await use(page)
  assert.deepEqual(
    page.problems.filter((problem) => !expected.test(problem)),
    [],
  )
  assert.deepEqual(
    page.asked.filter(({ url }) => !url.startsWith(`https://127.0.0.1:${port}/`)),
    [],
  )
}

export async function openDocs() {
  const [server, browser] = await Promise.all([startServer({ rows: company }), startBrowser()])
  let shared: Promise<Page> | undefined

  return {
    server,
    url: `https://127.0.0.1:${server.https}/docs`,
    /** `port` is that of another service, where the page is from there; `expected` are the complaints that a test provokes. */
    async withPage(
      options: PageOptions,
      use: (page: Page) => Promise<void>,
      expected: RegExp = /^$/,
      port = server.https,
    ): Promise<void> {
      const page = await browser.open(options)
      try {
        await usePage(page, use, expected, port)
      } finally {
        await page.context().close()
      }
    },
    /** One page for all tests that only read, because it is large: each goes to a part of it and leaves nothing behind. */
    async reading(use: (page: Page) => Promise<void>): Promise<void> {
      shared ??= browser.open()
      await usePage(await shared, use, /^$/, server.https)
    },
    async close(): Promise<void> {
      await browser.close()
      await server.remove()
    },
  }
}

export async function signIn(page: Page, { client_id: key, client_secret: code }: NewKey): Promise<void> {
  await page.click('#session-button')
  await page.fill('#access-key', key)
  await page.fill('#security-code', code)
  await page.keyboard.press('Enter')
  await page.waitForSelector('#session-note')
}

export const shownArticles = (page: Page): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('article')].filter((each) => each.checkVisibility()).map(({ id }) => id)`,
  )
