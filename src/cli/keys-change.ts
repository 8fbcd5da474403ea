// `vitrine keys create`, `update`, `regenerate`, `rotate` and `revoke`.
import { createKey, updateKey, regenerateKey, revokeKey, inputFaults, type KeyInput } from '../keys/keys.ts'
import { momentOf, showKey, showNewKey } from './key-text.ts'
import {
  commandLine,
  keyOperand,
  refuseFaults,
  withEngine,
  withState,
  type Runnable,
  type CommandContext,
} from './command.ts'
import type { Option } from '../terminal/command.ts'
import { OperatorError } from '../errors.ts'
import { finishRotation, oldCodeUntil, overlapFaults, rotateKey, usualOverlap } from '../keys/rotation.ts'
import { presets } from '../catalogue/permissions.ts'
import { systemClock, type Clock } from '../platform/clock.ts'
import { isGate } from '../catalogue/access.ts'
import type { Key } from '../state/state.ts'

const keyOptions: readonly Option[] = [
  { name: 'name', value: 'N', help: 'A name for the key, such as the client system.' },
  { name: 'permissions', value: 'a,b|all', help: 'The permissions, such as products:read,invoices:read; or all.' },
  { name: 'stores', value: '1,2|none|all', help: 'Limits the key to these stores, or to none; all removes the limit.' },
  { name: 'price-list', value: 'P|all', help: 'Limits the key to one price list; all removes the limit.' },
  { name: 'rate', value: 'R', help: 'Requests a minute (default for a new key: 60).' },
  {
    name: 'expires',
    value: 'DATE|never',
    help: 'The last day of the key, such as 2026-12-31, in VITRINE_TIME_ZONE; never removes it.',
  },
  {
    name: 'addresses',
    value: 'CIDR,…|all',
    help: 'Limits the key to these addresses or ranges, such as 203.0.113.7,198.51.100.0/24; all removes the limit.',
  },
]

// On the command line words are joined by hyphens.
const presetNames = presets.map(({ id }) => id.replace('_', '-'))
const presetOption: Option = {
  name: 'preset',
  value: presetNames.join('|'),
  help: 'The usual permissions of such a client system, in place of --permissions.',
}
const presetOf = (name: string | undefined) => presets[presetNames.indexOf(name ?? '')]

const presetFaults = ({ preset }: Readonly<Record<string, string>>): string[] =>
  preset === undefined || presetOf(preset)
    ? []
    : [`There is no preset ${JSON.stringify(preset)}. Presets: ${presetNames.join(', ')}.`]

const keyInput = (
  options: Readonly<Record<string, string>>,
  { settings, clock }: { readonly settings: { readonly timeZone: string }; readonly clock: Clock },
): KeyInput => ({
  name: options['name'],
  permissions: options['permissions'] ?? presetOf(options['preset'])?.permissions.join(','),
  stores: options['stores'],
  priceList: options['price-list'],
  rate: options['rate'],
  expires:
    options['expires'] === undefined
      ? undefined
      : { text: options['expires'], timeZone: settings.timeZone, now: clock.now() },
  addresses: options['addresses'],
})

// The settings are not loaded yet, so a day counts as over when it is over in the last time zone of the world.
const keyOptionFaults = (options: Readonly<Record<string, string>>): string[] =>
  inputFaults(keyInput(options, { settings: { timeZone: 'Etc/GMT+12' }, clock: systemClock }))

export const keysCreate: Runnable = {
  name: 'keys create',
  summary: 'Makes a key and prints its access key and its security code, once.',
  options: [
    ...keyOptions.map((option) => ({
      ...option,
      required: ['name', 'permissions'].includes(option.name),
      ...(option.name === 'permissions' ? { instead: presetOption.name } : {}),
    })),
    presetOption,
  ],
  check: (options) => [...presetFaults(options), ...keyOptionFaults(options)],
  run: withState(async (state, context) => {
    const made = refuseFaults(await createKey(state, keyInput(context.options, context), commandLine()))
    showNewKey(context, made)
    await remarkOnKey(context, made.key)
  }, 'create'),
}

