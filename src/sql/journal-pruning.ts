// Keeps the journal in PostgreSQL bounded without ever failing a sale, and notices rows that were deleted by hand.
import { quote } from './dialect.ts'
import {
  countedAtOnce,
  journalTable,
  keptRows,
  prunedAtOnce,
  prunedRarely,
  prunedWhenBehind,
  pruneEvery,
} from './journalled.ts'

export const table = quote(journalTable)
const prune = `${journalTable}_prune`
const guard = `${journalTable}_guard`
export const guardTriggers = [`${guard}_before`, `${guard}_after`] as const
// Its value is the number of the last transaction that pruned, or that deleted by hand.
export const pruner = `${journalTable}_pruned`

export interface JournalFunction {
  readonly name: string
  // As the server keeps it, so that a changed function is noticed.
  readonly source: string
}

// Goes with the table.
export const makePruner = `CREATE SEQUENCE ${quote(pruner)} OWNED BY ${table}.seq`

// The floor: how far the journal was pruned. `id` is the greatest xid of a row that is gone or may go next, `kind` the place (xid, seq) of
// the last row that is gone, `to_store_id` the place of the last row that was counted and how many up to it are left, `store_id` how many
// rows are kept, and `tag` the identity of the journal. No transaction has the number 0.
export const floorRow = `xid = '0' AND seq = 0`
export const makeFloor = `INSERT INTO ${table} (xid, seq, relation, id, kind, to_store_id, store_id) OVERRIDING SYSTEM VALUE VALUES ('0', 0, '', 0, '{0,0}', '{0,0,0}', '${keptRows}')`

// One session at a time deletes or changes rows of the journal, until the end of its transaction. The lock's key is a pair of
// integers, apart from the single numbers that a POS may use.
const lockKey = (oid: string) => `hashtext('vitrine'), hashtext('journal ' || ${oid}::oid)`
// A transaction that cannot see what another one pruned must not prune: see below.
const notePruner = `setval(to_regclass('${pruner}'), pg_current_xact_id()::text::bigint)`

// To be run in one transaction.
export const keepRows = (count: number): string[] => [
  `SELECT pg_advisory_xact_lock(${lockKey(`'${journalTable}'::regclass`)}), ${notePruner}`,
  `UPDATE ${table} SET store_id = '${count}' WHERE ${floorRow}`,
]

// Whoever reads on from the end of what is gone compares so many rows before it (see `newestRows`): they stay.
export const comparedRows = 64

// In order of the key, after the place. Every transaction up to these has ended: no row will come among them.
const endedAfter = (place: string) => `FROM ${table}
        WHERE (xid, seq) > (${place}[1]::text::xid8, ${place}[2]) AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, seq`

// Deletes the oldest rows, at most so many. Rows are counted, because transactions that were rolled back leave gaps in their numbers.
const pruneRows = (mostCounted: number | 'ALL', most: string) => `
  SELECT kind::bigint[], to_store_id::bigint[], store_id::bigint INTO gone, counted, kept FROM ${table} WHERE ${floorRow};
  counted := coalesce((SELECT ARRAY[xid::text::bigint, seq, counted[3] + n]
    FROM (SELECT xid, seq, row_number() OVER (ORDER BY xid, seq) AS n ${endedAfter('counted')} LIMIT ${mostCounted}) c
    ORDER BY n DESC LIMIT 1), counted);
  IF counted[3] > kept THEN
    SELECT array_agg(place) FILTER (WHERE is_old), max(ARRAY[xid::text::bigint, seq]) FILTER (WHERE is_old), max(xid::text::bigint) INTO pruned, gone, reached
      FROM (SELECT o.*, row_number() OVER (ORDER BY xid, seq) <= count(*) OVER () - ${comparedRows} AS is_old
        FROM (SELECT ctid AS place, xid, seq ${endedAfter('gone')} LIMIT least(counted[3] - kept, ${most}) + ${comparedRows}) o) s;
  END IF;
  IF pruned IS NOT NULL THEN
    DELETE FROM ${table} WHERE ctid = ANY (pruned);
    counted[3] := counted[3] - cardinality(pruned);
    UPDATE ${table} SET id = reached, kind = gone::text, to_store_id = counted::text WHERE ${floorRow};
  ELSE
    UPDATE ${table} SET to_store_id = counted::text WHERE ${floorRow} AND to_store_id <> counted::text;
  END IF;`
