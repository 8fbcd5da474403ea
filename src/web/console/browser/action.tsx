// A button that starts an action, after a confirmation if there is a question. Then the view is read again and a message is shown; a
// failure is shown as a message, too.
import { sentencesOf } from './ask.ts'
import { confirm, type Question } from './dialog.tsx'
import { Button, showMessage, type ButtonProps, useWork } from './parts.tsx'
import { reload } from './router.tsx'

interface ActionProps extends ButtonProps, Partial<Pick<Question, 'means' | 'more' | 'isGrave'>> {
  // The title of the confirmation; without one, the action starts at once.
  readonly question?: string | false
  // Gets the values of the fields in `more`.
  readonly work: (values: FormData) => Promise<unknown>
  // After success: the message to show, or a function to call in its place.
  readonly done?: string | (() => void)
}

export function ActionButton({ question, means = [], more, isGrave = false, work, done, ...button }: ActionProps) {
  const perform = async () => {
    if (!question) await work(new FormData())
    else if (!(await confirm({ title: question, means, more, isGrave, action: button.text, work }))) return
    if (typeof done === 'string') await reload(done)
    else done?.()
  }
  const { isBusy, run } = useWork(() => perform().catch((error: unknown) => showMessage(sentencesOf(error).join(' '))))
  // While the dialog is open, its own button shows the progress.
  return <Button {...button} isBusy={isBusy && !question} onClick={() => void run()} />
}
