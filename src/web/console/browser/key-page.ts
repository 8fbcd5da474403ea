// One key: what it may do, what it does not use, and all actions on it.
import { html, type Html } from '../../page/browser/html.ts'
import { one } from '../../page/browser/dom.ts'
import { ask, get, sentencesOf } from './ask.ts'
import { entriesHtml } from './audit-text.ts'
import type { Choices, Entry, Key, ListedKey } from './data.ts'
import { confirm } from './dialog.ts'
import { keepCode } from './key-code.ts'
import { finish, lifeHtml, rotate } from './key-life.ts'
import {
  addressesLong,
  dayBegan,
  lastDay,
  lastUse,
  lastUseFrom,
  opens,
  pricesLong,
  readChoices,
  readsLong,
  storesLong,
} from './key-words.ts'
import { moment, number, t } from './language.ts'
import { atWork, badge, fact, permissionName, tell } from './parts.ts'
import { go, show, type View } from './router.ts'

interface Answer {
  readonly data: ListedKey
  readonly unused: readonly string[]
  readonly days: number
}

export async function keyPageView(id: string): Promise<View> {
  const path = encodeURIComponent(id)
  const [{ data: key, unused, days }, choices, { data: entries }] = await Promise.all([
    get<Answer>(`/api/keys/${path}?since=${dayBegan()}`),
    readChoices(),
    get<{ data: Entry[] }>(`/api/audit?subject=${path}`),
  ])
  const own = `#keys/${path}`
  const isLive = key.state !== 'revoked'
  return {
    title: key.name,
    html: html`<p class="back"><a href="#keys">← ${t.keys.title}</a></p>
      <div class="head">
        <h1>${key.name}</h1>
        ${badge(key.state)}
      </div>
      <p class="actions">
        <a class="button primary" href="${own}/look">${t.key.look}</a>
        ${
          isLive &&
          html`<a class="button" href="${own}/edit">${t.key.edit}</a>
            ${key.old_code_until === null && html`<button type="button" id="rotate">${t.key.rotate}</button>`}
            <button type="button" id="renew">${t.key.renew}</button>
            ${key.state === 'active' && html`<button type="button" id="pause">${t.key.pause}</button>`}
            ${key.state === 'disabled' && html`<button type="button" id="resume">${t.key.resume}</button>`}
            <button type="button" id="revoke" class="grave-quiet">${t.key.revoke}</button>`
        }
      </p>
      ${isLive && lifeHtml(key)} ${isLive && unused.length > 0 && unusedHtml(key, unused, days)}
      <h2>${t.key.may}</h2>
      ${factsHtml(key, choices)}
      <h2>${t.key.use}</h2>
      <dl class="facts">${fact(t.key.lastUse, lastUseFrom(key))}${fact(t.key.today, number(key.requests_today))}</dl>
      <p><a href="#use/${path}">${t.key.allUse}</a></p>
      <h2>${t.key.history}</h2>
      ${entriesHtml(entries.slice(0, 5), false)}
      <p><a href="#audit/${path}">${t.key.allHistory}</a></p>`,
    ready: (main) => watch(main, key, unused),
  }
}

const yesOrNo = (isSo: boolean) => (isSo ? t.page.yes : t.page.no)

const factsHtml = (key: Key, choices: Choices): Html =>
  html`<dl class="facts">
    ${fact(t.key.reads, readsLong(opens(key)))} ${fact(t.key.costs, yesOrNo(key.permissions.includes('costs:read')))}
    ${fact(t.key.balances, yesOrNo(key.permissions.includes('customers:financial')))}
    ${fact(t.key.stores, storesLong(key, choices))}${fact(t.key.prices, pricesLong(key, choices))}
    ${fact(t.key.rate, number(key.rate))}${fact(t.key.accessKey, html`<code>${key.client_id}</code>`)}
    ${fact(t.key.addresses, addressesLong(key))}${fact(t.key.lastDay, lastDay(key))}
    ${fact(t.key.created, moment(key.created_at))}
    ${key.revoked_at !== null && fact(t.key.revoked, moment(key.revoked_at))}
  </dl>`

const unusedHtml = (key: Key, unused: readonly string[], days: number): Html =>
  html`<section class="notice" aria-labelledby="unused-title">
    <h2 id="unused-title">${t.key.unused(number(days))}</h2>
    <p>${unused.length === key.permissions.length ? t.key.unusedAll(number(days)) : t.key.unusedNote}</p>
    <ul class="tags">
      ${unused.map((name) => html`<li>${permissionName(name)}</li>`)}
    </ul>
    ${
      unused.length < key.permissions.length &&
      html`<p><button type="button" id="remove-unused">${t.key.remove}</button></p>`
    }
  </section>`

// The pressed button is gone, so the focus moves to the button in its place.
const done = async (text: string) => {
  await show()
  const next = document.querySelector<HTMLElement>('#pause, #resume') ?? document.querySelector<HTMLElement>('#main h1')
  next?.focus()
  tell(text)
}

function watch(main: HTMLElement, key: ListedKey, unused: readonly string[]) {
  const path = `/api/keys/${encodeURIComponent(key.client_id)}`
  const on = (id: string, act: (button: HTMLButtonElement) => Promise<void>) => {
    const button = main.querySelector<HTMLButtonElement>(`#${id}`)
    button?.addEventListener('click', () => {
      act(button).catch((error: unknown) => tell(sentencesOf(error).join(' ')))
    })
  }
  on('revoke', async () => {
    const isDone = await confirm({
      title: t.key.revokeTitle(key.name),
      means: [
        t.key.revokeStops,
        t.key.revokeTokens,
        key.last_used === null ? t.key.revokeUnused : t.key.revokeUsed(lastUse(key), number(key.requests_today)),
        t.key.revokeFinal,
      ],
      action: t.key.revoke,
      isGrave: true,
      work: () => ask('DELETE', path),
    })
    if (isDone) await done(t.key.isRevoked)
  })
  on('renew', async () => {
    const isDone = await confirm({
      title: t.key.renewTitle(key.name),
      means: [t.key.renewStops, t.key.renewThen, t.key.renewGap],
      action: t.key.renew,
      isGrave: true,
      async work() {
        const made = await ask<{ data: Key; client_secret: string }>('POST', `${path}/code`)
        keepCode(made.data, made.client_secret, 'renewed')
      },
    })
    if (isDone) go(`keys/${key.client_id}/code`)
  })
  on('rotate', async () => {
    if (await rotate(key, path)) go(`keys/${key.client_id}/code`)
  })
  on('finish', async () => {
    if (await finish(key, path)) await done(t.key.finished)
  })
  on('pause', async () => {
    const isDone = await confirm({
      title: t.key.pauseTitle(key.name),
      means: [t.key.pauseStops],
      action: t.key.pause,
      work: () => ask('PATCH', path, { disabled: true }),
    })
    if (isDone) await done(t.key.paused)
  })
  on('resume', async (button) => {
    await atWork(button, () => ask('PATCH', path, { disabled: false }))
    await done(t.key.resumed)
  })
  on('remove-unused', async () => {
    const permissions = key.permissions.filter((name) => !unused.includes(name))
    const isDone = await confirm({
      title: t.key.removeTitle(key.name),
      means: [`${t.key.removeStops} ${readsLong(unused)}`],
      action: t.key.remove,
      work: () => ask('PATCH', path, { permissions, shown: { permissions: key.permissions } }),
    })
    if (isDone) await done(t.key.removed)
  })
  one('h1', HTMLElement, main).setAttribute('tabindex', '-1')
}
