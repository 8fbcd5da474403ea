// `vitrine admin …`: the accounts of the administrators' console, and who is signed in there.
import process from 'node:process'
import { createAccount, nameFaults, removeAccount, roleFaults, updateAccount } from '../web/console/accounts.ts'
import { passwordFaults } from '../web/console/password.ts'
import { OperatorError } from '../errors.ts'
import { roles, type Account } from '../state/console-access.ts'
import type { State } from '../state/state.ts'
import { commandLine, refuseFaults, withState, type Runnable } from './command.ts'
import { momentOf } from './key-text.ts'
import { showList } from './output.ts'
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
  run: withState(async (state, { output }) =>
    showList(output, (await state.listAccounts()).map(accountJson), {
      none: 'There are no accounts: "vitrine admin password" makes one.',
      headings: ['NAME', 'ROLE', 'CREATED', 'LAST SIGN-IN'],
      row: ({ name, role, created_at: made, last_sign_in_at: last }) => [name, role, made ?? '', last ?? 'never'],
    }),
  ),
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
    const made = withState((state) => createAccount(state, input, commandLine()), 'create')
    const { account } = refuseFaults(await made(context))
    context.output.result(accountJson(account), `Made the account ${account.name} (${account.role}).`)
  },
}

export const adminPassword: Runnable = {
  name: 'admin password',
  summary: 'Sets the password of an account of the console.',
  details: `Without NAME: of the account "${usualName}", which is made if there is none. ${typed} ${endsSessions}`,
  operands: [{ ...name, isOptional: true }],
  async run(context) {
    const password = await readPassword()
    const [given, by] = [context.operands[0], commandLine()]
    const set = withState(
      async (state) =>
        given !== undefined || (await state.findSalt(usualName))
          ? updateAccount(state, given ?? usualName, { password }, by)
          : createAccount(state, { name: usualName, role: 'administrator', password }, by),
      given === undefined ? 'create' : undefined,
    )
    const { account } = refuseFaults(await set(context))
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
  run: change(
    (state, [given = '', role]) => updateAccount(state, given, { role }, commandLine()),
    ({ name, role }) => `${name} is ${role === 'viewer' ? 'a viewer' : 'an administrator'} now.`,
  ),
}

export const adminRemove: Runnable = {
  name: 'admin remove',
  summary: 'Removes an account of the console, and signs it out.',
  operands: [name],
  run: change(
    (state, [given = '']) => removeAccount(state, given, commandLine()),
    (account) => `Removed the account ${account.name}.`,
  ),
}

export const adminSignOut: Runnable = {
  name: 'admin sign-out',
  summary: 'Signs everyone out of the console.',
  run: withState(async (state, { output }) => {
    await state.endSessions(commandLine())
    output.result({ signed_out: true }, 'Everyone is signed out of the console.')
  }),
}

function change(
  make: (state: State, operands: readonly string[]) => ReturnType<typeof removeAccount>,
  text: (account: Account) => string,
): Runnable['run'] {
  return withState(async (state, { operands, output }) => {
    const { account } = refuseFaults(await make(state, operands))
    output.result(accountJson(account), text(account))
  })
}

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
