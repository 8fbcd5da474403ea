// `pull` is the client's command: here it is only named, for the help and for whoever misspells it.
import type { Runnable } from './runnable.ts'

export const pullCommand: Runnable = {
  name: 'pull',
  summary: 'Mirrors what an access key may read into files or a SQLite database.',
  operands: [],
  options: [],
  run() {
    throw new Error('pull runs by itself')
  },
}
