// `vitrine admin …`: the accounts of the administrators' console, and who is signed in there.
import process from 'node:process'
import { createAccount, nameFaults, removeAccount, roleFaults, updateAccount } from '../web/console/accounts.ts'
import { passwordFaults } from '../web/console/password.ts'
import { OperatorError } from '../errors.ts'
import { roles, type Account } from '../state/console-access.ts'
import { commandLine, refuseFaults, withState, type CommandContext, type Runnable } from './command.ts'
import { momentOf } from './key-text.ts'
import { table } from './output.ts'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

const typed = 'It is asked for twice and not shown; in a script, the first line of standard input is used.'
const rights = 'An administrator can change everything; a viewer sees everything and changes nothing.'
const name = { name: 'NAME', help: 'The name of the account.' }
const endsSessions = 'The account is signed out of the console.'

// The account that `admin password` sets if none is named.
const usualName = 'administrator'

const accountJson = ({ name, role, createdAt, lastSignInAt }: Account) => ({
  name,
  role,
  created_at: momentOf(createdAt),
  last_sign_in_at: momentOf(lastSignInAt),
})

const sentences = (faults: readonly { readonly sentence: string }[]) => faults.map(({ sentence }) => sentence)

export const adminList: Runnable = {
  name: 'admin list',
  summary: 'Lists the accounts of the console.',
  run: (context) =>
    withState(context, async (state) => {
      const accounts = (await state.listAccounts()).map(accountJson)
      if (context.output.isJson) return accounts.forEach((account) => context.output.result(account, ''))
      if (accounts.length === 0)
        return context.output.remark('There are no accounts: "vitrine admin password" makes one.')
      const rows = accounts.map((account) => Object.values(account).map((value) => value ?? 'never'))
      context.output.result(null, table([['NAME', 'ROLE', 'CREATED', 'LAST SIGN-IN'], ...rows]))
    }),
}

export const adminAdd: Runnable = {
  name: 'admin add',
  summary: 'Makes an account of the console, and asks for its password.',
  details: `${rights} ${typed}`,
  operands: [name],
  options: [{ name: 'role', value: roles.join('|'), help: `The role (default: ${roles[0]}).` }],
  check: ({ role = roles[0] }, [given = '']) =>
    sentences([...(given === '' ? [] : nameFaults(given.trim())), ...roleFaults(role)]),
  async run(context) {
    const { operands, options } = context
    const input = { name: operands[0] ?? '', role: options['role'] ?? roles[0], password: await readPassword() }
    const made = await withState(context, (state) => createAccount(state, input, commandLine()), 'create')
    const { account } = refuseFaults(made)
    context.output.result(accountJson(account), `Made the account ${account.name} (${account.role}).`)
  },
}

export const adminPassword: Runnable = {
  name: 'admin password',
  summary: 'Sets the password of an account of the console.',
  details: `Without NAME: of the account "${usualName}", which is made if there is none. ${typed} ${endsSessions}`,
  operands: [{ ...name, isOptional: true }],
  async run(context) {
    const { operands } = context
    const password = await readPassword()
    const [given, by] = [operands[0], commandLine()]
    const set = await withState(
      context,
      async (state) =>
        given !== undefined || (await state.findSalt(usualName))
          ? updateAccount(state, given ?? usualName, { password }, by)
          : createAccount(state, { name: usualName, role: 'administrator', password }, by),
      given === undefined ? 'create' : undefined,
    )
    const { account } = refuseFaults(set)
    context.output.result(
      { set: true, name: account.name },
      `The password of ${account.name} is set. Sign in to the console with this name.`,
    )
  },
}

export const adminRole: Runnable = {
  name: 'admin role',
  summary: 'Changes the role of an account of the console.',
  details: `${rights} ${endsSessions}`,
  operands: [name, { name: 'ROLE', help: `${roles.join(' or ')}.` }],
  check: (_options, [, role]) => (role === undefined ? [] : sentences(roleFaults(role))),
  run: (context) =>
    change(
      context,
      (state, [given = '', role]) => updateAccount(state, given, { role }, commandLine()),
      (account) =>
        account.role === 'viewer' ? `${account.name} is a viewer now.` : `${account.name} is an administrator now.`,
    ),
}

export const adminRemove: Runnable = {
  name: 'admin remove',
  summary: 'Removes an account of the console, and signs it out.',
  operands: [name],
  run: (context) =>
    change(
      context,
      (state, [given = '']) => removeAccount(state, given, commandLine()),
      (account) => `Removed the account ${account.name}.`,
    ),
}

export const adminSignOut: Runnable = {
  name: 'admin sign-out',
  summary: 'Signs everyone out of the console.',
  async run(context) {
    await withState(context, (state) => state.endSessions(commandLine()))
    context.output.result({ signed_out: true }, 'Everyone is signed out of the console.')
  },
}

const change = (
  context: CommandContext,
  run: (state: Parameters<typeof removeAccount>[0], operands: readonly string[]) => ReturnType<typeof removeAccount>,
  text: (account: Account) => string,
): Promise<void> =>
  withState(context, async (state) => {
    const { account } = refuseFaults(await run(state, context.operands))
    context.output.result(accountJson(account), text(account))
  })

async function readPassword(): Promise<string> {
  const text = await readSecret('The password (12 characters or more): ')
  const faults = passwordFaults(text)
  if (faults.length > 0) throw new OperatorError(sentences(faults).join('\n'))
  if (process.stdin.isTTY && (await readSecret('Repeat the password: ')) !== text)
    throw new OperatorError('The two passwords differ. Nothing was changed.')
  return text
}

// Typed without echo, or the first line of a pipe.
async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return firstLine()
  process.stderr.write(question)
  const noEcho = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: noEcho, terminal: true })
  const stopped = new Promise<never>((_, reject) => prompt.once('SIGINT', () => reject(new Error('stopped'))))
  try {
    return await Promise.race([prompt.question(''), stopped])
  } finally {
    prompt.close()
    process.stderr.write('\n')
  }
}

async function firstLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk)
  return text.split(/\r?\n/)[0] ?? ''
}
