// The journal in PostgreSQL: one table, and for each relation a function with two triggers that name every record whose rows are written,
// within the transaction of the till. The order of `seq` is not the order of commits, so readers go by `xid`. A server that crashed, or was
// put back to an earlier state, may give the same `xid` and `seq` again; then `tag` differs.
//
// The triggers are row triggers, because the apply worker of a subscription fires no others, and ALWAYS, so that it fires these. Columns
// other than `id` are texts, which take a value of any type.
import type { Relation } from '../contract/relation.ts'
import { relations } from '../contract/relations.ts'
import { quote } from './dialect.ts'
import {
  comparedRows,
  floorRow,
  guardFunction,
  guardTriggers,
  makeFloor,
  makePruner,
  pruneFunction,
  table,
  type JournalFunction,
} from './journal-pruning.ts'
import { allMark, beforeColumns, journalled, journalTable, pruneEvery } from './journalled.ts'

const variable = (row: string, name: string) => `${row}_${name}`
const journalFunction = (relation: string) => `vitrine_${relation}_journal`
// The first is for rows, the second for TRUNCATE.
export const journalTriggerNames = (relation: string) => [`vitrine_${relation}_row`, `vitrine_${relation}_truncate`]

const makeTable = `CREATE TABLE ${table} (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(), seq bigint GENERATED ALWAYS AS IDENTITY, id bigint,
  at integer NOT NULL DEFAULT extract(epoch FROM now())::integer, tag integer NOT NULL DEFAULT (random() * 2147483647)::integer, relation text NOT NULL, kind text, store_id text, to_store_id text, price_list_id text, PRIMARY KEY (xid, seq)
)`

// SECURITY DEFINER, so that the roles of the tills need no right on the journal. The search path is fixed, so that a caller cannot put
// another table in its place.
const makeFunction = ({ name, source }: JournalFunction) => [
  `CREATE OR REPLACE FUNCTION ${quote(name)}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$${source}$$`,
  `DO $$ BEGIN EXECUTE format('ALTER FUNCTION %I() SET search_path = pg_catalog, %I, pg_temp', '${name}', current_schema()); END $$`,
]

// Values are read in a block of their own: a column that was renamed or retyped must not fail the sale: the whole relation
// may then have changed. (The block only reads, so it takes no transaction id.)
function rowFunction(relation: Relation): JournalFunction {
  const { named, before } = journalled(relation)
  const all = [...named, ...before]
  const declare = (row: string, columns: typeof named) =>
    columns.map(([name]) => `${variable(row, name)} ${name === 'id' ? 'bigint' : 'text'};`).join(' ')
  const read = (row: string, own: typeof before = []) =>
    [
      ...named.map(([name, column]) => `${variable(row, name)} := ${row.toUpperCase()}.${quote(column)};`),
      ...own.map(
        ([name, column]) => `${variable(row, name)} := coalesce(${row.toUpperCase()}.${quote(column)}::text, '');`,
      ),
    ].join(' ')
  const add = (row: string, columns: typeof named) =>
    `INSERT INTO ${table} (relation, ${columns.map(([name]) => name).join(', ')})` +
    ` VALUES ('${relation.name}', ${columns.map(([name]) => variable(row, name)).join(', ')});`
  const addAll = `INSERT INTO ${table} (relation, kind) VALUES ('${relation.name}', '${allMark}');`
  const differs = named.map(([name]) => `new_${name} IS DISTINCT FROM old_${name}`).join(' OR ')
  return {
    name: journalFunction(relation.name),
    source: `
DECLARE ${declare('old', all)} ${declare('new', named)}
BEGIN
  IF TG_OP = 'TRUNCATE' THEN ${addAll} RETURN NULL; END IF;
  BEGIN
    IF TG_OP <> 'INSERT' THEN ${read('old', before)} END IF;
    IF TG_OP <> 'DELETE' THEN ${read('new')} END IF;
  EXCEPTION WHEN OTHERS THEN
    ${addAll} RETURN NULL;
  END;
  IF TG_OP <> 'INSERT' THEN ${add('old', all)} END IF;
  IF TG_OP = 'INSERT' OR TG_OP = 'UPDATE' AND (${differs}) THEN ${add('new', named)} END IF;
  RETURN NULL;
END `,
  }
}

export const journalFunctions: readonly JournalFunction[] = [
  pruneFunction,
  guardFunction,
  ...relations.map(rowFunction),
]

