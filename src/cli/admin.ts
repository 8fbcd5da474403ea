// `vitrine admin password` and `admin sign-out`: the administrators' console.
import process from 'node:process'
import { makePassword, passwordFaults } from '../web/console/password.ts'
import { OperatorError } from '../errors.ts'
import { commandLine, withState, type Runnable } from './command.ts'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

export const adminPassword: Runnable = {
  name: 'admin password',
  summary: "Sets the password of the administrators' console.",
  details:
    'It is asked for twice and not shown; in a script, the first line of standard input is used. All administrators are signed out of the console.',
  async run(context) {
    const text = await readSecret('The new password (12 characters or more): ')
    const faults = passwordFaults(text)
    if (faults.length > 0) throw new OperatorError(faults.map(({ sentence }) => sentence).join('\n'))
    if (process.stdin.isTTY && (await readSecret('Repeat the password: ')) !== text)
      throw new OperatorError('The two passwords differ. Nothing was changed.')
    const password = await makePassword(text)
    await withState(context, (state) => state.setPassword(password, commandLine()), 'create')
    context.output.result({ set: true }, 'The password is set. All administrators are signed out.')
  },
}

export const adminSignOut: Runnable = {
  name: 'admin sign-out',
  summary: 'Signs all administrators out of the console.',
  async run(context) {
    await withState(context, (state) => state.endSessions(commandLine()))
    context.output.result({ signed_out: true }, 'All administrators are signed out of the console.')
  },
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
