// `vitrine admin password`: sets the password of the administrators' console.
import process from 'node:process'
import { makePassword, passwordFaults } from '../web/console/password.ts'
import { OperatorError } from '../errors.ts'
import { readSecret } from './read-secret.ts'
import { commandLine, withState, type Runnable } from './runnable.ts'

export const adminPassword: Runnable = {
  name: 'admin password',
  summary: "Sets the password of the administrators' console.",
  details:
    'It is asked for twice and not shown; in a script, the first line of standard input is taken. Everybody who is signed in to the console is signed out.',
  operands: [],
  options: [],
  async run(context) {
    const text = await readSecret('The new password (12 characters or more): ')
    const faults = passwordFaults(text)
    if (faults.length > 0) throw new OperatorError(faults.map(({ sentence }) => sentence).join('\n'))
    if (process.stdin.isTTY && (await readSecret('Once more: ')) !== text)
      throw new OperatorError('The two are not the same. Nothing was changed.')
    const password = await makePassword(text)
    await withState(context, (state) => state.setPassword(password, commandLine()), 'create')
    context.output.result({ set: true }, 'The password is set. Everybody who was signed in is signed out.')
  },
}
