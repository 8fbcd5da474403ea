// The fields of the key form that have several choices, and the values of the form.
import type { ComponentChildren } from 'preact'
import type { Key, Named } from '../answers.ts'
import { described, Notes, type Form } from './form.tsx'
import type { KnownChoices } from './key-words.ts'
import { fill, t } from './language.ts'

// The values of the form: texts as typed.
export const valuesOf = ({ name, permissions, stores, price_list: list, rate, expires, addresses }: KeySettings) => ({
  name,
  permissions,
  stores,
  price_list: String(list ?? ''),
  rate: String(rate),
  expires: expires ?? '',
  addresses: addresses?.join(', ') ?? '',
})
type KeySettings = Pick<Key, 'name' | 'permissions' | 'stores' | 'price_list' | 'rate' | 'expires' | 'addresses'>
export type Values = Readonly<ReturnType<typeof valuesOf>>

interface QuestionProps {
  readonly name: string
  readonly label: string
  readonly note?: string
  readonly fault?: string
  readonly children: ComponentChildren
}

export const Question = ({ name: id, label, note, fault, children }: QuestionProps) => (
  <fieldset id={id} class="question" {...described({ id, note, fault })}>
    <legend>{label}</legend>
    <Notes id={id} note={note} fault={fault} />
    {children}
  </fieldset>
)

interface ChoiceProps {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly note?: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
  readonly type?: 'checkbox' | 'radio'
}

export const Choice = ({ name, value, label, note, isOn, onChange, type = 'checkbox' }: ChoiceProps) => (
  <label class="choice">
    <input
      type={type}
      name={name}
      value={value}
      checked={isOn}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
    <span>
      <strong>{label}</strong>
      {note && <span class="note">{note}</span>}
    </span>
  </label>
)

// A store or price list of the key can still be chosen when it is no longer in the database.
export const withKept = (all: readonly Named[], ids: readonly number[] | number | null) => [
  ...all,
  ...[ids ?? []]
    .flat()
    .filter((id) => !all.some((each) => each.id === id))
    .map((id) => ({ id, name: null })),
]

export function Stores({ form, choices }: { form: Form<Values>; choices: KnownChoices }) {
  const { stores } = form.values
  const all = withKept(choices.stores, stores)
  const radio = (value: string, label: string, next: readonly number[] | null, isOn: boolean) => (
    <Choice
      type="radio"
      name="which-stores"
      value={value}
      label={label}
      isOn={isOn}
      onChange={() => isOn || form.set({ stores: next })}
    />
  )
  return (
    <>
      {radio('all', t.form.storesAll, null, stores === null)}
      {radio('some', t.form.storesSome, [], stores !== null)}
      <div class="stores" hidden={stores === null}>
        {all.length === 0 && !choices.isUnread && <p>{t.form.noStores}</p>}
        {all.map(({ id, name }) => (
          <Choice
            name="store"
            value={String(id)}
            label={name ?? fill(t.keys.store, { id: String(id) })}
            isOn={stores?.includes(id) ?? false}
            onChange={(isOn) =>
              form.set({ stores: toggled(stores ?? [], id, isOn).toSorted((one, other) => one - other) })
            }
          />
        ))}
      </div>
    </>
  )
}

export const toggled = <Each,>(all: readonly Each[], each: Each, isOn: boolean): Each[] =>
  isOn ? [...all, each] : all.filter((other) => other !== each)
