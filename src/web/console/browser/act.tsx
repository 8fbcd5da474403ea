// A button that does something: it asks first if there is a question. Once something was changed, the view is read again and the
// page tells what was done. What goes wrong is told, too.
import { sentencesOf } from './ask.ts'
import { confirm, type Question } from './dialog.tsx'
import { Button, type ButtonProps, tell, useWork } from './parts.tsx'
import { reload } from './router.tsx'

interface ActProps extends ButtonProps, Partial<Pick<Question, 'means' | 'more' | 'isGrave'>> {
  // The title of the question.
  readonly question?: string | false
  // With the values of the question's fields.
  readonly work: (values: FormData) => Promise<unknown>
  // What is told, or what happens instead.
  readonly done?: string | (() => void)
}

export function Act({ question, means = [], more, isGrave = false, work, done, ...button }: ActProps) {
  const act = async () => {
    if (!question) await work(new FormData())
    else if (!(await confirm({ title: question, means, more, isGrave, action: button.text, work }))) return
    if (typeof done === 'string') await reload(done)
    else done?.()
  }
  const { isBusy, run } = useWork(() => act().catch((error: unknown) => tell(sentencesOf(error).join(' '))))
  // The dialog of a question shows itself that it is busy.
  return <Button {...button} isBusy={isBusy && !question} onClick={() => void run()} />
}
