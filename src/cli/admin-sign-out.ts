// `vitrine admin sign-out`: ends every session of the administrators' console.
import { commandLine, withState, type Runnable } from './runnable.ts'

export const adminSignOut: Runnable = {
  name: 'admin sign-out',
  summary: "Signs everybody out of the administrators' console.",
  operands: [],
  options: [],
  async run(context) {
    await withState(context, (state) => state.endSessions(commandLine()))
    context.output.result({ signed_out: true }, 'Everybody is signed out of the console.')
  },
}