const makeTrigger = (name: string, on: string, event: string, each: string, does: string, when = 'AFTER') => [
  `CREATE TRIGGER ${quote(name)} ${when} ${event} ON ${quote(on)} FOR EACH ${each} EXECUTE FUNCTION ${quote(does)}()`,
  `ALTER TABLE ${quote(on)} ENABLE ALWAYS TRIGGER ${quote(name)}`,
]

// Roles that may read all of these relations, such as that of the service, may read the new table, too. (The role 0 is PUBLIC.)
export const letReadersRead = (made: string, known: readonly string[]) => `DO $$ DECLARE reader text; BEGIN
  FOR reader IN SELECT coalesce(quote_ident(r.rolname), 'PUBLIC')
    FROM pg_catalog.pg_class c CROSS JOIN aclexplode(c.relacl) a LEFT JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
    WHERE c.oid = '${known[0]}'::regclass AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner AND NOT EXISTS (
      SELECT FROM unnest(ARRAY[${known.map((name) => `'${name}'`).join(', ')}]) AS n (name) WHERE NOT has_table_privilege(a.grantee, n.name, 'SELECT'))
  LOOP EXECUTE 'GRANT SELECT ON ${quote(made)} TO ' || reader; END LOOP; END $$`

// The table and the functions. Takes no lock that a till waits for.
export const makeJournalTable: readonly string[] = [
  makeTable,
  makePruner,
  makeFloor,
  ...journalFunctions.flatMap(makeFunction),
  ...makeTrigger(
    pruneFunction.name,
    journalTable,
    'INSERT',
    `ROW WHEN (NEW.seq % ${pruneEvery} = 0)`,
    pruneFunction.name,
  ),
  // Within the function that prunes, the depth is greater.
  ...(['BEFORE', 'AFTER'] as const).flatMap((when, at) =>
    makeTrigger(
      guardTriggers[at] ?? '',
      journalTable,
      'DELETE OR TRUNCATE',
      'STATEMENT WHEN (pg_trigger_depth() = 0)',
      guardFunction.name,
      when,
    ),
  ),
  letReadersRead(
    journalTable,
    relations.map(({ name }) => name),
  ),
]

// To be run in one transaction for each relation: it takes a lock that tills wait for.
export function makeJournalTriggers(relation: string): string[] {
  const [row = '', truncate = ''] = journalTriggerNames(relation)
  const does = journalFunction(relation)
  return [
    ...makeTrigger(row, relation, 'INSERT OR UPDATE OR DELETE', 'ROW', does),
    ...makeTrigger(truncate, relation, 'TRUNCATE', 'STATEMENT', does),
  ]
}

// Of the journal itself.
export const ownTriggers: readonly string[] = [pruneFunction.name, ...guardTriggers]

export const makeJournal = (): string[] => [
  ...makeJournalTable,
  ...relations.flatMap(({ name }) => makeJournalTriggers(name)),
]

// → the statements that drop the triggers, also of a renamed table. To be run in one transaction each.
export const findJournalTriggers = `SELECT format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) FROM pg_catalog.pg_trigger t
  WHERE t.tgname LIKE 'vitrine\\_%' AND t.tgfoid IN (SELECT p.oid FROM pg_catalog.pg_proc p
    WHERE p.pronamespace = to_regnamespace(quote_ident(current_schema()))
      AND p.proname IN (${relations.map(({ name }) => `'${journalFunction(name)}'`).join(', ')}))`

// To be run when no trigger is left.
export const dropJournalTable: readonly string[] = [
  `DROP TABLE IF EXISTS ${table}`,
  ...journalFunctions.map(({ name }) => `DROP FUNCTION IF EXISTS ${quote(name)}()`),
]

// Whether a trigger is unchanged: for every row or for TRUNCATE (pg_trigger.tgtype), always, without a condition or a list of columns.
const isWhole =
  `t.tgenabled = 'A' AND t.tgqual IS NULL AND t.tgattr::text = '' AND p.proname = 'vitrine_' || c.relname || '_journal'` +
  ` AND t.tgtype = CASE t.tgname WHEN 'vitrine_' || c.relname || '_row' THEN 29 ELSE 32 END`

// Whether the rows were written by this server. All transactions that a snapshot shows come before its end; if one does not, a dump of
// another server was restored, and its numbers mean nothing here. (With an alias: a plain "xid" would sort by the cast, without the key.)
const newest = `(SELECT j.xid FROM ${table} j ORDER BY j.xid DESC, j.seq DESC LIMIT 1)`
export const isOwn =
  `(SELECT greatest(max(n), 0) FROM (VALUES (${newest}::text::numeric),` +
  ` ((SELECT id::numeric FROM ${table} WHERE ${floorRow}))) AS v (n)) < pg_snapshot_xmax(pg_current_snapshot())::text::numeric`

