// A button that changes something: it asks first if there is a question. Once it is done, the view is read again and the page tells
// what was done.
import { confirm, type Question } from './dialog.tsx'
import { Action, type ButtonProps } from './parts.tsx'
import { reload } from './router.tsx'

interface ActProps extends ButtonProps {
  readonly action: string
  readonly question?: Omit<Question, 'action' | 'work'> | false
  // With the values of the question's fields.
  readonly work: (values: FormData) => Promise<unknown>
  // What is told, or what happens instead.
  readonly done: string | (() => void)
}

export function Act({ action, question, work, done, ...rest }: ActProps) {
  const act = async () => {
    if (!question) await work(new FormData())
    else if (!(await confirm({ ...question, action, work }))) return
    if (typeof done === 'string') await reload(done)
    else done()
  }
  return (
    <Action {...rest} isAsking={Boolean(question)} work={act}>
      {action}
    </Action>
  )
}
