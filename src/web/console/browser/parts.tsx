// Components that several views use: problems, empty lists, badges, tables, buttons, and a message at the foot of the page.
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { faultsIn, sentence, words, type Fault } from './ask.ts'
import type { CatalogueWords, Key } from '../answers.ts'
import { fill, language, t } from './language.ts'

// A short message at the foot of the page, which screen readers announce. Leaving the view clears it.
export const message = signal('')
const messageMs = 6000
let hiding: ReturnType<typeof setTimeout> | undefined

export function showMessage(text: string) {
  message.value = text
  clearTimeout(hiding)
  hiding = setTimeout(() => (message.value = ''), messageMs)
}

export const Empty = (props: { title?: string; note?: string; children?: ComponentChildren }) => (
  <div class="empty">
    {props.title && <h2>{props.title}</h2>}
    {props.note && <p>{props.note}</p>}
    {props.children}
  </div>
)

// A list of faults, which screen readers announce. `children` are shown after the faults, if there are any.
export const Faults = (props: { faults: readonly Fault[]; class?: string; children?: ComponentChildren }) => (
  <div class={`faults ${props.class ?? ''}`} role="alert" tabIndex={-1}>
    {props.faults.length > 0 && (
      <>
        {props.faults.length > 1 && <p>{t.form.faults}</p>}
        <ul>
          {props.faults.map((each) => (
            <li>{sentence(each)}</li>
          ))}
        </ul>
        {props.children}
      </>
    )}
  </div>
)

export const Problem = ({ error, onAgain }: { error: unknown; onAgain: () => void }) => (
  <Faults class="problem-box" faults={faultsIn(error)}>
    <p>
      <Button class="try-again" text={t.page.again} onClick={onAgain} />
    </p>
  </Faults>
)

// A link that looks like a button.
export const LinkButton = (props: { href: string; text: string; class?: string; onClick?: () => void }) => (
  <a class={`button ${props.class ?? ''}`} href={props.href} onClick={props.onClick}>
    {props.text}
  </a>
)

export const Badge = ({ state }: Pick<Key, 'state'>) => <span class={`badge ${state}`}>{t.keys.stateOf[state]}</span>

export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

export const Tags = ({ names }: { names: readonly string[] }) => (
  <ul class="tags">
    {names.map((name) => (
      <li>{name}</li>
    ))}
  </ul>
)

// The text for a name that the service sends; a name without a text stands for itself.
export const named = (texts: Readonly<Record<string, string>>, name: string): string => texts[name] ?? name
const nameAmong = (all: CatalogueWords['resources'], name: string): string =>
  all.find((each) => each.name === name)?.names[language.value] ?? name
export const permissionName = (name: string): string => nameAmong(words().permissions, name)
export const resourceName = (name: string): string => nameAmong(words().resources, name)

export const yesOrNo = (isSo: boolean): string => (isSo ? t.page.yes : t.page.no)

// Runs `work` once at a time and says whether it is running, so that its button can show that.
export function useWork(work: () => Promise<unknown>): { isBusy: boolean; error: unknown; run: () => Promise<void> } {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false })
  const run = async () => {
    if (state.isBusy) return
    setState({ isBusy: true })
    try {
      await work()
      setState({ isBusy: false })
    } catch (error) {
      setState({ isBusy: false, error })
    }
  }
  return { isBusy: state.isBusy, error: state.error, run }
}

export interface ButtonProps {
  readonly text: string
  readonly id?: string
  readonly class?: string
  readonly type?: 'button' | 'submit'
  readonly label?: string
  readonly isBusy?: boolean
  readonly onClick?: () => void
}

// A busy button is not `disabled`, because a disabled button loses the focus.
export const Button = ({ text, class: own = '', label, isBusy, ...rest }: ButtonProps) => (
  <button type="button" {...rest} class={`${own} ${isBusy ? 'at-work' : ''}`} aria-label={label} aria-disabled={isBusy}>
    {isBusy ? t.page.working : text}
  </button>
)

export function CopyButton({ label, text }: { label: string; text: string }) {
  const [said, setSaid] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const say = (what: string) => {
    showMessage(what)
    setSaid(what)
    setTimeout(() => setSaid(''), messageMs)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      say(t.page.copied)
    } catch {
      // Without the clipboard, the text is selected.
      const code = button.current?.parentElement?.querySelector('code')
      if (code) getSelection()?.selectAllChildren(code)
      say(t.page.selected)
    }
  }
  return (
    <button
      ref={button}
      type="button"
      class="copy"
      aria-label={fill(t.page.copyOf, { what: label })}
      onClick={() => void copy()}
    >
      {said || t.page.copy}
    </button>
  )
}

// A value of an answer as text.
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value)

export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => ComponentChildren
  readonly isNumber?: boolean
  readonly class?: string
  // In place of the name, for example a button that sorts.
  readonly head?: ComponentChildren
  readonly order?: 'none' | 'ascending' | 'descending' | undefined
}

export interface TableProps<Row> {
  readonly id?: string | undefined
  readonly rows: readonly Row[]
  // Needed if rows have a state of their own: open details, or a busy button.
  readonly keyOf?: (row: Row) => string | number
  // The first column names the row, unless `hasNoRowHead`.
  readonly columns: readonly Column<Row>[]
  readonly class?: string
  readonly hasNoRowHead?: boolean
  readonly caption?: string
  // The name of a table that is wide enough to need a scroll bar of its own.
  readonly region?: string
}

const classOf = <Row,>({ isNumber, class: own = '' }: Column<Row>) => `${isNumber ? 'number' : ''} ${own}`.trim()

// On a phone, rows of the class `cards` become cards.
export const Table = <Row,>({ rows, keyOf, columns, class: own = 'cards', ...rest }: TableProps<Row>) => (
  <div class="table" id={rest.id} {...(rest.region ? { tabIndex: 0, role: 'region', 'aria-label': rest.region } : {})}>
    <table class={own}>
      {rest.caption && <caption>{rest.caption}</caption>}
      <thead>
        <tr>
          {columns.map((column) =>
            column.name === '' ? (
              <td />
            ) : (
              <th scope="col" class={classOf(column)} aria-sort={column.order}>
                {column.head ?? column.name}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf?.(row)}>
            {columns.map((column, at) =>
              at === 0 && !rest.hasNoRowHead ? (
                <th scope="row">{column.cell(row)}</th>
              ) : (
                <td data-label={column.name || undefined} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
