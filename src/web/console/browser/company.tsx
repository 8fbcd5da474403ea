// The subscription: turned on or off.
import { ActionButton } from './action.tsx'
import { ask, get, mayChange, session } from './ask.ts'
import type { Data, Key } from '../answers.ts'
import { counted, t } from './language.ts'
import type { MakeView } from './router.tsx'

export const companyView: MakeView = async () => {
  const [{ enabled: isOn }, { data: keys }] = await Promise.all([
    get<{ enabled: boolean }>('/api/company'),
    get<Data<Key>>('/api/keys'),
  ])
  const active = keys.filter(({ state }) => state === 'active').length
  return () => ({
    title: t.nav.company,
    lead: t.company.lead,
    body: (
      <section class={`switch ${isOn ? 'good' : 'bad'}`}>
        <h2>{isOn ? t.company.on : t.company.off}</h2>
        <p>{isOn ? t.company.onMeans : t.company.offMeans}</p>
        <p hidden={!mayChange()}>
          <ActionButton
            id="switch"
            class={isOn ? 'grave' : 'primary'}
            text={isOn ? t.company.turnOff : t.company.turnOn}
            question={isOn && t.company.offTitle}
            means={[t.company.offStops, counted(t.company.offKeys, active), t.company.offBack]}
            isGrave
            work={() => turn(!isOn)}
            done={isOn ? t.company.off : t.company.on}
          />
        </p>
      </section>
    ),
  })
}

async function turn(enabled: boolean) {
  await ask('PUT', '/api/company', { enabled })
  // The frame shows it in every view.
  session.value = { ...session.value, enabled }
}
