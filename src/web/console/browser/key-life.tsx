// The life of a key: notes that it ends soon or has ended, or has two codes, and the dialogs of a rotation.
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ask } from './ask.ts'
import type { Key } from './data.ts'
import { confirm } from './dialog.tsx'
import { keepCode } from './key-code.tsx'
import { lastDay } from './key-words.ts'
import { moment, t } from './language.ts'

export const Notice = (props: { name: string; title: string; note: string; children: ComponentChildren }) => (
  <section class="notice" aria-labelledby={`${props.name}-title`}>
    <h2 id={`${props.name}-title`}>{props.title}</h2>
    <p>{props.note}</p>
    {props.children}
  </section>
)

export function LifeNotices({ data, onFinish }: { data: Key; onFinish: () => void }) {
  const isOver = data.state === 'expired'
  const day = lastDay(data)
  return (
    <>
      {(isOver || data.days_left !== null) && (
        <Notice
          name="end"
          title={isOver ? t.key.ended(day) : t.key.endsSoon(day)}
          note={isOver ? t.key.endedNote : t.key.endsSoonNote}
        >
          <p>
            <a class="button" href={`#keys/${encodeURIComponent(data.client_id)}/edit`}>
              {t.key.edit}
            </a>
          </p>
        </Notice>
      )}
      {data.old_code_until !== null && (
        <Notice name="codes" title={t.key.twoCodes} note={t.key.twoCodesNote(moment(data.old_code_until))}>
          <p>
            <button type="button" id="finish" onClick={onFinish}>
              {t.key.finish}
            </button>
          </p>
        </Notice>
      )}
    </>
  )
}

const overlap = signal('24h')

const Overlap = () => (
  <div class="input">
    <label for="overlap">{t.key.overlap}</label>
    <select id="overlap" value={overlap.value} onInput={({ currentTarget }) => (overlap.value = currentTarget.value)}>
      <option value="1h">{t.key.overlapHour}</option>
      <option value="24h">{t.key.overlapDay}</option>
      <option value="7d">{t.key.overlapWeek}</option>
      <option value="30d">{t.key.overlapMonth}</option>
    </select>
  </div>
)

// True when it was done.
export function rotate(key: Key, path: string): Promise<boolean> {
  overlap.value = '24h'
  return confirm({
    title: t.key.rotateTitle(key.name),
    means: [t.key.rotateNew, t.key.rotateThen],
    more: <Overlap />,
    action: t.key.rotate,
    async work() {
      const body = { overlap: overlap.value }
      const made = await ask<{ data: Key; client_secret: string }>('POST', `${path}/rotation`, body)
      keepCode(made.data, made.client_secret, 'rotated')
    },
  })
}

export const finish = (key: Key, path: string): Promise<boolean> =>
  confirm({
    title: t.key.finishTitle(key.name),
    means: [t.key.finishStops],
    action: t.key.finish,
    work: () => ask('DELETE', `${path}/rotation`),
  })
