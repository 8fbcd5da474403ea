// Forms: what was typed, what is wrong with it in the order of the fields, and the sending. A fault goes when its field is changed.
import type { ComponentChildren, JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { faultsIn, sentence, type Fault } from './ask.ts'
import { useWarning } from './dialog.tsx'
import { t } from './language.ts'
import { Button, Faults, useWork } from './parts.tsx'

export interface Form<Values> {
  readonly values: Values
  // As methods, so that an input can take every form that has its field.
  set(change: Partial<Values>): void
  faultOf(name: keyof Values): string
  readonly faults: readonly Fault[]
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

type Typed = Readonly<Record<string, string>>
// What an input needs of its form.
type Fields = Pick<Form<Readonly<Record<string, unknown>>>, 'values' | 'set' | 'faultOf'>

interface FieldProps {
  readonly id: string
  readonly label: string
  readonly note?: string | undefined
  // Shown beside the label of a question.
  readonly fault?: string
  readonly children: ComponentChildren
}

// A label, what is to be known and what is wrong, and the control.
export const Field = ({ id, label, note, fault, children }: FieldProps) => (
  <div class={fault === undefined ? 'input' : 'question'}>
    <label for={id}>{label}</label>
    <Notes id={id} note={note} fault={fault} />
    {children}
  </div>
)

export const Notes = ({ id, note, fault }: Pick<FieldProps, 'id' | 'note'> & { fault: string | undefined }) => (
  <>
    {note && (
      <span class="note" id={`${id}-note`}>
        {note}
      </span>
    )}
    {fault !== undefined && (
      <span class="fault" id={`${id}-fault`}>
        {fault}
      </span>
    )}
  </>
)

// What a screen reader says about a question.
export const described = (id: string, fault: string, parts = ['note', 'fault']) => ({
  'aria-describedby': parts.map((part) => `${id}-${part}`).join(' ') || undefined,
  'aria-invalid': fault === '' ? undefined : true,
})

interface InputProps {
  readonly form: Fields
  readonly name: string
  readonly label: string
  readonly note?: string | undefined
  readonly isQuestion?: boolean
  // A prefix of the id, because another form may be behind this one.
  readonly place?: string
  readonly type?: 'text' | 'password' | 'date'
  readonly maxLength?: number
  readonly inputmode?: 'numeric'
  readonly spellcheck?: boolean
  readonly autocomplete?: 'username' | 'current-password' | 'new-password' | 'off'
  readonly autofocus?: boolean
}

export function Input({ form, name, label, note, isQuestion = false, place = '', type = 'text', ...rest }: InputProps) {
  const [isVisible, setVisible] = useState(false)
  const id = `${place}${name}`
  const fault = form.faultOf(name)
  // JSX types tell inputs apart by their type: a type that is only known later is given as text.
  const shownType = (isVisible ? 'text' : type) as 'text'
  const input = (
    <input
      {...rest}
      type={shownType}
      id={id}
      name={name}
      required={!isQuestion}
      value={String(form.values[name])}
      // An incomplete day must be refused, not taken for an empty field.
      onInput={({ currentTarget }) => form.set({ [name]: currentTarget.validity.badInput ? '-' : currentTarget.value })}
      {...described(id, fault, [...(note ? ['note'] : []), ...(isQuestion ? ['fault'] : [])])}
    />
  )
  return (
    <Field id={id} label={label} note={note} {...(isQuestion ? { fault } : {})}>
      {type === 'password' ? (
        <span class="secret-input">
          {input}
          <button type="button" class="link" aria-pressed={isVisible} onClick={() => setVisible(!isVisible)}>
            {isVisible ? t.page.hide : t.page.show}
            <span class="unseen"> {label}</span>
          </button>
        </span>
      ) : (
        input
      )}
    </Field>
  )
}

type SelectProps = JSX.IntrinsicElements['select'] & { options: readonly (readonly [value: string, text: string])[] }

export const Select = ({ options, ...rest }: SelectProps) => (
  <select {...rest}>
    {options.map(([value, text]) => (
      <option value={value}>{text}</option>
    ))}
  </select>
)

// A small form of text fields, for names and passwords.
export const useSmallForm = <Values extends Typed>(
  initial: Values,
  send: (values: Values) => Promise<unknown>,
  isKept = true,
): Form<Values> =>
  useForm({
    initial,
    fieldOf: (code) => credentialField(code, 'chosen' in initial ? 'chosen' : 'password'),
    focus: 'field',
    isKept,
    send,
  })

type SentForm = Pick<Form<never>, 'element' | 'submit' | 'faults' | 'isBusy'>

export const SmallForm = (props: { form: SentForm; action: string; children: ComponentChildren }) => (
  <form ref={props.form.element} class="small-form" noValidate onSubmit={props.form.submit}>
    {props.children}
    <Faults faults={props.form.faults} />
    <p class="buttons">
      <Button type="submit" class="primary" isBusy={props.form.isBusy} text={props.action} />
    </p>
  </form>
)

// The two inputs of a new password.
export const ChosenInputs = (props: { form: Fields; place?: string }) => (
  <>
    <Input {...props} name="chosen" label={t.signIn.chosen} note={t.signIn.chosenNote} {...fresh} />
    <Input {...props} name="repeat" label={t.signIn.repeat} {...fresh} />
  </>
)
const fresh = { type: 'password', autocomplete: 'new-password' } as const

// The field of a fault of names and passwords; `password` is the name of the field for the password itself.
function credentialField(code: string, password: string): string | undefined {
  if (/^who_|^account_/.test(code)) return 'name'
  if (code === 'passwords_differ') return 'repeat'
  if (code === 'wrong_present_password') return 'current'
  return /password|^too_many_attempts/.test(code) ? password : undefined
}