const pruneVariables = 'pruned tid[]; gone bigint[]; counted bigint[]; reached bigint; kept bigint;'

// A session that does not get the lock leaves the pruning to the next one. To delete a row that another session has deleted since the
// snapshot would fail a sale. READ COMMITTED (which is also READ UNCOMMITTED) takes a snapshot after it got the lock, and so sees every
// earlier deletion. REPEATABLE READ keeps its first one: it prunes only if the last transaction that did is in it, or is itself; all before
// had ended when that one got the lock. It prunes more rarely, so that one of them mostly is. SERIALIZABLE may fail by reading alone, at
// its end, where nothing can catch it, and prunes nothing.
export const pruneFunction: JournalFunction = {
  name: prune,
  source: `
DECLARE ${pruneVariables} rarer int := 1; last_pruner bigint;
BEGIN
  IF current_setting('transaction_isolation') NOT LIKE 'read %' THEN
    IF current_setting('transaction_isolation') <> 'repeatable read' OR NEW.seq % ${pruneEvery * prunedRarely} <> 0
      OR to_regclass('${pruner}') IS NULL THEN RETURN NULL; END IF;
    rarer := ${prunedRarely};
  END IF;
  IF NOT pg_try_advisory_xact_lock(${lockKey('TG_RELID')}) THEN RETURN NULL; END IF;
  IF rarer > 1 THEN
    last_pruner := pg_sequence_last_value(to_regclass('${pruner}'));
    IF last_pruner <> pg_current_xact_id()::text::bigint
      AND NOT pg_visible_in_snapshot(last_pruner::text::xid8, pg_current_snapshot()) THEN RETURN NULL; END IF;
  END IF;
  PERFORM ${notePruner};${pruneRows(countedAtOnce, `greatest(${prunedAtOnce} * rarer, ${prunedWhenBehind})`)}
  RETURN NULL;
END `,
}

// Rows that are deleted by hand may be news to a reader: the journal gets another identity, and all earlier marks are void. Those that are
// left are counted anew. Sessions that prune are kept out meanwhile.
export const guardFunction: JournalFunction = {
  name: guard,
  source: `
BEGIN
  IF TG_WHEN = 'BEFORE' THEN
    PERFORM pg_advisory_xact_lock(${lockKey('TG_RELID')}), ${notePruner};
  ELSE
    ${makeFloor} ON CONFLICT (xid, seq) DO UPDATE SET tag = EXCLUDED.tag, to_store_id = EXCLUDED.to_store_id;
  END IF;
  RETURN NULL;
END `,
}

// Prunes at most so many rows, whatever isolation the tills use. To be run by the owner of the journal, in a transaction of its own (READ
// COMMITTED). A transaction that has pruned and is still open can be waited for in vain: rows after it may not go anyway.
export const pruneJournal = (most: number): string => `SET LOCAL lock_timeout = '1s'; DO $$
DECLARE ${pruneVariables} identity integer;
BEGIN
  BEGIN
    PERFORM pg_advisory_xact_lock(${lockKey(`'${journalTable}'::regclass`)}), ${notePruner};
  EXCEPTION WHEN lock_not_available THEN RETURN;
  END;
  SELECT tag INTO identity FROM ${table} WHERE ${floorRow};${pruneRows('ALL', String(most))}
  UPDATE ${table} SET tag = identity WHERE ${floorRow};
END $$`
