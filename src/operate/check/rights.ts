// Finds rights that the PostgreSQL role lacks or does not need. It needs only SELECT.
import { relations } from '../../contract/relations.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { copyMarksTable } from '../schema/plan.ts'
import type { CheckedDatabase } from './database.ts'
import { counted, type Finding } from './finding.ts'
import type { CheckContext, Question } from './question.ts'

const reader = 'vitrine_reader'

// A new role, because taking rights from the present one could break other programs.
const ownRole = ({ database, schema }: PostgresUrl): string[] => [
  `CREATE ROLE ${reader} LOGIN`,
  `GRANT CONNECT ON DATABASE ${quoteName(database)} TO ${reader}`,
  `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${reader}`,
  `GRANT SELECT ON ALL TABLES IN SCHEMA ${quoteName(schema)} TO ${reader}`,
]
const giveOwnRole = `Make a role for the service, set its password in psql with \\password ${reader}, and name it in VITRINE_DATABASE_URL`

// Not among the statements to paste, because tills may use the same role.
const orRevoke = (user: string, rights: string) =>
  `Only if no other program, and above all no till, signs in as ${user}, you can revoke its rights instead: ${rights}.`

export function closedFindings({ url, shape }: CheckContext): Finding[] {
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

// Rights by ownership, as a superuser or by membership in another role cannot be revoked from the role alone.
const rightsQuery = `
  SELECT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user),
    has_schema_privilege(current_schema(), 'CREATE'),
    count(*) FILTER (WHERE has_table_privilege(c.oid, '${writes.join(', ')}')),
    count(*) FILTER (WHERE pg_has_role(c.relowner, 'USAGE')),
    count(*) FILTER (WHERE row_security_active(c.oid)),
    to_regclass('${copyMarksTable}') IS NOT NULL,
    min(c.relname::text) FILTER (WHERE has_table_privilege(c.oid, '${writes.join(', ')}')),
    min(c.relname::text) FILTER (WHERE row_security_active(c.oid))
  FROM pg_catalog.pg_class c
  WHERE c.oid IN (${relations.map(({ name }) => `to_regclass('${name}')`).join(', ')})`

export const rightQuestions = ({ url }: CheckContext): Question[] =>
  url.kind === 'postgres'
    ? [{ name: 'the rights of the role', needs: {}, ask: (database) => findRights(database, url) }]
    : []

async function findRights(database: CheckedDatabase, url: PostgresUrl): Promise<Finding[]> {
  const { user, schema } = url
  const [row = []] = await database.rows(() => rightsQuery)
  const [isSuper, mayCreate, ...others] = row
  const [writable = 0, owned = 0, filtered = 0] = others.slice(0, 3).map(Number)
  const isCopy = others[3] === true
  const [writableName, filteredName] = others.slice(4).map(String)
  const findings: Finding[] = []
  // The service cannot see that a policy hides rows.
  if (filtered > 0)
    findings.push({
      code: 'row_security',
      count: filtered,
      examples: [String(filteredName)],
      message: `Policies decide which rows of ${counted(filtered, 'relation')} the role ${user} sees (row-level security): callers get no other rows.`,
      remedy: `Make a policy that shows it all rows: for example CREATE POLICY vitrine ON ${quoteName(String(filteredName))} FOR SELECT TO ${quoteName(user)} USING (true).`,
    })
  // A superuser has all other rights anyway.
  if (isSuper === true)
    return [
      ...findings,
      {
        code: 'superuser',
        message: `The role ${user} is a superuser. The service only reads, but anyone with its password can do anything.`,
        ...(isCopy
          ? {
              remedy: `Make a role that owns the schema ${schema}, and name it in VITRINE_DATABASE_URL (docs/copy.md).`,
            }
          : { remedy: `${giveOwnRole}:`, statements: ownRole(url) }),
      },
    ]
  // A copy is written by the role that serves it.
  if (isCopy) return findings
  const revoke = (rights: string) => orRevoke(user, `REVOKE ${rights} FROM ${quoteName(user)}`)
  if (writable > 0)
    findings.push({
      code: 'may_write',
      count: writable,
      examples: [String(writableName)],
      message: `The role ${user} may write to ${counted(writable, 'relation')}${owned > 0 ? ', because it owns them' : ''}. It only needs to read.`,
      remedy: [
        `${giveOwnRole}; the statements are below.`,
        ...(owned > 0 ? [] : [revoke(`${writes.join(', ')} ON ALL TABLES IN SCHEMA ${quoteName(schema)}`)]),
      ].join(' '),
      statements: ownRole(url),
    })
  if (mayCreate === true && owned === 0)
    findings.push({
      code: 'may_create',
      message: `The role ${user} may make tables in the schema ${schema}.`,
      remedy: [
        `${giveOwnRole}; the statements are ${writable > 0 ? 'those of may_write' : 'below'}.`,
        revoke(`CREATE ON SCHEMA ${quoteName(schema)}`),
        `If PUBLIC has the right (before PostgreSQL 15), find out which programs make tables there before you revoke it.`,
      ].join(' '),
      ...(writable > 0 ? {} : { statements: ownRole(url) }),
    })
  return findings
}