const namespace = 'to_regnamespace(quote_ident(current_schema()))'
const isOurs = "tgname LIKE 'vitrine\\_%'"
const floor = `${table} f ON f.xid = '0' AND f.seq = 0`
// Snapshot, whether this is a standby, floor, identity, the number of the newest row.
const stateColumns = `pg_current_snapshot()::text, pg_is_in_recovery(), f.id, f.tag, ${newest}`

const contentColumns = ['relation', 'id', ...beforeColumns].join(', ')
const rowColumns = `xid, seq, ${contentColumns}`
export const rowCells = rowColumns.split(',').length
const isNext =
  '(xid, seq) > ($5::xid8, $6::bigint) AND xid < $3::xid8 AND xid <> ALL ($4::xid8[]) AND relation = ANY ($7::text[])'

// So many that transactions which committed at the same time are among them: the last row need not be of the last one.
const newestRows = (where: string) =>
  `SELECT xid, tag FROM ${table} ${where} ORDER BY xid DESC, seq DESC LIMIT ${comparedRows}`

// The point of a mark is a snapshot (`pg_current_snapshot()`). It is valid while the fingerprint is the same and the floor is less than
// the xmin of the snapshot. Otherwise rows that it could not see may have been pruned.
export const journalReading = {
  // (relations) → whether all their writes are named, whether all are logged, and a fingerprint, as one text; the tables, the functions, and
  // how many rows of the catalogue that are; `stateColumns`. The fingerprint changes with the journal, a trigger, a function, and a column:
  // a trigger that was disabled and enabled again has another xmin. ALTER COLUMN may change all rows without firing a trigger, and gives the
  // column another xmin, even if the type is the same. VACUUM FULL and GRANT give only the table another one, and change no row.
  look: `SELECT l.*, ${stateColumns}
    FROM (SELECT concat_ws(' ', coalesce(bool_and(r.is_named), true), coalesce(bool_and(r.is_logged), true), string_agg(concat_ws(' ', r.oid, r.columns, r.triggers), ';' ORDER BY r.oid)),
        array_agg(r.oid)::text, '{' || string_agg(r.functions, ',') || '}', sum(1 + cardinality(r.columns) + r.versions)::int
      FROM (SELECT c.oid, (SELECT array_agg(a.xmin ORDER BY a.attnum) FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns,
          string_agg(concat_ws(' ', t.oid, t.xmin, t.tgenabled, p.oid, p.xmin), ',' ORDER BY t.oid) AS triggers,
          string_agg(DISTINCT p.oid::text, ',') AS functions, count(t.oid) + count(DISTINCT p.oid) AS versions,
          c.relpersistence = 'p' AS is_logged, (c.relname = '${journalTable}' OR c.relkind = 'r' AND NOT c.relispartition AND NOT c.relhassubclass
            AND NOT c.relrowsecurity AND count(*) FILTER (WHERE ${isWhole}) = 2) AS is_named
        FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_trigger t ON t.tgrelid = c.oid AND t.${isOurs}
          LEFT JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid
        WHERE c.relnamespace = ${namespace} AND (c.relname = '${journalTable}' OR c.relname = ANY ($1))
        GROUP BY c.oid) r) l LEFT JOIN ${floor}`,
  // (a snapshot, its xmin, tables, functions) → how many rows of the catalogue there are if none has changed since the snapshot, otherwise 0
  // (null if it is the present one), `stateColumns`. What is committed later has a number from its xmin on.
  lookAgain: `SELECT CASE WHEN pg_current_snapshot()::text <> $1 THEN (SELECT CASE WHEN bool_and(age(v.xmin) > age($2::xid8::xid)) THEN count(*) ELSE 0 END FROM (
      SELECT xmin FROM pg_catalog.pg_class WHERE oid = ANY ($3::oid[]) AND relnamespace = ${namespace}
      UNION ALL SELECT xmin FROM pg_catalog.pg_attribute WHERE attrelid = ANY ($3::oid[]) AND attnum > 0
      UNION ALL SELECT xmin FROM pg_catalog.pg_trigger WHERE tgrelid = ANY ($3::oid[]) AND ${isOurs}
      UNION ALL SELECT xmin FROM pg_catalog.pg_proc WHERE oid = ANY ($4::oid[])) v)::int END, ${stateColumns}
    FROM (SELECT) o LEFT JOIN ${floor}`,
  // (xmax, xip[], relations, most rows) → relation, id: rows that the snapshot could not see. Two halves, so that each is a range of the key.
  since:
    `SELECT relation, id FROM (SELECT relation, id FROM ${table} WHERE xid >= $1::xid8` +
    ` UNION ALL SELECT relation, id FROM ${table} WHERE xid = ANY ($2::xid8[]) AND xid < $1::xid8) s` +
    ` WHERE relation = ANY ($3::text[]) LIMIT $4`,
  // (xmax, xip[], most rows) → relation, how many rows that the snapshot could not see name it
  written:
    `SELECT relation, count(*)::int FROM (SELECT relation FROM ${table} WHERE xid >= $1::xid8` +
    ` UNION ALL SELECT relation FROM ${table} WHERE xid = ANY ($2::xid8[]) AND xid < $1::xid8 LIMIT $3) s GROUP BY relation`,
  // → how many rows are kept at most
  keptRows: `SELECT store_id::bigint FROM ${table} WHERE ${floorRow}`,
  // → rows, time of the oldest
  reach: `SELECT count(*), min(at) FROM ${table} WHERE NOT (${floorRow})`,
  // → time of the oldest row, if one was pruned
  oldest:
    `SELECT at FROM ${table} WHERE (xid, seq) > ('0', 0) AND (SELECT id > 0 FROM ${table} WHERE ${floorRow})` +
    ` ORDER BY xid, seq LIMIT 1`,
  // → system identifier and timeline, which change if the server is replaced or failed over, or restored to an earlier time. Null on a
  // standby, which does not tell its timeline.
  history: `SELECT CASE WHEN NOT pg_is_in_recovery() THEN concat_ws(' ', (SELECT system_identifier FROM pg_control_system()),
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)) END`,
  // → `tags` of the present, the greatest xid of a row
  newest: `SELECT sum(tag)::text, max(xid::text::bigint) FROM (${newestRows('')}) n`,
  // (xmax, xip[]) → the tags of the newest rows that a snapshot shows. They differ if the server has lost what the snapshot showed.
  tags: `SELECT sum(tag)::text FROM (${newestRows('WHERE xid < $1::xid8 AND xid <> ALL ($2::xid8[])')}) n`,
  // (xmax and xip[] of A, xmax and xip[] of B, xid and seq of the place, relations, most rows, those of the relations whose rows come one by
  // one) → `rowCells` columns that the change feed reads, how many rows were read, and, in the last row, the seq of the last: rows that B
  // shows and A does not, in order of the key. Two halves, so that each is a range of the key. Rows of the other relations that say the same
  // in one transaction come once, at the first.
  after:
    `SELECT xid, min(seq) AS seq, ${contentColumns}, sum(count(*)) OVER ()::bigint, max(max(seq)) OVER (PARTITION BY xid)` +
    ` FROM (SELECT * FROM (SELECT ${rowColumns} FROM ${table} WHERE xid = ANY ($2::xid8[]) AND xid < $1::xid8 AND ${isNext}` +
    ` UNION ALL (SELECT ${rowColumns} FROM ${table} WHERE xid >= $1::xid8 AND ${isNext} ORDER BY xid, seq LIMIT $8)) s` +
    ` ORDER BY xid, seq LIMIT $8) r` +
    ` GROUP BY xid, ${contentColumns}, CASE WHEN relation = ANY ($9::text[]) THEN seq END ORDER BY xid, min(seq)`,
  // (xmax and xip[] of A, xmax and xip[] of B, relations, ids) → the same columns, without the last two, of all rows that A does not show:
  // first those that B shows. A transaction that waited for another to write the same row wrote its last row later.
  about:
    `SELECT ${rowColumns} FROM (SELECT *, xid < $3::xid8 AND xid <> ALL ($4::xid8[]) AS is_shown, max(seq) OVER (PARTITION BY xid) AS last_seq` +
    ` FROM (SELECT ${rowColumns} FROM ${table} WHERE xid = ANY ($2::xid8[]) AND xid < $1::xid8` +
    ` UNION ALL SELECT ${rowColumns} FROM ${table} WHERE xid >= $1::xid8) j` +
    ` WHERE relation = ANY ($5::text[]) AND id IN (SELECT unnest($6::bigint[]))) o ORDER BY is_shown DESC, last_seq, seq`,
  // → relation: those whose triggers are both unchanged
  named: `SELECT c.relname::text FROM pg_catalog.pg_class c JOIN pg_catalog.pg_trigger t ON t.tgrelid = c.oid
      JOIN pg_catalog.pg_proc p ON p.oid = t.tgfoid
    WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND ${isWhole} GROUP BY c.oid HAVING count(*) = 2`,
}
