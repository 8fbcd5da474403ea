// Parses mysql://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…, of MySQL or MariaDB; a fault is the end of a sentence.
import { parseServerUrl, passwordHint, type ServerUrl } from '../server-url.ts'

export interface MysqlUrl extends ServerUrl {
  readonly kind: 'mysql'
  // The zone of the session; null: the company's.
  readonly timeZone: string | null
}

const form = {
  scheme: /^(mysql|mariadb):\/\/\S+$/,
  port: 3306,
  needsDatabase: true as const,
  parameters: ['time_zone'],
  parameterFaults: (given: (name: string) => string | null) =>
    /^[\w/+:-]+$/.test(given('time_zone') ?? 'SYSTEM')
      ? []
      : ['time_zone must be an IANA name, SYSTEM or an offset such as -05:00'],
  shape: `must be sqlite:PATH, postgres://USER:PASSWORD@HOST/DATABASE or mysql://USER:PASSWORD@HOST/DATABASE ${passwordHint}`,
}

export function parseMysqlUrl(text: string, cwd: string): { value: MysqlUrl } | { fault: string } {
  const read = parseServerUrl(text, form, cwd)
  if ('fault' in read) return read
  return { value: { kind: 'mysql', ...read.value, timeZone: read.given('time_zone') } }
}