export const keysUpdate: Runnable = {
  name: 'keys update',
  summary: 'Changes a key; the change applies to its live tokens at once.',
  operands: [keyOperand],
  options: [
    ...keyOptions,
    { name: 'disable', help: 'Refuses the key and its tokens until it is enabled again.' },
    { name: 'enable', help: 'Enables a disabled key.' },
  ],
  run: withState(async (state, context) => {
    const { operands, options, flags } = context
    const input = { ...keyInput(options, context), enable: flags.has('enable'), disable: flags.has('disable') }
    const { key } = refuseFaults(await updateKey(state, operands[0] ?? '', input, commandLine()))
    await showKey(state, context, key)
    await remarkOnKey(context, key)
  }),
}

export const keysRegenerate: Runnable = {
  name: 'keys regenerate',
  summary: 'Makes a new security code; the old one and all live tokens end at once.',
  operands: [keyOperand],
  run: withState(async (state, context) =>
    showNewKey(context, refuseFaults(await regenerateKey(state, context.operands[0] ?? '', commandLine()))),
  ),
}

export const keysRotate: Runnable = {
  name: 'keys rotate',
  summary: 'Makes a new security code; the old one stays valid for a while, and live tokens stay valid.',
  details: 'Give the new code to the client system. The old code ends after the overlap, or at once with --finish.',
  operands: [keyOperand],
  options: [
    {
      name: 'overlap',
      value: 'TIME',
      help: `How long both codes work, from 1m to 30d: 30m, 24h, 7d (default: ${usualOverlap}).`,
    },
    { name: 'finish', help: 'Ends the old code of a rotation now; makes no new one.' },
  ],
  check: ({ overlap }) => (overlap === undefined ? [] : overlapFaults(overlap).map(({ sentence }) => sentence)),
  run: withState(async (state, context) => {
    const { operands, options, flags, clock } = context
    const accessKey = operands[0] ?? ''
    if (flags.has('finish')) {
      if (options['overlap'] !== undefined) throw new OperatorError('Give --overlap or --finish, not both.')
      const { key } = refuseFaults(await finishRotation(state, accessKey, commandLine()))
      const text = `The old security code of ${key.accessKey} (${key.name}) is refused from now on; its tokens go on.`
      return showKey(state, context, key, text)
    }
    const made = refuseFaults(await rotateKey(state, accessKey, options['overlap'], commandLine()))
    showNewKey(context, made, { old_code_until: momentOf(oldCodeUntil(made.key, clock.now())) })
  }),
}

export const keysRevoke: Runnable = {
  name: 'keys revoke',
  summary: 'Ends a key and all its live tokens for good.',
  operands: [keyOperand],
  run: withState(async (state, context) => {
    const { key } = refuseFaults(await revokeKey(state, context.operands[0] ?? '', commandLine()))
    const text = `${key.accessKey} (${key.name}) is revoked; its tokens are refused from now on.`
    await showKey(state, context, key, text)
  }),
}

// Remarks on likely mistakes: unknown stores or price lists, or permissions that open no resource. They are not errors,
// because the database may be filled later.
async function remarkOnKey({ settings, output }: CommandContext, key: Key): Promise<void> {
  if (key.permissions.every(isGate))
    output.remark('These permissions only add fields to resources: on their own, they open no resource.')
  const wanted = [
    ...(key.stores ?? []).map((id) => ({ resource: 'stores', what: 'store', id })),
    ...(key.priceList === null ? [] : [{ resource: 'price-lists', what: 'price list', id: key.priceList }]),
  ]
  if (wanted.length === 0) return
  const [{ databaseProblems }, { fullAccess, planOne }] = await Promise.all([
    import('../engine/open.ts'),
    import('../query/plan-named.ts'),
  ])
  const unchecked = () =>
    output.remark(
      'The POS database cannot be read now, so nobody has looked for these stores or this price list in it.',
    )
  if ((await databaseProblems(settings.databaseUrl)).length > 0) return unchecked()
  await withEngine(settings, async (engine) => {
    for (const { resource, what, id } of wanted)
      if ((await engine.detail(planOne(resource, id, fullAccess))) === null)
        output.remark(`There is no ${what} ${id} in the POS database.`)
  }).catch(unchecked)
}
