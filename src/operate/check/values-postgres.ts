// PostgreSQL sees to types; what is left are numbers that are none, and times that no calendar has.
import { postgresSchema } from '../../sql/postgres-schema.ts'
import type { ValueFaults } from './values.ts'

export const postgresValues: ValueFaults = {
  // Only what is not finite differs from itself by something else than zero.
  wrong: (type, term, stored) =>
    type === 'num' && !stored.type.startsWith('int') ? `${term} - ${term} <> 0` : undefined,
  noTime: (type, term) =>
    type === 'time' || type === 'day' ? `${term} < '0001-01-01' OR ${term} >= '10000-01-01'` : undefined,
  goodTime: (term) =>
    `CASE WHEN ${term} >= '0001-01-01' AND ${term} < '10000-01-01' THEN ${postgresSchema.read('time', term)} END`,
  zeroDate: () => undefined,
  // Types tell times with a zone from those without.
  zoned: () => undefined,
  isWhole: () => 'true',
}
