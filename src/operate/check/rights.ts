// What may the role do on PostgreSQL? It needs SELECT and nothing else: whatever else it may do is a door that nobody needs.
import { relations } from '../../contract/relations.ts'
import { quoteName } from '../../platform/postgres/names.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { counted, type Finding } from './finding.ts'
import type { Inquiry, Question } from './question.ts'

const reader = 'vitrine_reader'

// A role of its own: whatever it may not do, nobody else can miss. (Its password is asked for, and so is in no history.)
const ownRole = ({ database, schema }: PostgresUrl): string[] => [
  `CREATE ROLE ${reader} LOGIN`,
  `GRANT CONNECT ON DATABASE ${quoteName(database)} TO ${reader}`,
  `GRANT USAGE ON SCHEMA ${quoteName(schema)} TO ${reader}`,
  `GRANT SELECT ON ALL TABLES IN SCHEMA ${quoteName(schema)} TO ${reader}`,
]
const giveOwnRole = `Give the service a role of its own, set its password in psql with \\password ${reader}, and name it in VITRINE_DATABASE_URL`

// Never among what is pasted without reading: tills may sign in as the same role.
const orRevoke = (user: string, rights: string) =>
  `Only if nobody but Vitrine signs in as ${user}, and no till above all, its own rights may be taken away instead: ${rights}.`

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
    min(c.relname::text) FILTER (WHERE has_table_privilege(c.oid, '${writes.join(', ')}')),
    count(*) FILTER (WHERE row_security_active(c.oid)),
    min(c.relname::text) FILTER (WHERE row_security_active(c.oid))
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

// Rows that a policy hides are not there for the service, and nothing would tell.
const tellPolicies = ({ user }: PostgresUrl, count: number, example: string): Finding[] =>
  count === 0
    ? []
    : [
        {
          code: 'row_security',
          count,
          examples: [example],
          message: `Policies decide which rows of ${counted(count, 'relation')} the role ${user} sees (row level security): callers get no others.`,
          remedy: `See that a policy lets it see all that callers may: for example CREATE POLICY vitrine ON ${quoteName(example)} FOR SELECT TO ${quoteName(user)} USING (true).`,
        },
      ]

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
      message: `The role ${user} may write ${counted(writable, 'relation')}${owned > 0 ? ', because they are its own' : ''}. It needs to read.`,
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
        `Where everybody has the right (PUBLIC, before PostgreSQL 15), see who makes tables there before it is taken away.`,
      ].join(' '),
      ...(writable > 0 ? {} : { statements: ownRole(url) }),
    })
  return findings
}
