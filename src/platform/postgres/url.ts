// Parses postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=…&sslmode=…; a fault is the end of a sentence.
import { parseServerUrl, passwordHint, type ServerUrl } from '../server-url.ts'

export interface PostgresUrl extends ServerUrl {
  readonly kind: 'postgres'
  readonly schema: string
}

export function parsePostgresUrl(
  text: string,
  defaultSchema: string,
  cwd: string,
): { value: PostgresUrl } | { fault: string } {
  const form = {
    scheme: /^postgres(ql)?:\/\/\S+$/,
    port: 5432,
    parameters: ['schema'],
    parameterFaults: (given: (name: string) => string | null) => schemaFaults(given('schema') ?? defaultSchema),
    shape: `must be sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE ${passwordHint}`,
  }
  const read = parseServerUrl(text, form, cwd)
  if ('fault' in read) return read
  return { value: { kind: 'postgres', ...read.value, schema: read.given('schema') ?? defaultSchema } }
}

function schemaFaults(schema: string): string[] {
  if (Buffer.byteLength(schema) > 63) return ['the name of the schema is longer than 63 bytes']
  if (schema.startsWith('pg_') || schema === 'information_schema')
    return ['a schema of this name belongs to PostgreSQL itself']
  return /\p{Cc}/u.test(schema) ? ['the name of the schema has a control character in it'] : []
}
