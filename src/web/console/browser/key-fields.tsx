// The fields of the form of a key: a question, its note, the fault of the answer, and what is answered.
import type { ComponentChildren } from 'preact'
import type { Choices } from './data.ts'
import { inputType, type Form, type TextAttributes } from './form.tsx'
import { t } from './language.ts'

// As the form holds it: texts as they are typed.
export interface Values {
  readonly name: string
  readonly permissions: readonly string[]
  readonly stores: readonly number[] | null
  readonly price_list: number | null
  readonly rate: string
  readonly expires: string
  readonly addresses: string
}

interface FieldProps {
  readonly form: Form<Values>
  readonly name: keyof Values
  readonly note: string
}

export const Notes = ({ form, name, note }: FieldProps) => (
  <>
    <span class="note" id={`${name}-note`}>
      {note}
    </span>
    <span class="fault" id={`${name}-fault`}>
      {form.faultOf(name)}
    </span>
  </>
)

export const described = (form: Form<Values>, name: keyof Values) => ({
  'aria-describedby': `${name}-note ${name}-fault`,
  'aria-invalid': form.faultOf(name) === '' ? undefined : true,
})

interface LineProps extends FieldProps, TextAttributes {
  readonly name: 'name' | 'rate' | 'expires' | 'addresses'
  readonly label: string
}

export const Line = ({ form, name, label, note, type, ...rest }: LineProps) => (
  <div class="question">
    <label class="legend" for={name}>
      {label}
    </label>
    <Notes form={form} name={name} note={note} />
    <input
      type={inputType(type)}
      {...rest}
      id={name}
      name={name}
      value={form.values[name]}
      // An incomplete day must be refused, not taken for an empty field.
      onInput={({ currentTarget }) => form.set({ [name]: currentTarget.validity.badInput ? '-' : currentTarget.value })}
      {...described(form, name)}
    />
  </div>
)

export const Question = ({
  form,
  name,
  label,
  note,
  children,
}: FieldProps & { label: string; children: ComponentChildren }) => (
  <fieldset id={name} class="question" {...described(form, name)}>
    <legend>{label}</legend>
    <Notes form={form} name={name} note={note} />
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
export const withKept = (all: Choices['stores'], ids: readonly number[] | number | null) => [
  ...all,
  ...[ids ?? []]
    .flat()
    .filter((id) => !all.some((each) => each.id === id))
    .map((id) => ({ id, name: null })),
]

export function Stores({ form: { values, set }, choices }: { form: Form<Values>; choices: Choices }) {
  const { stores } = values
  const all = withKept(choices.stores, stores)
  const radio = (value: string, label: string, next: readonly number[] | null, isOn: boolean) => (
    <Choice
      type="radio"
      name="which-stores"
      value={value}
      label={label}
      isOn={isOn}
      onChange={() => isOn || set({ stores: next })}
    />
  )
  const pick = (id: number, isOn: boolean) =>
    set({
      stores: isOn
        ? [...(stores ?? []), id].toSorted((one, other) => one - other)
        : (stores ?? []).filter((each) => each !== id),
    })
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
            label={name ?? t.keys.store(String(id))}
            isOn={stores?.includes(id) ?? false}
            onChange={(isOn) => pick(id, isOn)}
          />
        ))}
      </div>
    </>
  )
}
