// The subscription: on or off, and what either means.
import { ask, get } from './ask.ts'
import type { Key } from './data.ts'
import { confirm } from './dialog.tsx'
import { number, t } from './language.ts'
import { BusyButton, Faults, useWork } from './parts.tsx'
import { reload, type View } from './router.tsx'
import { mayChange, session } from './session.ts'

export async function companyView(): Promise<View> {
  const { enabled } = await get<{ enabled: boolean }>('/api/company')
  return { title: () => t.company.title, body: <Company isOn={enabled} /> }
}

function Company({ isOn }: { isOn: boolean }) {
  const { isBusy, error, run } = useWork(async () => {
    if (!(isOn ? await turnOff() : await turn(true))) return
    await reload(isOn ? t.company.nowOff : t.company.nowOn)
  })
  return (
    <>
      <h1>{t.company.title}</h1>
      <p class="lead">{t.company.lead}</p>
      <section class={`switch ${isOn ? 'on' : 'off'}`}>
        <h2>{isOn ? t.company.on : t.company.off}</h2>
        <p>{isOn ? t.company.onMeans : t.company.offMeans}</p>
        <p hidden={!mayChange()}>
          <BusyButton id="switch" class={isOn ? 'grave-quiet' : 'primary'} isBusy={isBusy} onClick={() => void run()}>
            {isOn ? t.company.turnOff : t.company.turnOn}
          </BusyButton>
        </p>
        <Faults error={error} />
      </section>
    </>
  )
}

async function turn(enabled: boolean): Promise<boolean> {
  await ask('PUT', '/api/company', { enabled })
  // The frame says so wherever one is.
  session.value = { ...session.value, enabled }
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
    work: () => turn(false),
  })
}
