// A real Chromium, driven over its DevTools protocol through a pipe: pages that are loaded, clicked, typed into and looked
// at, with all they asked for and all they complained about.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { patienceMs, until } from './process.ts'

// The first is the same browser without the windows of a desktop, for half the work.
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const program = names.find((name) => spawnSync(name, ['--version']).status === 0)
/** For `skip`: why there is no browser, or false. */
export const noBrowser = program === undefined && `none of ${names.join(', ')} is on this machine`

// oxlint-disable-next-line typescript/no-explicit-any -- what the protocol answers is looked into as it comes
type Json = any

const quote = (text: string) => JSON.stringify(text)

export interface PageOptions {
  readonly width?: number
  readonly height?: number
  readonly isDark?: boolean
  readonly isPhone?: boolean
  readonly hasScripts?: boolean
}

export interface Requested {
  readonly method: string
  readonly url: string
}

export type Page = Awaited<ReturnType<Browser['open']>>
export type Browser = Awaited<ReturnType<typeof startBrowser>>

export async function startBrowser() {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-browser-'))
  const child = spawn(
    program ?? assert.fail('there is no browser'),
    [
      '--headless=new',
      '--remote-debugging-pipe',
      // As root in a container there is no other way; the pages are our own.
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--ignore-certificate-errors',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--force-device-scale-factor=1',
      `--user-data-dir=${folder}`,
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  )
  const [toBrowser, fromBrowser] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
  const waiting = new Map<number, { resolve: (result: Json) => void; reject: (error: Error) => void }>()
  const listeners = new Map<string, (method: string, params: Json) => void>()
  let ids = 0
  let rest = ''
  fromBrowser.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0')
    rest = messages.pop() ?? ''
    for (const message of messages) hear(JSON.parse(message))
  })
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser has ended'))
    waiting.clear()
  })

  function hear({ id, result, error, method, params, sessionId }: Json) {
    if (id === undefined) return listeners.get(sessionId)?.(method, params)
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked?.reject(new Error(`${error.message} ${error.data ?? ''}`))
    else asked?.resolve(result)
  }

  const send = (method: string, params: object = {}, sessionId?: string): Promise<Json> =>
    new Promise((resolve, reject) => {
      ids += 1
      waiting.set(ids, { resolve, reject })
      toBrowser.write(`${JSON.stringify({ id: ids, method, params, ...(sessionId ? { sessionId } : {}) })}\0`)
    })

  return {
    /** An empty page in a profile that no other page uses. */
    async open({ width = 1440, height = 900, isDark = false, isPhone = false, hasScripts = true }: PageOptions = {}) {
      const { browserContextId } = await send('Target.createBrowserContext')
      const { targetId } = await send('Target.createTarget', { url: 'about:blank', browserContextId })
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
      const call = (method: string, params: object = {}) => send(method, params, sessionId)
      const requests: Requested[] = []
      const problems: string[] = []
      let loaded = 0
      listeners.set(sessionId, (method, params) => {
        if (method === 'Page.loadEventFired') loaded += 1
        if (method === 'Network.requestWillBeSent')
          requests.push({ method: params.request.method, url: params.request.url })
        if (method === 'Runtime.exceptionThrown')
          problems.push(String(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text))
        if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type))
          problems.push(params.args.map(({ value, description }: Json) => value ?? description).join(' '))
        if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level))
          problems.push(`${params.entry.source}: ${params.entry.text} ${params.entry.url ?? ''}`)
      })
      await Promise.all(['Page.enable', 'Runtime.enable', 'Network.enable', 'Log.enable'].map((each) => call(each)))
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: isPhone })
      if (isPhone) await call('Emulation.setTouchEmulationEnabled', { enabled: true })
      await call('Emulation.setEmulatedMedia', {
        features: [
          { name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' },
          { name: 'prefers-reduced-motion', value: 'reduce' },
        ],
      })
      if (!hasScripts) await call('Emulation.setScriptExecutionDisabled', { value: true })

      const evaluate = async (expression: string): Promise<Json> => {
        const { result, exceptionDetails } = await call('Runtime.evaluate', {
          expression,
          awaitPromise: true,
          returnByValue: true,
        })
        if (exceptionDetails) assert.fail(exceptionDetails.exception?.description ?? exceptionDetails.text)
        return result.value
      }
      // Where a user would click it; undefined while it is hidden or covered.
      const placeOf = (selector: string): Promise<{ x: number; y: number } | undefined> =>
        evaluate(`(() => {
          const find = () => document.querySelector(${quote(selector)})
          find()?.scrollIntoView({ block: 'center', behavior: 'instant' })
          const { x, y, width, height } = find()?.getBoundingClientRect() ?? { width: 0, height: 0 }
          const [middle, centre] = [x + width / 2, y + height / 2]
          const isOf = (target) => find()?.contains(target) || target?.closest('label')?.control === find()
          if (width === 0 || height === 0 || !isOf(document.elementFromPoint(middle, centre))) return undefined
          // The next click is watched: the page may change even now.
          window.watch?.abort()
          window.watch = new AbortController()
          window.hasMissed = true
          const look = ({ target }) => { window.hasMissed = !isOf(target) }
          addEventListener('click', look, { capture: true, once: true, signal: window.watch.signal })
          return { x: middle, y: centre }
        })()`)

      return {
        /** Every request since it was opened. */
        requests,
        /** Errors and warnings of the console, exceptions, and what the security policy has refused. */
        problems,
        call,
        evaluate,
        async goto(url: string) {
          const before = loaded
          await call('Page.navigate', { url })
          // Another fragment of the same document loads nothing.
          if (url.split('#')[0] !== (await evaluate('location.href')).split('#')[0] || loaded === 0)
            await until(`${url} is loaded`, () => loaded > before)
        },
        async reload() {
          const before = loaded
          await call('Page.reload')
          await until('it is loaded again', () => loaded > before)
        },
        /** Until an expression is true in the page. */
        waitFor: (expression: string) =>
          until(
            expression,
            () => evaluate(expression),
            () => `(${problems.join('; ')})`,
          ),
        /** Once it stays where it is, and again if the page moved under it. */
        async click(selector: string) {
          let before: { x: number; y: number } | undefined
          await until(`${selector} is clicked`, async () => {
            const place = await placeOf(selector)
            const isStill = place && place.x === before?.x && place.y === before.y
            before = place
            if (!isStill) return false
            for (const type of ['mousePressed', 'mouseReleased'])
              await call('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 })
            // If the click led to another document, this is undefined.
            return !(await evaluate('window.hasMissed'))
          })
        },
        /** What is in it is replaced. */
        async fill(selector: string, text: string) {
          await until(`${selector} is to be seen`, () => placeOf(selector))
          await evaluate(
            `(() => { const element = document.querySelector(${quote(selector)}); element.focus(); element.select() })()`,
          )
          await this.press('Delete')
          await call('Input.insertText', { text })
        },
        choose: (selector: string, value: string) =>
          evaluate(`(() => {
            const element = document.querySelector(${quote(selector)})
            element.value = ${quote(value)}
            element.dispatchEvent(new Event('input', { bubbles: true }))
          })()`),
        async press(key: string, modifiers = 0) {
          const text = key.length === 1 ? { text: key } : key === 'Enter' ? { text: '\r' } : {}
          const codes: Readonly<Record<string, number>> = {
            Enter: 13,
            Tab: 9,
            Escape: 27,
            ArrowDown: 40,
            ArrowUp: 38,
            Delete: 46,
          }
          const code = codes[key] === undefined ? {} : { windowsVirtualKeyCode: codes[key], code: key }
          await call('Input.dispatchKeyEvent', { type: 'keyDown', key, modifiers, ...text, ...code })
          await call('Input.dispatchKeyEvent', { type: 'keyUp', key, modifiers, ...code })
        },
        text: (selector: string): Promise<string> =>
          evaluate(`document.querySelector(${quote(selector)})?.innerText ?? ''`),
        isShown: (selector: string): Promise<boolean> =>
          evaluate(`document.querySelector(${quote(selector)})?.checkVisibility() ?? false`),
        async screenshot(path: string, isWhole = false) {
          const { data } = await call('Page.captureScreenshot', { format: 'png', captureBeyondViewport: isWhole })
          writeFileSync(path, Buffer.from(data, 'base64'))
        },
        close: (): Promise<void> => send('Target.disposeBrowserContext', { browserContextId }),
      }
    },
    async close() {
      const ended = once(child, 'exit')
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      await send('Browser.close').catch(() => {})
      await ended
      clearTimeout(timer)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
