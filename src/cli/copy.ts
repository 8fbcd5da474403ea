// `vitrine copy`: copies a POS that has its own tables into the connected database, by the SELECTs of a file of views.
import { resolve } from 'node:path'
import process from 'node:process'
import { OperatorError } from '../errors.ts'
import type { RoundedColumn } from '../operate/copy/doubles.ts'
import type { KeptOutCount } from '../operate/copy/kept-out.ts'
import type { CopyEvent, LoopOptions } from '../operate/copy/loop.ts'
import type { WaitingRelation } from '../operate/copy/losses.ts'
import type { CopyResult } from '../operate/copy/run.ts'
import { secondsSince } from '../operate/progress.ts'
import { lowerPriority } from '../platform/priority.ts'
import { asSentence } from '../settings/load.ts'
import { settingsTable, type Settings } from '../settings/table.ts'
import type { CommandContext, Runnable } from './command.ts'
import { refusal, untilInterrupted, whole } from './importing.ts'
import { showList, table, type Output } from './output.ts'

export const copy: Runnable = {
  name: 'copy',
  isStateless: true,
  summary: 'Copies a POS that has its own tables into the connected database, through the SELECTs of a file of views.',
  details:
    'The source is only read: MariaDB 10.6 or MySQL 8 (mysql://…), PostgreSQL (postgres://…) or a SQLite file (sqlite:PATH). The file of ' +
    'views has statements CREATE VIEW relation AS SELECT …, in the SQL of the source ("views print" writes a template); their SELECTs are ' +
    'run, and nothing is created there. Relations without a view are not copied. One connection reads one snapshot.\n\n' +
    'All rows are checked first. A few wrong rows are kept out: their records stay as they were. If more is wrong, every fault is shown, ' +
    'and nothing is changed. What is new, changed or gone is then written in one transaction. Ids that are texts become numbers that stay the same. A row without an updated_at gets the time at ' +
    'which the copy found it changed.\n\n' +
    'The connected database must be empty, or a copy. The service can run meanwhile. With VITRINE_COPY_FROM, "serve" copies by itself.',
  options: [
    { name: 'from', value: 'URL', help: `The database to copy (default: ${settingsTable.copyFrom.name}).` },
    { name: 'views', value: 'FILE', help: `The file of views (default: ${settingsTable.copyViews.name}).` },
    { name: 'every', value: 'TIME', help: 'Repeats the copy this often, such as 60s, until a signal.' },
    {
      name: 'plan',
      help: 'Looks at the first rows of each SELECT, and shows how each relation is read and how soon a change is in the copy. Copies nothing.',
    },
    {
      name: 'accept-loss',
      help: 'Copies also relations that lose more than half of ten rows or more, or their view. Without this option, the first wait, and nothing is copied for the second.',
    },
    { name: 'faults', help: 'Lists the rows that are kept out of the copy, and why. Copies nothing.' },
  ],
  check: (options, _, flags) => [...everyOf(options).faults, ...conflicts(options, flags)],
  async run(context) {
    const { options, flags, settings, output } = context
    if (flags.has('faults')) return showFaults(settings, output)
    const copied = copyOptions(context)
    if (flags.has('plan')) return showPlan(copied, output)
    lowerPriority()
    const { everyMs } = everyOf(options)
    if (everyMs !== undefined) return copyAgain(context, { ...copied, everyMs })
    const { copyOnce, prepareCopy } = await import('../operate/copy/run.ts')
    const startedAt = performance.now()
    const result = await untilInterrupted(output, async (given) => {
      await prepareCopy(settings.databaseUrl, copied.from)
      return copyOnce(settings.databaseUrl, { ...copied, ...given })
    })
    if ('faults' in result) throw refusal(result.faults, output)
    showResult(result, secondsSince(startedAt), output)
  },
}

function everyOf({ every }: Readonly<Record<string, string>>): { everyMs?: number; faults: string[] } {
  const parsed = every === undefined ? undefined : settingsTable.copyEveryMs.type.parse(every, '')
  if (!parsed) return { faults: [] }
  return 'value' in parsed ? { everyMs: parsed.value, faults: [] } : { faults: [`--every ${parsed.fault}.`] }
}

function conflicts({ every }: Readonly<Record<string, string>>, flags: ReadonlySet<string>): string[] {
  const others = [...(every === undefined ? [] : ['--every']), ...(flags.has('accept-loss') ? ['--accept-loss'] : [])]
  if (flags.has('plan') && flags.has('faults')) return ['--plan and --faults cannot be given together.']
  const looks = ['plan', 'faults'].filter((name) => flags.has(name) && others.length > 0)
  return looks.map((name) => `--${name} copies nothing: leave out ${others.join(' and ')}.`)
}

async function showFaults({ databaseUrl }: Settings, output: Output): Promise<void> {
  const { readCopyState } = await import('../operate/copy/run.ts')
  const { keptOut } = await readCopyState(databaseUrl)
  const rows = keptOut.map(({ relation, key, message, since, records }) => ({
    relation,
    key,
    records,
    since: new Date(since).toISOString(),
    message,
  }))
  showList(output, rows, {
    none: 'No row is kept out of the copy.',
    headings: ['RELATION', 'ROW', 'ID OF ITS RECORD', 'SINCE', 'WHY'],
    row: ({ relation, key, records, since, message }) => [
      relation,
      key,
      records.join(' and ') || 'unknown',
      since,
      message,
    ],
  })
}

