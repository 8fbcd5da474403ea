// A dialog that asks for confirmation before a disruptive action: it says what the action means, stays open while it runs, and shows
// what went wrong. Also asks before the user leaves a view with unsaved input.
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { faultsIn } from './ask.ts'
import { t } from './language.ts'
import { Button, Faults, useWork } from './parts.tsx'

export interface Question {
  readonly title: string
  // What the action means, one sentence each.
  readonly means: readonly string[]
  // Fields of the dialog: `work` gets their values.
  readonly more?: ComponentChildren
  readonly action: string
  // In place of “Cancel”.
  readonly cancel?: string
  readonly isGrave?: boolean
  readonly work?: (values: FormData) => Promise<unknown>
}

const asked = signal<(Question & { leave: (isDone: boolean) => void }) | null>(null)

// Resolves to whether the action was done.
export function confirm(question: Question): Promise<boolean> {
  cancelQuestion()
  return new Promise((resolve) => {
    const leave = (isDone: boolean) => {
      asked.value = null
      resolve(isDone)
    }
    asked.value = { ...question, leave }
  })
}

export const cancelQuestion = () => asked.peek()?.leave(false)

// A dialog over the page while `isOpen`.
export function useModal(isOpen: boolean) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return dialog
}

export function AskDialog() {
  const question = asked.value
  const dialog = useModal(question !== null)
  // While the action runs, the dialog stays open.
  const escape = (event: Event) => {
    event.preventDefault()
    if (!dialog.current?.querySelector('.at-work')) cancelQuestion()
  }
  return (
    <dialog id="ask" ref={dialog} aria-labelledby="ask-title" onCancel={escape}>
      {question && <Asked key={question.title} {...question} />}
    </dialog>
  )
}

function Asked({ work, leave, isGrave, ...question }: NonNullable<(typeof asked)['value']>) {
  const form = useRef<HTMLFormElement>(null)
  const { isBusy, error, run } = useWork(async () => {
    await work?.(new FormData(form.current ?? undefined))
    leave(true)
  })
  const submit = (event: Event) => {
    event.preventDefault()
    void run()
  }
  return (
    <form ref={form} noValidate onSubmit={submit}>
      <h2 id="ask-title">{question.title}</h2>
      <ul>
        {question.means.map((each) => (
          <li>{each}</li>
        ))}
      </ul>
      {question.more}
      <Faults faults={faultsIn(error)} />
      <p class="buttons">
        <button type="button" class="cancel" autofocus onClick={() => isBusy || leave(false)}>
          {question.cancel ?? t.page.cancel}
        </button>
        <Button type="submit" class={`do primary ${isGrave ? 'grave' : ''}`} isBusy={isBusy} text={question.action} />
      </p>
    </form>
  )
}

// A view with a new security code, or a form with unsaved input, asks before the user leaves it.
type Warning = 'code' | 'typed'

let warning: Warning | undefined

const stay = (event: Event) => event.preventDefault()

export function release() {
  warning = undefined
  removeEventListener('beforeunload', stay)
}

export function useWarning(kind: Warning, isOn: boolean) {
  useLayoutEffect(() => {
    if (!isOn) return
    warning = kind
    addEventListener('beforeunload', stay)
    return release
  }, [isOn])
}

export const isWarned = () => warning !== undefined

export async function mayLeave(): Promise<boolean> {
  if (warning === undefined) return true
  const { title, means, action } = t.leave[warning]
  if (!(await confirm({ title, means: [means], action, cancel: t.leave.stay, isGrave: true }))) return false
  release()
  return true
}
