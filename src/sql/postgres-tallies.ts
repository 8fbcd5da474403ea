// Tallies in PostgreSQL. A trigger appends each change as a row of its own, so that no two tills ever meet; now and then a
// writer folds what has been appended into the counts, unless another one is at it. Readers add the two up.
//
// Recent and archived rows are counted each by themselves: what a trigger sees of the other relation depends on who else is
// writing. Archived rows that a recent one of the same id hides are taken off by the reader, who looks at all ids that may
// be twins: those that changed lately, and those that were found to be some when they were folded.
//
// Words of records are counted along with them (postgres-words.ts).
import { createHash } from 'node:crypto'
import { astray, idDigits, mostId, nameOf, type Axis, type Tally } from '../catalogue/tallies.ts'
import { quote } from './dialect.ts'
import { letReadersRead } from './postgres-readers.ts'
import { trigramSettings } from './postgres-trigrams.ts'
import { readPostgres } from './postgres-values.ts'
import {
  fillWords,
  foldWords,
  makeWords,
  removeWords,
  wordRows,
  wordsColumns,
  wordsOf,
  wordsTable,
} from './postgres-words.ts'
import { axisName, bucketCases, columnsOf, composedOnce, list } from './tally-terms.ts'

const table = (tally: Tally) => quote(`${nameOf(tally)}_tally`)
const changes = (tally: Tally) => quote(`${nameOf(tally)}_tally_changes`)
const twins = (tally: Tally) => quote(`${nameOf(tally)}_tally_twins`)
const hasTwins = (tally: Tally) => tally.relations.length > 1

export const tallyTables = (tally: Tally) => Object.keys(tallyColumns(tally))

function bucket({ column, type }: Axis, length: number): string {
  const stored = `s.${quote(column)}`
  if (type === 'int')
    return `CASE WHEN ${stored} BETWEEN 0 AND ${mostId} THEN left(lpad(${stored}::text, ${idDigits}, '0'), ${length}) ELSE '${astray}' END`
  const time = readPostgres('time', stored)
  return (
    `CASE WHEN ${time} IS NULL THEN '' WHEN ${time} >= '0001-01-01' AND ${time} < '10000-01-01'` +
    ` THEN left(to_char(${time}, 'YYYY-MM-DD'), ${length}) ELSE '${astray}' END`
  )
}

// Rows of the columns above and their number as counts, on every axis; and as how many changes each of them counts.
function spread(tally: Tally, rows: string, changed = '1'): string {
  const { axes, bucketOf } = bucketCases(tally, bucket)
  return (
    `SELECT a.axis, (${bucketOf('a.axis')}) COLLATE "C" AS bucket, ${list(tally.traits, 's.')}, s.n, ${changed} AS changes\n` +
    `  FROM ${rows} s CROSS JOIN (${axes}) a`
  )
}

// Archived rows that are hidden, as taken off. Each id is looked up: joined, whole relations would be read.
function hidden(tally: Tally): string {
  const [recent, archive] = tally.relations.map(({ name }) => quote(name))
  return (
    `(SELECT ${list(columnsOf(tally), 'h.')}, h.words, -1 AS n\n` +
    `  FROM (SELECT "id" FROM ${twins(tally)} UNION SELECT "id" FROM ${changes(tally)}) c\n` +
    `  CROSS JOIN LATERAL (SELECT ${list(columnsOf(tally))}, ${wordsOf(tally, '')} AS words\n` +
    `    FROM ${archive} WHERE "id" = c."id" OFFSET 0) h\n` +
    `  WHERE EXISTS (SELECT FROM ${recent} r WHERE r."id" = c."id" OFFSET 0))`
  )
}

export const tallyRows = composedOnce((tally) => {
  const parts = [
    `SELECT axis, bucket, ${list(tally.traits)}, n, changes FROM ${table(tally)}`,
    spread(tally, changes(tally)),
    // One that comes forth again leaves no trace: what it is part of has no version.
    ...(hasTwins(tally) ? [spread(tally, hidden(tally), 'NULL')] : []),
  ]
  return `(${parts.join(' UNION ALL ')}) t`
})

export const tallyWords = composedOnce((tally) =>
  wordRows(tally, [changes(tally), ...(hasTwins(tally) ? [hidden(tally)] : [])]),
)

// A row of the tally itself says of which make it is, that all was counted, and with which triggers on which relations: one that
// was taken away and put back, or a relation that was written anew, has missed what happened meanwhile. Whoever empties a
// relation removes it.
const madeAxis = 'made'

function sameAsNow(tally: Tally): string {
  return (
    `(SELECT string_agg(concat_ws('.', oid, tgrelid, pg_relation_filenode(tgrelid)), ' ' ORDER BY oid)` +
    ` FROM pg_catalog.pg_trigger WHERE ${ownTriggers(tally)})`
  )
}

