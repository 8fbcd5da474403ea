// Who may read what `schema apply` makes in PostgreSQL.
import { nameOf, type Tally } from '../catalogue/tallies.ts'
import { quote } from './dialect.ts'

// Whoever may read the counts of a tally, and its relations, may read all its tables, also those that another version did not have.
export function letReadersRead(tally: Tally, tables: readonly string[]): string {
  const mayRead = tally.relations.map(({ name }) => `has_table_privilege(a.grantee, '${quote(name)}', 'SELECT')`)
  return (
    `DO $$ DECLARE reader oid; BEGIN\n` +
    `  FOR reader IN SELECT a.grantee FROM pg_catalog.pg_class c, aclexplode(c.relacl) a\n` +
    `    WHERE c.oid = '${quote(`${nameOf(tally)}_tally`)}'::regclass AND a.privilege_type = 'SELECT'\n` +
    `    AND a.grantee NOT IN (0, c.relowner) AND ${mayRead.join(' AND ')} LOOP\n` +
    `    EXECUTE format('GRANT SELECT ON ${tables.map(quote).join(', ')} TO %I', pg_get_userbyid(reader));\n` +
    `  END LOOP; END $$`
  )
}
