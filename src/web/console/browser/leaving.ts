// Nothing is lost without a question: a view that holds a code, or a form with something typed, asks before it is left.
import { useLayoutEffect } from 'preact/hooks'
import { confirm } from './dialog.tsx'
import { t } from './language.ts'

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