function ownTriggers(tally: Tally): string {
  const names = tally.relations.flatMap(({ name }) => triggerNames(name).map((trigger) => `'${trigger}'`))
  return `tgrelid IN (${regclasses(tally)}) AND tgname IN (${names.join(', ')})`
}

const regclasses = (tally: Tally) => tally.relations.map(({ name }) => `'${quote(name)}'::regclass`).join(', ')
export const triggerNames = (relation: string) => [`${relation}_tally`, `${relation}_tally_truncate`] as const

// Whether the triggers are there and on, and nothing was missed.
export const isTallied = composedOnce(
  (tally) =>
    `(SELECT count(*) FROM pg_catalog.pg_trigger WHERE ${ownTriggers(tally)} AND tgenabled = 'A') = ${2 * tally.relations.length}` +
    // Rows that the role may not see, or that are in tables of their own, are not as they were counted.
    ` AND NOT EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid IN (${regclasses(tally)})` +
    ` AND (relrowsecurity OR relhassubclass))` +
    ` AND EXISTS (SELECT FROM ${table(tally)} WHERE axis = '${madeAxis}' AND bucket = '${makeOf(tally)}'` +
    ` AND cell LIKE '% ' || ${sameAsNow(tally)})`,
)

// Changes whenever a count may have: when all was counted, how often was folded, and what was appended since. Snapshots of one
// server only ever see more of what is appended; the sum tells those of two servers apart, too. Null where the tally is not
// being kept.
export const tallyVersion = composedOnce(
  (tally) =>
    `SELECT CASE WHEN ${isTallied(tally)} THEN (SELECT cell || ' ' || n FROM ${table(tally)} WHERE axis = '${madeAxis}') || ' ' ||` +
    ` (SELECT count(*) || ' ' || coalesce(sum(hashtext(c::text)::bigint), 0) FROM ${changes(tally)} c) END`,
)

// The counts may have been made anew meanwhile, and begin again. (A server that lost what it had counted loses its connections, too,
// and with them all that was remembered.)
export const bucketVersion = (tally: Tally) =>
  `(SELECT cell FROM ${table(tally)} WHERE axis = '${madeAxis}') || ' ' ||` +
  ` CASE WHEN count(t.changes) = count(*) THEN sum(t.changes) END`

// Functions run as the owner of the tally: a till needs no rights on it.
const asOwner = 'LANGUAGE plpgsql SECURITY DEFINER'
// They find the relations, and nothing that a caller puts in their way.
const withOwnPath = (name: string) =>
  `DO $$ BEGIN EXECUTE format('ALTER FUNCTION %I() SET search_path = %I, pg_temp', '${name}', current_schema()); END $$`
// How many changes are folded at once, about.
const changesAtOnce = 64

