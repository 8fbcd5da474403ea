// What may the role do on PostgreSQL? It needs SELECT and nothing else: whatever else it may do is a door that nobody needs.
import { relations } from '../../contract/relations.ts'
import { quoteName } from '../../postgres/names.ts'
import { grantSelect } from '../../postgres/schema-access.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { counted, type Finding } from './finding.ts'
import type { Inquiry, Question } from './question.ts'

// A role of its own, for whoever signs in as the owner of everything.
const ownRole = ({ database, schema }: PostgresUrl): string[] => {
  const role = 'vitrine_reader'
  return [
    `CREATE ROLE ${role} LOGIN PASSWORD '…'`,
    `GRANT CONNECT ON DATABASE ${quoteName(database)} TO ${role}`,
    `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${role}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA ${quoteName(schema)} TO ${role}`,
  ]
}

export function closedFindings({ url, shape }: Inquiry): Finding[] {
  if (url.kind !== 'postgres') return []
  return relations.flatMap((relation): Finding[] => {
    const shut = Object.keys(relation.columns).filter(
      (column) => shape.relations.get(relation.name)?.columns.get(column)?.isReadable === false,
    )
    if (shut.length === 0) return []
    const isWhole = shut.length === Object.keys(relation.columns).length
    return [
      {
        code: 'no_right_to_read',
        relation: relation.name,
        count: shut.length,
        message: `The role ${url.user} may not read ${isWhole ? 'it' : shut.join(', ')}.`,
        remedy: 'Let its owner run:',
        statements: [`GRANT SELECT ON ${quoteName(url.schema)}.${quoteName(relation.name)} TO ${quoteName(url.user)}`],
      },
    ]
  })
}

const writes = ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']

// Whose it is by ownership, a superuser's rights or another role that it is in, cannot be taken from the role alone.
const rightsQuery = `
  SELECT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user),
    has_schema_privilege(current_schema(), 'CREATE'),
    count(*) FILTER (WHERE has_table_privilege(c.oid, '${writes.join(', ')}')),
    count(*) FILTER (WHERE pg_has_role(c.relowner, 'USAGE')),
    min(c.relname::text) FILTER (WHERE has_table_privilege(c.oid, '${writes.join(', ')}'))
  FROM pg_catalog.pg_class c
  WHERE c.oid IN (${relations.map(({ name }) => `to_regclass('${name}')`).join(', ')})`

export function rightQuestions({ url }: Inquiry): Question[] {
  if (url.kind !== 'postgres') return []
  return [
    {
      name: 'the rights of the role',
      needs: {},
      decides: false,
      isLong: false,
      async ask(source) {
        const [row = []] = await source.rows({ text: rightsQuery, values: [] })
        const [isSuper, mayCreate, writable, owned, example] = row
        return tellRights(url, {
          isSuper: isSuper === true,
          mayCreate: mayCreate === true,
          writable: Number(writable),
          owned: Number(owned),
          example: String(example),
        })
      },
    },
  ]
}

interface Rights {
  readonly isSuper: boolean
  readonly mayCreate: boolean
  readonly writable: number
  readonly owned: number
  readonly example: string
}

// A superuser may do all of it anyway.
function tellRights(url: PostgresUrl, { isSuper, mayCreate, writable, owned, example }: Rights): Finding[] {
  const { user, schema } = url
  if (isSuper)
    return [
      {
        code: 'superuser',
        message: `The role ${user} is a superuser. Sessions of the service only read, but whoever gets its password may do anything.`,
        remedy: 'Give the service a role of its own, and name it in VITRINE_DATABASE_URL:',
        statements: ownRole(url),
      },
    ]
  const findings: Finding[] = []
  if (writable > 0)
    findings.push({
      code: 'may_write',
      count: writable,
      examples: [example],
      message: `The role ${user} may write ${counted(writable, 'relation')}${owned > 0 ? ', because they are its own' : ''}. It needs to read.`,
      remedy:
        owned > 0
          ? 'Give the service a role of its own, and name it in VITRINE_DATABASE_URL:'
          : 'Let their owner run this; a right that came by another role, or by PUBLIC, is taken away there:',
      statements:
        owned > 0
          ? ownRole(url)
          : [
              `REVOKE ${writes.join(', ')} ON ALL TABLES IN SCHEMA ${quoteName(schema)} FROM ${quoteName(user)}`,
              grantSelect(url),
            ],
    })
  if (mayCreate && owned === 0)
    findings.push({
      code: 'may_create',
      message: `The role ${user} may make tables in the schema ${schema}.`,
      remedy: "Let the schema's owner run (others who lose it may need a grant of their own):",
      statements: [`REVOKE CREATE ON SCHEMA ${quoteName(schema)} FROM PUBLIC, ${quoteName(user)}`],
    })
  return findings
}
