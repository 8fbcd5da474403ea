// `vitrine serve`: runs the service until it is told to stop.
import type { Runnable } from './runnable.ts'

export const serve: Runnable = {
  name: 'serve',
  summary: 'Runs the service. SIGTERM lets every accepted request finish.',
  details:
    'The log is JSON lines on stdout. With --json the first line tells the ports: {"event":"listening","https":…,"http":…,"console":…}.',
  operands: [],
  options: [
    { name: 'demo', help: 'On the first start, makes the demo company and its keys.' },
    {
      name: 'check-first',
      help: 'Looks at the database as "check" does, and does not start (exit status 1) if it cannot be served.',
    },
  ],
  // Everything that answers requests is loaded for this command alone.
  run: async (context) => (await import('./serve-run.ts')).runService(context),
}