function functions(tally: Tally): string[] {
  const columns = columnsOf(tally)
  const name = (what: string) => quote(`${nameOf(tally)}_tally_${what}`)
  const paths = ['fold', 'count', 'forget'].map((what) => withOwnPath(`${nameOf(tally)}_tally_${what}`))
  const append = (row: 'OLD' | 'NEW', n: 1 | -1) =>
    `INSERT INTO ${changes(tally)} (${list(columns)}, words, n) VALUES (${list(columns, `${row}.`)}, ${wordsOf(tally, `${row}.`)}, ${n});`
  const [recent, archive] = tally.relations.map((relation) => quote(relation.name))
  const both = `EXISTS (SELECT FROM ${recent} WHERE "id" = c."id") AND EXISTS (SELECT FROM ${archive} WHERE "id" = c."id")`
  const gone = `DELETE FROM ${changes(tally)} RETURNING ${list(columns)}, words, n`
  // Of two tills that make twins without seeing each other, the one whose change is folded last is seen to have made them.
  const newTwins = `INSERT INTO ${twins(tally)} SELECT DISTINCT "id" FROM gone c WHERE ${both} ON CONFLICT DO NOTHING`
  return [
    `CREATE OR REPLACE FUNCTION ${name('fold')}() RETURNS void ${asOwner} AS $$\nDECLARE emptied text[];\nBEGIN\n` +
      // In another isolation a row that somebody else has folded meanwhile would be an error.
      `  IF current_setting('transaction_isolation') <> 'read committed' THEN RETURN; END IF;\n` +
      `  IF NOT pg_try_advisory_xact_lock('${table(tally)}'::regclass::bigint) THEN RETURN; END IF;\n` +
      (hasTwins(tally) ? `  DELETE FROM ${twins(tally)} c WHERE NOT (${both});\n` : '') +
      `  WITH gone AS (${gone}), counts AS (${spread(tally, 'gone')}),\n` +
      (hasTwins(tally) ? `  new_twins AS (${newTwins}),\n` : '') +
      // Also what comes to nothing: it has changed.
      `  new_counts AS (INSERT INTO ${table(tally)} AS k (axis, bucket, cell, ${list(tally.traits)}, n, changes)\n` +
      `  SELECT axis, bucket, ROW(${list(tally.traits)})::text, ${list(tally.traits)}, sum(n), count(*) FROM counts\n` +
      `  GROUP BY axis, bucket, ${list(tally.traits)}\n` +
      `  ON CONFLICT (axis, bucket, cell) DO UPDATE SET n = k.n + excluded.n, changes = k.changes + excluded.changes),\n` +
      `  new_words AS (${foldWords(tally, 'gone')})\n` +
      `  SELECT array_agg(cell) INTO emptied FROM new_words WHERE n = 0;\n` +
      `  ${removeWords(tally, 'emptied')};\n` +
      `  UPDATE ${table(tally)} SET n = n + 1 WHERE axis = '${madeAxis}';\nEND $$`,
    `CREATE OR REPLACE FUNCTION ${name('count')}() RETURNS trigger ${asOwner} AS $$\nBEGIN\n` +
      `  IF TG_OP = 'UPDATE' THEN\n` +
      `    IF (${list(columns, 'OLD.')}) IS NOT DISTINCT FROM (${list(columns, 'NEW.')})\n` +
      `      AND ${wordsOf(tally, 'OLD.')} = ${wordsOf(tally, 'NEW.')} THEN RETURN NULL; END IF;\n` +
      `  END IF;\n` +
      `  IF TG_OP <> 'INSERT' THEN ${append('OLD', -1)} END IF;\n` +
      `  IF TG_OP <> 'DELETE' THEN ${append('NEW', 1)} END IF;\n` +
      `  IF random() * ${changesAtOnce} < 1 THEN PERFORM ${name('fold')}(); END IF;\n` +
      `  RETURN NULL;\nEND $$`,
    `CREATE OR REPLACE FUNCTION ${name('forget')}() RETURNS trigger ${asOwner} AS $$\nBEGIN\n` +
      `  DELETE FROM ${table(tally)} WHERE axis = '${madeAxis}';\n  RETURN NULL;\nEND $$`,
    ...paths,
  ]
}

// What is there stays: rights on it were granted.
function makeTables(tally: Tally): string[] {
  const from = `FROM ${quote(nameOf(tally))} WITH NO DATA`
  const key = quote(`${nameOf(tally)}_tally_key`)
  return [
    `CREATE TABLE IF NOT EXISTS ${table(tally)} AS SELECT ''::text COLLATE "C" AS axis, ''::text COLLATE "C" AS bucket,` +
      ` ''::text COLLATE "C" AS cell, ${list(tally.traits)}, 0::bigint AS n, 0::bigint AS changes ${from}`,
    `CREATE UNIQUE INDEX IF NOT EXISTS ${key} ON ${table(tally)} (axis, bucket, cell)`,
    `CREATE TABLE IF NOT EXISTS ${changes(tally)} AS SELECT ${list(columnsOf(tally))}, ''::text COLLATE "C" AS words, 0 AS n ${from}`,
    ...makeWords(tally),
    ...(hasTwins(tally) ? [`CREATE TABLE IF NOT EXISTS ${twins(tally)} ("id" bigint PRIMARY KEY)`] : []),
    letReadersRead(tally, tallyTables(tally)),
    // One that is made again is not read before all is counted.
    `DELETE FROM ${table(tally)} WHERE axis = '${madeAxis}'`,
  ]
}

// The columns of each table of a tally: one that has others is of another make.
export const tallyColumns = (tally: Tally): Readonly<Record<string, readonly string[]>> => ({
  [`${nameOf(tally)}_tally`]: ['axis', 'bucket', 'cell', ...tally.traits, 'n', 'changes'],
  [`${nameOf(tally)}_tally_changes`]: [...columnsOf(tally), 'words', 'n'],
  [wordsTable(tally)]: wordsColumns(tally),
  ...(hasTwins(tally) ? { [`${nameOf(tally)}_tally_twins`]: ['id'] } : {}),
})

// For a table that has all its columns but the last: rights on it stay.
export const addChanges = (name: string) => `ALTER TABLE ${quote(name)} ADD COLUMN changes bigint`

const dropTriggers = (relation: string) =>
  triggerNames(relation).map((trigger) => `DROP TRIGGER IF EXISTS ${quote(trigger)} ON ${quote(relation)}`)

