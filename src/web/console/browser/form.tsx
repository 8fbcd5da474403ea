// Forms: the input, its faults in the order of the fields, and sending. Changing a field clears its faults.
import type { ComponentChildren, InputHTMLAttributes, JSX } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { faultsIn, sentence, type Fault } from './ask.ts'
import { useWarning } from './dialog.tsx'
import { t } from './language.ts'
import { Button, Faults, useWork } from './parts.tsx'
import { addressWith, go, useQuery } from './router.tsx'

// The part of a form that an input uses. Declared as methods, so that an input accepts any form that has its field.
interface Fields<Values = Readonly<Record<string, unknown>>> {
  readonly values: Values
  set(change: Partial<Values>): void
  faultOf(name: keyof Values): string
}

export interface Form<Values> extends Fields<Values> {
  readonly faults: readonly Fault[]
  readonly isBusy: boolean
  readonly element: { current: HTMLFormElement | null }
  readonly submit: (event: Event) => void
}

// The values of inputs that show no faults.
export function useTyped<Values extends object>(initial: Values): Fields<Values> {
  const [values, setValues] = useState(initial)
  return { values, set: (change) => setValues((before) => ({ ...before, ...change })), faultOf: () => '' }
}

// A form of filters, whose values are in the address: sending the form changes the address, and the address fills the form.
export function useAddressForm(names: readonly string[]) {
  const query = useQuery()
  const asked: Typed = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']))
  const form = useTyped(asked)
  // Before the page is painted: later, it would overwrite new input.
  useLayoutEffect(() => form.set(asked), [String(query)])
  const apply = (event: Event, values: Typed) => {
    event.preventDefault()
    form.set(values)
    void go(addressWith(values))
  }
  return {
    form,
    // `besides`: further values of the address to change.
    submit: (event: Event, besides: Typed = {}) => apply(event, { ...form.values, ...besides }),
    clear: (event: Event) => apply(event, Object.fromEntries(names.map((name) => [name, '']))),
  }
}

interface FormOptions {
  // What gets the focus after a refusal: the list of faults, or the first field with a fault.
  readonly focus?: 'list' | 'field'
  // false: the user may leave the form without a question, as with sign-in.
  readonly isKept?: boolean
}

// `initial`: in the order of the fields.
export function useForm<Values extends object>(
  initial: Values,
  send: (values: Values) => Promise<unknown>,
  { focus = 'field', isKept = true }: FormOptions = {},
): Form<Values> {
  const typed = useTyped(initial)
  const { values } = typed
  const [faults, setFaults] = useState<readonly Fault[]>([])
  const [refusals, setRefusals] = useState(0)
  const element = useRef<HTMLFormElement>(null)
  useWarning('typed', isKept && JSON.stringify(values) !== JSON.stringify(initial))
  const fields = Object.keys(initial)
  const place = ({ field }: Fault) => fields.indexOf(field) + 1 || fields.length + 1
  const { isBusy, run } = useWork(async () => {
    setFaults([])
    try {
      await send(values)
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
      typed.set(change)
      setFaults((before) => before.filter(({ field }) => !Object.hasOwn(change, field)))
    },
    faults,
    faultOf: (name) =>
      faults
        .filter(({ field }) => field === name)
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

interface NotesProps {
  // Of the control that they are about.
  readonly id: string
  readonly note: string | undefined
  readonly fault: string | undefined
}

export const Notes = ({ id, note, fault }: NotesProps) => (
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

// The attributes by which a screen reader finds the note and the fault of a control.
export const described = ({ id, note, fault }: NotesProps) => ({
  'aria-describedby':
    [...(note ? [`${id}-note`] : []), ...(fault === undefined ? [] : [`${id}-fault`])].join(' ') || undefined,
  'aria-invalid': fault ? true : undefined,
})

type Options = readonly (readonly [value: string, text: string])[]
type Passed = 'maxLength' | 'min' | 'max' | 'required' | 'inputmode' | 'spellcheck' | 'autocomplete' | 'autofocus'

interface InputProps extends Pick<InputHTMLAttributes, Passed> {
  readonly form: Fields
  readonly name: string
  readonly label: string
  readonly note?: string
  // Its fault is shown beside it, too.
  readonly isQuestion?: boolean
  // A prefix of the id, because another form may be behind this one.
  readonly place?: string
  readonly type?: 'text' | 'password' | 'date'
  // Makes it a select.
  readonly options?: Options
}

// The value of an incomplete day, so that the service refuses it instead of reading an empty field.
const incomplete = '-'

// A control with its label, note and fault.
export function Input(props: InputProps) {
  const { form, name, label, note, isQuestion = false, place = '', type = 'text', options, ...rest } = props
  const [isVisible, setVisible] = useState(false)
  const [id, fault] = [`${place}${name}`, form.faultOf(name)]
  const notes = { id, note, fault: isQuestion ? fault : undefined }
  const own = {
    id,
    name,
    // An incomplete day stays in its input.
    value: form.values[name] === incomplete ? '' : String(form.values[name]),
    required: !isQuestion && !options,
    onInput: ({ currentTarget: { validity, value } }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      form.set({ [name]: validity.badInput ? incomplete : value }),
    ...described(notes),
    'aria-invalid': fault ? true : undefined,
  }
  // The types of JSX need the type of an input at compile time.
  const shownType = (isVisible ? 'text' : type) as 'text'
  const input = <input {...own} {...rest} type={shownType} />
  return (
    <div class={isQuestion ? 'question' : 'input'}>
      <label for={id}>{label}</label>
      <Notes {...notes} />
      {options ? (
        <Select {...own} options={options} />
      ) : type !== 'password' ? (
        input
      ) : (
        <span class="secret-input">
          {input}
          <button type="button" class="link" aria-pressed={isVisible} onClick={() => setVisible(!isVisible)}>
            {isVisible ? t.page.hide : t.page.show}
            <span class="unseen"> {label}</span>
          </button>
        </span>
      )}
    </div>
  )
}

// The first and the last day of a period: the browser refuses them the wrong way round.
export const DayInputs = ({ form, required = true }: { form: Fields<Typed>; required?: boolean }) => (
  <>
    <Input form={form} name="from" label={t.audit.from} type="date" required={required} max={form.values['to']} />
    <Input form={form} name="to" label={t.audit.to} type="date" required={required} min={form.values['from']} />
  </>
)

export const Select = ({ options, ...rest }: JSX.IntrinsicElements['select'] & { options: Options }) => (
  <select {...rest}>
    {options.map(([value, text]) => (
      <option value={value}>{text}</option>
    ))}
  </select>
)

type SentForm = Pick<Form<never>, 'element' | 'submit' | 'faults' | 'isBusy'>

// A form for names and passwords.
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
export const NewPasswordInputs = (props: { form: Fields; place?: string }) => (
  <>
    <Input {...props} name="password" label={t.signIn.chosen} note={t.signIn.chosenNote} {...fresh} />
    <Input {...props} name="repeat" label={t.signIn.repeat} {...fresh} />
  </>
)
const fresh = { type: 'password', autocomplete: 'new-password' } as const
