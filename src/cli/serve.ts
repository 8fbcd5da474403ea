// `vitrine serve`: runs the service until a signal stops it.
import type { Runnable } from './command.ts'

export const serve: Runnable = {
  name: 'serve',
  summary: 'Runs the service. SIGTERM stops it after all accepted requests.',
  details:
    'The log is on stdout: readable lines at a terminal, JSON lines in a pipe or with --json. With --json the first line tells the ports: ' +
    '{"event":"listening","https":…,"http":…,"console":…}.',
  options: [
    { name: 'demo', help: 'On the first start, makes the demo company and its keys.' },
    {
      name: 'check-first',
      help: 'Checks the database first, and does not start (exit status 1) if it cannot be served.',
    },
  ],
  // Loaded on demand, so that other commands start faster.
  run: async (context) => (await import('./serve-run.ts')).runService(context),
}
