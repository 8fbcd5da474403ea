// `vitrine keys preview`: what a key sees, with real records, before it is handed over. The console shows the same.
import type { ResourcePreview } from '../describe/preview.ts'
import { OperatorError } from '../errors.ts'
import { missingKeyFault } from '../keys/keys.ts'
import { createLog } from '../platform/log.ts'
import { table } from './output.ts'
import { withState, type Runnable } from './runnable.ts'

export const keysPreview: Runnable = {
  name: 'keys preview',
  summary: 'Shows what a key sees: how many records of each resource, and which fields are hidden from it.',
  details: 'With --json each resource also has its first records, exactly as a program with this key gets them.',
  operands: [{ name: 'KEY', help: 'The access key.' }],
  options: [],
  run: (context) =>
    withState(context, async (state) => {
      const { settings, output, operands } = context
      const accessKey = operands[0] ?? ''
      const key = await state.findKey(accessKey)
      if (!key) throw new OperatorError((await missingKeyFault(state, accessKey)).sentence)
      const [{ databaseProblems, startEngine }, { previewAs }] = await Promise.all([
        import('../engine/open.ts'),
        import('../describe/preview.ts'),
      ])
      const problems = await databaseProblems(settings.databaseUrl)
      if (problems.length > 0) throw new OperatorError(problems.join('\n'), 1)
      // Its log is for services: what cannot be read says so in its line.
      const log = createLog('silent', () => {})
      const { statementTimeoutMs } = settings
      const engine = await startEngine(settings.databaseUrl, { readers: 1, statementTimeoutMs, log })
      try {
        const seen = await previewAs(engine, key)
        if (output.isJson) return seen.forEach((each) => output.result(each, ''))
        output.result(null, table([['RESOURCE', 'RECORDS', 'HIDDEN FIELDS'], ...seen.map(lineOf)]))
      } finally {
        await engine.close()
      }
    }),
}

function lineOf({ name, readable, hidden, seen }: ResourcePreview): string[] {
  if (!readable) return [name, 'closed', '']
  const records = seen ? `${seen.total} of ${seen.total_of_all}` : 'could not be read'
  return [name, records, hidden.join(',')]
}