async function showPlan(copied: ReturnType<typeof copyOptions>, output: Output): Promise<void> {
  const { planCopy } = await import('../operate/copy/plan.ts')
  const relations = await planCopy({ ...copied, signal: new AbortController().signal })
  const rows = relations.map(({ relation, how, freshness }) => [relation, how, freshness])
  const times = [settingsTable.copyEveryMs.name, settingsTable.copyWholeEveryMs.name].join(' and ')
  output.result(
    { relations },
    `${table([['RELATION', 'READ', 'A CHANGE IS COPIED'], ...rows])}\n\n${times} say how often there is a round and a whole round. ` +
      'A relation in which a row has no updated_at is read whole.',
  )
}

// Events on stdout, one line each.
async function copyAgain(
  { settings, output }: CommandContext,
  options: Omit<LoopOptions, 'signal' | 'onEvent'>,
): Promise<void> {
  const { keepCopying } = await import('../operate/copy/loop.ts')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
  await keepCopying(settings.databaseUrl, {
    ...options,
    signal: stop.signal,
    onEvent(event) {
      if (event.event === 'copying') return
      const at = new Date(event.at).toISOString()
      const waiting = 'waiting' in event ? { waiting: event.waiting?.map(shownWaiting) } : {}
      output.result({ ...event, ...waiting, at }, `${at}  ${roundText(event)}`)
    },
  })
}

function roundText(event: Exclude<CopyEvent, { readonly event: 'copying' }>): string {
  if (event.event === 'copy_remark') return event.remark
  if (event.event === 'copy_failed') return `nothing was changed: ${event.problem}`
  const counts = `${whole(event.read)} read, ${whole(event.new)} new, ${whole(event.changed)} changed, ${whole(event.deleted)} deleted`
  const line = `${counts} in ${event.seconds} s${event.is_whole ? ' (whole)' : ''}`
  const kept = keptTexts(event.kept_out ?? [], event.waiting ?? [])
  return kept.length === 0 ? line : [`${line}.`, ...kept].join(' ')
}

// All faults at once.
function copyOptions({ options, settings, clock, flags }: CommandContext) {
  const given = options['from']
  const parsed = given === undefined ? undefined : settingsTable.copyFrom.type.parse(given, process.cwd())
  const from = parsed && 'value' in parsed ? parsed.value : settings.copyFrom
  const views = options['views'] === undefined ? settings.copyViews : resolve(options['views'])
  const faults = [
    ...(parsed && 'fault' in parsed ? [asSentence(`--from ${parsed.fault}`)] : missing('from', 'copyFrom', from)),
    ...missing('views', 'copyViews', views),
  ]
  if (faults.length > 0 || !from || !views) throw new OperatorError(faults.join('\n'))
  const { timeZone, copyTimeoutMs: timeoutMs, copyWholeEveryMs: wholeEveryMs, copyMostKeptOut: mostKeptOut } = settings
  return { from, views, timeZone, timeoutMs, wholeEveryMs, mostKeptOut, acceptsLoss: flags.has('accept-loss'), clock }
}

const missing = (option: string, field: keyof Settings, value: unknown) =>
  value === null ? [`--${option} or ${settingsTable[field].name} must be given.`] : []

function showResult(
  { relations, database, rounded, kept_out, waiting, ...result }: CopyResult,
  seconds: number,
  output: Output,
): void {
  const counted = ['read', 'new', 'changed', 'unchanged', 'deleted'] as const
  const rows = relations.map((each) => [each.relation, each.how, ...counted.map((name) => whole(each[name]))])
  const shown = table([['RELATION', 'HOW', ...counted.map((name) => name.toUpperCase())], ...rows])
  const remarks = [
    `Copied into ${database} in ${seconds} s.`,
    ...rounded.map(roundedText),
    ...keptTexts(kept_out, waiting),
  ]
  output.result(
    { database, seconds, ...result, relations, rounded, kept_out, waiting: waiting.map(shownWaiting) },
    `${shown}\n\n${remarks.join('\n')}`,
  )
}

const roundedText = ({ relation, column, count, from, to }: RoundedColumn) =>
  `${relation}.${column}: not copied exactly ${count === 1 ? 'in 1 row' : `in ${whole(count)} rows`}, such as ${from}${from === to ? ', which is too large for cents' : ` as ${to}`}.`

function keptTexts(keptOut: readonly KeptOutCount[], waiting: readonly WaitingRelation[]): string[] {
  const counts = keptOut.map(({ relation, rows }) => `${whole(rows)} of ${relation}`).join(', ')
  return [
    ...(keptOut.length === 0 ? [] : [`Kept out as wrong ("vitrine copy --faults" says why): ${counts}.`]),
    ...waiting.map(
      ({ relation, had, has, lost }) =>
        `${relation} waits: the copy has ${whole(had)} rows, the source ${whole(has)}; ${whole(lost)} would be deleted. ` +
        'If they are gone for good: "vitrine copy --accept-loss".',
    ),
  ]
}

const shownWaiting = ({ relation, had, has, lost, since }: WaitingRelation) => ({
  relation,
  had,
  has,
  lost,
  since: new Date(since).toISOString(),
})