function makeTriggers(tally: Tally, relation: string): string[] {
  const make = (trigger: string, event: string, each: string, does: string) => [
    `CREATE TRIGGER ${quote(trigger)} AFTER ${event} ON ${quote(relation)}` +
      ` FOR EACH ${each} EXECUTE FUNCTION ${quote(`${nameOf(tally)}_tally_${does}`)}()`,
    // For what comes by replication too.
    `ALTER TABLE ${quote(relation)} ENABLE ALWAYS TRIGGER ${quote(trigger)}`,
  ]
  const [rows, emptied] = triggerNames(relation)
  return [
    ...dropTriggers(relation),
    ...make(rows, 'INSERT OR UPDATE OR DELETE', 'ROW', 'count'),
    ...make(emptied, 'TRUNCATE', 'STATEMENT', 'forget'),
  ]
}

const triggers = (tally: Tally) => tally.relations.flatMap(({ name }) => makeTriggers(tally, name))

// Counts what is there, within one snapshot, while others write: what they append is either part of it, and removed, or not.
function fill(tally: Tally): string[] {
  const columns = list(columnsOf(tally))
  const rows = tally.relations.map(({ name }) => `SELECT ${columns} FROM ${quote(name)}`).join(' UNION ALL ')
  const [finest] = tally.axes.slice(-1)
  const traits = list(tally.traits)
  const counts = (axis: Axis, length: number) =>
    `INSERT INTO ${table(tally)} (axis, bucket, cell, ${traits}, n, changes)\n` +
    `  SELECT '${axisName(axis, length)}', ${bucket(axis, length)} AS place, ROW(${traits})::text, ${traits}, count(*), 0\n` +
    `  FROM (${rows}) s GROUP BY place, ${traits}`
  const sums = (axis: string, finer: string, place: string) =>
    `INSERT INTO ${table(tally)} (axis, bucket, cell, ${traits}, n, changes)\n` +
    `  SELECT '${axis}', ${place} AS place, cell, ${traits}, sum(n), 0 FROM ${table(tally)} WHERE axis = '${finer}'\n` +
    `  GROUP BY place, cell, ${traits}`
  const twinIds = tally.relations.map(({ name }) => `SELECT "id" FROM ${quote(name)}`).join(' INTERSECT ')
  return [
    ...tallyTables(tally).map((name) => `DELETE FROM ${quote(name)}`),
    ...tally.axes.flatMap((axis) => {
      const [longest = 0, ...shorter] = axis.lengths.toReversed()
      return [
        counts(axis, longest),
        ...shorter.map((length) => sums(axisName(axis, length), axisName(axis, longest), `left(bucket, ${length})`)),
      ]
    }),
    ...(finest ? [sums('', axisName(finest, finest.lengths[0] ?? 0), "''")] : []),
    ...(hasTwins(tally) ? [`INSERT INTO ${twins(tally)} ${twinIds}`] : []),
    fillWords(tally),
    `INSERT INTO ${table(tally)} (axis, bucket, cell, n)\n` +
      `  VALUES ('${madeAxis}', '${makeOf(tally)}', pg_current_xact_id() || ' ' || ${sameAsNow(tally)}, 0)`,
    ...tallyTables(tally).map((name) => `ANALYZE ${quote(name)}`),
  ]
}

// Another make of tables or triggers is not read, and is made anew by `schema apply`. What an index is set to does not count.
function makeOf(tally: Tally): string {
  const text = [...makeTables(tally), ...functions(tally), ...triggers(tally)].join(';').replace(trigramSettings, '')
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

// How to drop triggers of ours that are on other tables: one that was renamed has taken them along, and goes on counting.
export function strayTriggers(tally: Tally): string {
  const names = ['count', 'forget'].map((what) => `'${nameOf(tally)}_tally_${what}'`)
  return (
    `SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) FROM pg_catalog.pg_trigger\n` +
    `WHERE tgrelid NOT IN (${regclasses(tally)}) AND tgfoid IN (SELECT oid FROM pg_catalog.pg_proc\n` +
    `  WHERE proname IN (${names.join(', ')}) AND pronamespace = to_regnamespace(quote_ident(current_schema())))`
  )
}

// Step by step, each in a transaction of its own: nobody who writes waits for more than one lock, nor for the counting.
export const postgresTallySteps = (tally: Tally) => ({
  dropTriggers: tally.relations.map(({ name }) => dropTriggers(name)),
  makeTables: [...makeTables(tally), ...functions(tally)],
  makeTriggers: tally.relations.map(({ name }) => makeTriggers(tally, name)),
  // Within one snapshot.
  fill: fill(tally),
  // Held meanwhile: nobody folds what is being counted.
  lockKey: `'${table(tally)}'::regclass::bigint`,
})

export const postgresTally = (tally: Tally) => [
  ...makeTables(tally),
  ...functions(tally),
  ...triggers(tally),
  ...fill(tally),
]
