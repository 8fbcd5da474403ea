// The subscription: on or off, and what either means.
import { one } from '../../page/browser/dom.ts'
import { html } from '../../page/browser/html.ts'
import { ask, get } from './ask.ts'
import type { Key } from './data.ts'
import { confirm } from './dialog.ts'
import { number, t } from './language.ts'
import { atWork, problemHtml, tell } from './parts.ts'
import { show, type View } from './router.ts'

export async function companyView(): Promise<View> {
  const { enabled } = await get<{ enabled: boolean }>('/api/company')
  const [title, means] = enabled ? [t.company.on, t.company.onMeans] : [t.company.off, t.company.offMeans]
  return {
    title: t.company.title,
    html: html`<h1>${t.company.title}</h1>
      <p class="lead">${t.company.lead}</p>
      <section class="switch ${enabled ? 'on' : 'off'}">
        <h2>${title}</h2>
        <p>${means}</p>
        <p>
          <button type="button" id="switch" class="${enabled ? 'grave-quiet' : 'primary'}">
            ${enabled ? t.company.turnOff : t.company.turnOn}
          </button>
        </p>
        <div class="faults"></div>
      </section>`,
    ready(main) {
      const button = one('#switch', HTMLButtonElement, main)
      button.addEventListener('click', () => {
        void (enabled ? turnOff() : atWork(button, () => turn(true)))
          .then((isDone) => (isDone ? show(true) : undefined))
          .catch((error: unknown) => (one('.faults', HTMLElement, main).innerHTML = problemHtml(error).text))
      })
    },
  }
}

async function turn(enabled: boolean): Promise<boolean> {
  await ask('PUT', '/api/company', { enabled })
  dispatchEvent(new Event('subscription'))
  tell(enabled ? t.company.nowOn : t.company.nowOff)
  return true
}

async function turnOff(): Promise<boolean> {
  const { data } = await get<{ data: Key[] }>('/api/keys')
  const active = data.filter(({ state }) => state === 'active').length
  return confirm({
    title: t.company.offTitle,
    means: [t.company.offStops, t.company.offKeys(active, number(active)), t.company.offBack],
    action: t.company.turnOff,
    isGrave: true,
    work: async () => void (await turn(false)),
  })
}
