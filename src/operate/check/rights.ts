// Finds rights that the PostgreSQL role lacks or does not need. It needs only SELECT.
import { relations } from '../../contract/relations.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
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
    min(c.relname::text) FILTER (WHERE has_table_privilege(c.oid, '${writes.join(', ')}')),
    count(*) FILTER (WHERE row_security_active(c.oid)),
    min(c.relname::text) FILTER (WHERE row_security_active(c.oid))
  FROM pg_catalog.pg_class c
  WHERE c.oid IN (${relations.map(({ name }) => `to_regclass('${name}')`).join(', ')})`

export function rightQuestions({ url }: CheckContext): Question[] {
  if (url.kind !== 'postgres') return []
  return [
    {
      name: 'the rights of the role',
      needs: {},
      async ask(database) {
        const [row = []] = await database.rows({ text: rightsQuery, values: [] })
        const [isSuper, mayCreate, writable, owned, example, filtered, filteredName] = row
        const policies = tellPolicies(url, Number(filtered), String(filteredName))
        const rights = tellRights(url, {
          isSuper: isSuper === true,
          mayCreate: mayCreate === true,
          writable: Number(writable),
          owned: Number(owned),
          example: String(example),
        })
        return [...policies, ...rights]
      },
    },
  ]
}

// The service cannot see that a policy hides rows.
const tellPolicies = ({ user }: PostgresUrl, count: number, example: string): Finding[] =>
  count === 0
    ? []
    : [
        {
          code: 'row_security',
          count,
          examples: [example],
          message: `Policies decide which rows of ${counted(count, 'relation')} the role ${user} sees (row-level security): callers get no other rows.`,
          remedy: `Make a policy that shows it all rows: for example CREATE POLICY vitrine ON ${quoteName(example)} FOR SELECT TO ${quoteName(user)} USING (true).`,
        },
      ]

interface Rights {
  readonly isSuper: boolean
  readonly mayCreate: boolean
  readonly writable: number
  readonly owned: number
  readonly example: string
}

// A superuser has all other rights anyway.
function tellRights(url: PostgresUrl, { isSuper, mayCreate, writable, owned, example }: Rights): Finding[] {
  const { user, schema } = url
  if (isSuper)
    return [
      {
        code: 'superuser',
        message: `The role ${user} is a superuser. The service only reads, but anyone with its password can do anything.`,
        remedy: `${giveOwnRole}:`,
        statements: ownRole(url),
      },
    ]
  const findings: Finding[] = []
  if (writable > 0)
    findings.push({
      code: 'may_write',
      count: writable,
      examples: [example],
      message: `The role ${user} may write to ${counted(writable, 'relation')}${owned > 0 ? ', because it owns them' : ''}. It only needs to read.`,
      remedy: [
        `${giveOwnRole}; the statements are below.`,
        ...(owned > 0
          ? []
          : [
              orRevoke(
                user,
                `REVOKE ${writes.join(', ')} ON ALL TABLES IN SCHEMA ${quoteName(schema)} FROM ${quoteName(user)}`,
              ),
            ]),
      ].join(' '),
      statements: ownRole(url),
    })
  if (mayCreate && owned === 0)
    findings.push({
      code: 'may_create',
      message: `The role ${user} may make tables in the schema ${schema}.`,
      remedy: [
        `${giveOwnRole}; the statements are ${writable > 0 ? 'those of may_write' : 'below'}.`,
        orRevoke(user, `REVOKE CREATE ON SCHEMA ${quoteName(schema)} FROM ${quoteName(user)}`),
        `If PUBLIC has the right (before PostgreSQL 15), find out which programs make tables there before you revoke it.`,
      ].join(' '),
      ...(writable > 0 ? {} : { statements: ownRole(url) }),
    })
  return findings
}
