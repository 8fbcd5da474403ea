// The administrator's console of a running service, in a real browser: administrators who are signed in, a state to look into
// and change behind their back, and a browser that must not call other servers nor log errors.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { makePassword } from '../../src/web/console/password.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { createKey, type KeyInput } from '../../src/keys/keys.ts'
import { openSqliteState } from '../../src/state/sqlite/state.ts'
import type { State } from '../../src/state/state.ts'
import { startBrowser, waitUntil, type Page, type PageOptions } from './browser.ts'
import { company } from './fixture.ts'
import { startSession } from './console-routes.ts'
import { startServer, type ServerOptions } from './process.ts'

export const secret = 'correct horse battery'
/** Administrators with that password. */
const people = ['Ada', 'Carol', 'Marie', 'Paul', 'Rose']

export interface Visit extends PageOptions {
  readonly by?: string
  /** What it may complain about. */
  readonly expected?: RegExp
  readonly isOutside?: boolean
}

export type Console = Awaited<ReturnType<typeof openConsole>>

export async function openConsole(options: ServerOptions = {}) {
  const [server, browser] = await Promise.all([startServer({ rows: company, ...options }), startBrowser()])
  const state: State = openSqliteState({ path: join(server.data, 'state.db'), clock: systemClock })
  const password = await makePassword(secret)
  for (const name of people) await state.createAccount(name, 'administrator', password)
  const base = `https://127.0.0.1:${server.console}/`
  return {
    server,
    state,
    base,
    browser,
    password,
    async enter(page: Page, by: string) {
      const { value, proof } = await startSession(state, by, password)
      // Once: what the page itself does later stays.
      const source = `if (sessionStorage.entered !== '${proof}') sessionStorage.entered = localStorage.session = '${proof}'`
      await page.addInitScript(source)
      const cookie = { name: `__Host-vitrine-${server.console}`, value, url: base }
      await page.context().addCookies([{ ...cookie, secure: true, httpOnly: true, sameSite: 'Strict' }])
    },
    /** In every test: the page calls no other server and logs no errors. */
    async visit(
      { by = 'Marie', languages = 'en', expected = /^$/, isOutside, ...rest }: Visit,
      use: (page: Page) => Promise<void>,
    ) {
      const page = await browser.open({ languages, ...rest })
      try {
        if (!isOutside) await this.enter(page, by)
        await use(page)
        assert.deepEqual(
          page.problems.filter((problem) => !expected.test(problem)),
          [],
        )
        assert.deepEqual(
          page.asked.filter(({ url }) => !url.startsWith(base)),
          [],
        )
      } finally {
        await page.context().close()
      }
    },
    async makeKey(input: KeyInput = {}): Promise<{ id: string; code: string }> {
      const made = await createKey(state, { name: 'Shop', permissions: 'all', ...input }, 'Marie, console')
      if ('faults' in made) assert.fail(made.faults.map(({ sentence }) => sentence).join(' '))
      return { id: made.key.accessKey, code: made.securityCode }
    },
    /** As if it had been given or had used them then. Of a last use the later one stays, so it is written where it is kept. */
    setLastUse(id: string, hour: number, names: readonly string[]) {
      const database = openSqlite(join(server.data, 'state.db'))
      const write = database.prepare('UPDATE permission_use SET hour = ? WHERE access_key = ? AND permission = ?')
      for (const name of names) write.run(hour, id, name)
      database.close()
    },
    async close() {
      await browser.close()
      await state.close()
      await server.remove()
    },
  }
}

/** A view, once it is there. */
export async function open(page: Page, base: string, view: string) {
  await page.goto(`${base}#${view}`)
  await shown(page)
}

export const shown = (page: Page) =>
  waitUntil(
    page,
    `document.querySelector('#main h1, #main h2') && !document.querySelector('#main').hasAttribute('aria-busy') && !document.querySelector('.loading')`,
  )

export const heading = (page: Page) => page.innerText('#main h1')

/** Until the view with that title is there. */
export const isTitled = (page: Page, title: string) =>
  waitUntil(page, `document.querySelector('h1')?.innerText === ${JSON.stringify(title)}`)

/** Until an element says something. */
export const says = (page: Page, selector: string, text: RegExp) =>
  waitUntil(page, `${String(text)}.test(document.querySelector(${JSON.stringify(selector)})?.innerText ?? '')`)
