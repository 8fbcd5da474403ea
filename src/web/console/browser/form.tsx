// Forms: what was typed, what is wrong with it in the order of the fields, and the sending. A fault goes when its field is changed.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { faultsIn, sentence, type Fault } from './ask.ts'
import { t } from './language.ts'
import { useWarning } from './leaving.ts'
import { BusyButton, useWork } from './parts.tsx'

export interface Form<Values> {
  readonly values: Values
  readonly set: (change: Partial<Values>) => void
  readonly faults: readonly Fault[]
  readonly faultOf: (name: keyof Values) => string
  readonly isBusy: boolean
  readonly element: { current: HTMLFormElement | null }
  readonly submit: (event: Event) => void
}

interface FormOptions<Values> {
  // In the order of the fields.
  readonly initial: Values
  // The field that a fault belongs to.
  readonly fieldOf: (code: string) => keyof Values | undefined
  readonly send: (values: Values) => Promise<unknown>
  // After a refusal: the list of faults, or the first field with one.
  readonly focus: 'list' | 'field'
  // false: nothing is lost if it is left, as with signing in.
  readonly isKept?: boolean
}

export function useForm<Values extends object>(options: FormOptions<Values>): Form<Values> {
  const { initial, fieldOf, send, focus, isKept = true } = options
  const [values, setValues] = useState(initial)
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [refusals, setRefusals] = useState(0)
  const element = useRef<HTMLFormElement>(null)
  const [isSent, setSent] = useState(false)
  useWarning('typed', isKept && !isSent && JSON.stringify(values) !== JSON.stringify(initial))
  const fields = Object.keys(initial)
  const place = ({ code }: Fault) => fields.indexOf(String(fieldOf(code))) + 1 || fields.length + 1
  const { isBusy, run } = useWork(async () => {
    setFaults([])
    try {
      await send(values)
      setSent(true)
    } catch (error) {
      setFaults(faultsIn(error).toSorted((one, other) => place(one) - place(other)))
      setRefusals((count) => count + 1)
    }
  })
  useLayoutEffect(() => {
    if (refusals === 0) return
    const list = element.current?.querySelector<HTMLElement>('.faults')
    const field = element.current?.querySelector<HTMLElement>('[aria-invalid=true]')
    const found = focus === 'list' ? list : (field ?? element.current?.querySelector('input'))
    found?.focus()
    if (focus === 'list') found?.scrollIntoView({ block: 'center' })
  }, [refusals])
  return {
    values,
    set(change) {
      setValues((before) => ({ ...before, ...change }))
      setFaults((before) => before.filter(({ code }) => !Object.hasOwn(change, String(fieldOf(code)))))
    },
    faults,
    faultOf: (name) =>
      faults
        .filter(({ code }) => fieldOf(code) === name)
        .map(sentence)
        .join(' '),
    isBusy,
    element,
    submit(event) {
      event.preventDefault()
      void run()
    },
  }
}

export const FaultList = ({ faults, children }: { faults: readonly Fault[]; children?: ComponentChildren }) => (
  <div class="faults" role="alert" tabIndex={-1}>
    {faults.length > 0 && (
      <>
        {faults.length > 1 && <p>{t.form.faults}</p>}
        <ul>
          {faults.map((each) => (
            <li>{sentence(each)}</li>
          ))}
        </ul>
        {children}
      </>
    )}
  </div>
)

export type Typed = Readonly<Record<string, string>>
// JSX types tell inputs apart by their type: a type that is only known later is given as text.
export const inputType = (type: TextAttributes['type'] = 'text') => type as 'text'

// What inputs need of a form.
type Fields = Pick<Form<Typed>, 'values' | 'set' | 'faultOf'>

export interface TextAttributes {
  readonly type?: 'text' | 'password' | 'date'
  readonly maxLength?: number
  readonly inputmode?: 'numeric'
  readonly spellcheck?: boolean
  readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'off'
  readonly autofocus?: boolean
}

interface InputProps extends TextAttributes {
  readonly form: Fields
  readonly name: string
  readonly label: string
  readonly note?: string | undefined
  // A prefix of the id, because another form may be behind this one.
  readonly place?: string
}

export function Input({ form, name, label, note, place = '', ...rest }: InputProps) {
  const [isVisible, setVisible] = useState(false)
  const id = `${place}${name}`
  const isSecret = rest.type === 'password'
  return (
    <div class="input">
      <label for={id}>{label}</label>
      <span class={isSecret ? 'secret-input' : undefined}>
        <input
          {...rest}
          type={inputType(isVisible ? 'text' : rest.type)}
          id={id}
          name={name}
          required
          value={form.values[name]}
          onInput={({ currentTarget }) => form.set({ [name]: currentTarget.value })}
          aria-invalid={form.faultOf(name) === '' ? undefined : true}
          aria-describedby={note && `${id}-note`}
        />
        {isSecret && (
          <button type="button" class="link" aria-pressed={isVisible} onClick={() => setVisible(!isVisible)}>
            {isVisible ? t.page.hide : t.page.show}
            <span class="unseen"> {label}</span>
          </button>
        )}
      </span>
      {note && (
        <span class="note" id={`${id}-note`}>
          {note}
        </span>
      )}
    </div>
  )
}

// A small form of text fields.
export const SmallForm = (props: {
  form: Form<Typed>
  action: string
  class?: string
  children: ComponentChildren
}) => (
  <form ref={props.form.element} class={props.class} noValidate onSubmit={props.form.submit}>
    {props.children}
    <FaultList faults={props.form.faults} />
    <p class="buttons">
      <BusyButton type="submit" class="primary" isBusy={props.form.isBusy}>
        {props.action}
      </BusyButton>
    </p>
  </form>
)

// The two inputs of a new password.
export const ChosenInputs = ({ form }: { form: Fields }) => (
  <>
    <Input form={form} name="chosen" label={t.signIn.chosen} note={t.signIn.chosenNote} {...fresh} />
    <Input form={form} name="repeat" label={t.signIn.repeat} {...fresh} />
  </>
)
const fresh = { type: 'password', autocomplete: 'new-password' } as const

// The field of a fault of passwords and names; `password` is the name of the field for the password itself.
export const credentialField =
  (password: string) =>
  (code: string): string | undefined => {
    if (/^who_|^account_/.test(code)) return 'name'
    if (code === 'passwords_differ') return 'repeat'
    if (code === 'wrong_present_password') return 'current'
    return /password|^too_many_attempts/.test(code) ? password : undefined
  }
