// The machine's Chromium, driven by Playwright: each page in a profile of its own, with all it asked for and all it complained
// about. Actions wait until a person could do them, and fail with what they waited for.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chromium, type Page as PlaywrightPage } from 'playwright-core'
import { patienceMs } from './process.ts'

// The first is the same browser without the windows of a desktop, for half the work.
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const program = names
  .map((name) => spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim())
  .find((path) => path !== '')
/** For `skip`: why there is no browser, or false. */
export const noBrowser = program === undefined && `none of ${names.join(', ')} is on this machine`

export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly isDark?: boolean
  readonly isPhone?: boolean
  readonly hasScripts?: boolean
  /** As the browser tells them, most wanted first. */
  readonly languages?: string
}

export interface Page extends PlaywrightPage {
  /** Every request since it was opened. */
  readonly asked: readonly { readonly method: string; readonly url: string }[]
  /** Errors and warnings of the console, exceptions, and what the security policy has refused. */
  readonly problems: readonly string[]
}

export type Browser = Awaited<ReturnType<typeof startBrowser>>

export async function startBrowser() {
  const browser = await chromium.launch({
    executablePath: program ?? assert.fail('there is no browser'),
    timeout: patienceMs,
    // As root in a container there is no other way; the pages are our own.
    args: ['--no-sandbox', '--disable-gpu'],
  })
  return {
    /** An empty page in a profile that no other page uses; closing its context closes it. */
    async open(options: PageOptions = {}): Promise<Page> {
      const { width = 1440, height = 900, isDark, isPhone = false, hasScripts, languages } = options
      const context = await browser.newContext({
        viewport: { width, height },
        isMobile: isPhone,
        hasTouch: isPhone,
        colorScheme: isDark ? 'dark' : 'light',
        reducedMotion: 'reduce',
        javaScriptEnabled: hasScripts ?? true,
        ignoreHTTPSErrors: true,
      })
      context.setDefaultTimeout(patienceMs)
      const page = await context.newPage()
      if (languages !== undefined) {
        // Playwright knows only one language of a browser.
        const session = await context.newCDPSession(page)
        const userAgent = await page.evaluate<string>('navigator.userAgent')
        await session.send('Emulation.setUserAgentOverride', { userAgent, acceptLanguage: languages })
      }
      const asked: { method: string; url: string }[] = []
      const problems: string[] = []
      page.on('request', (request) => asked.push({ method: request.method(), url: request.url() }))
      page.on('pageerror', (error) => problems.push(error.stack ?? error.message))
      page.on('console', (message) => {
        if (['error', 'warning', 'assert'].includes(message.type()))
          problems.push(`${message.text()} ${message.location().url}`.trim())
      })
      return Object.assign(page, { asked, problems })
    },
    close: () => browser.close(),
  }
}

/** Until an expression is true in the page. */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  try {
    // A function crosses over once; an expression would be evaluated with each look, which the security policy of a page refuses.
    // oxlint-disable-next-line typescript/no-implied-eval -- it is read in the page, which is another language to the compiler
    const holds = new Function(`return ${expression}`) as () => unknown
    // By the clock: with the pictures of the page, the browser would draw sixty of them a second.
    await page.waitForFunction(holds, undefined, { polling: 20 })
  } catch (error) {
    assert.fail(`waited in vain until ${expression} (${[...page.problems, String(error)].join('; ')})`)
  }
}
