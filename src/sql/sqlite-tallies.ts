// Tallies in SQLite: counted by triggers within the writer's own transaction, so that they are never behind. As all of the
// schema, they need nothing newer than SQLite 3.40 and no function of ours.
import { astray, everywhere, idDigits, mostId, nameOf, type Axis, type Tally } from '../catalogue/tallies.ts'
import type { Relation } from '../contract/relation.ts'
import { quote } from './dialect.ts'
import { schemaVersion, type Trigger } from './sqlite-derived.ts'
import { readSqlite, wellFormed } from './sqlite-values.ts'
import { axisName, bucketCases, columnsOf, list } from './tally-terms.ts'

export const tallyTable = (tally: Tally) => quote(`${nameOf(tally)}_tally`)
// The combinations of traits there are.
export const cellTable = (tally: Tally) => quote(`${nameOf(tally)}_tally_cells`)
// The row that an INSERT OR REPLACE is about to replace, of which no trigger tells.
const replacedTable = ({ name }: Relation) => quote(`${name}_tally_replaced`)

// The tables and the view of a tally.
export const tallyTables = (tally: Tally) => [
  ...['', '_cells', '_count'].map((end) => `${nameOf(tally)}_tally${end}`),
  ...tally.relations.map(({ name }) => `${name}_tally_replaced`),
]

// The place of a row's value on an axis, to so many characters.
const bucketIn =
  (row: string) =>
  ({ column, type }: Axis, length: number): string => {
    const stored = `${row}.${quote(column)}`
    if (type === 'int')
      return `CASE WHEN ${stored} BETWEEN 0 AND ${mostId} THEN substr(printf('%0${idDigits}d', ${stored}), 1, ${length}) ELSE '${astray}' END`
    const time = readSqlite('time', stored)
    return (
      `CASE WHEN ${time} IS NULL THEN '' WHEN ${time} GLOB ${wellFormed.time} AND substr(${stored}, 12, 8) <= '23:59:59'` +
      ` THEN substr(${stored}, 1, ${length}) ELSE '${astray}' END`
    )
  }

// Whoever writes rows into this view has them counted in (1) or out (-1). The counting is written down here once: whoever opens
// the file reads all its triggers.
const counter = (tally: Tally) => quote(`${nameOf(tally)}_tally_count`)

// What `changes` of a cell begins with and grows by: at random, so that it is another number in any other database, such as one that
// was counted anew, or an older one that is put back and then changed as often. Small enough for thousands of millions of changes.
const beginning = 'random() & 0xffffffff'
const step = '1 + (random() & 0x3fffff)'

function counting(tally: Tally): { view: string; trigger: Trigger } {
  const { axes, bucketOf } = bucketCases(tally, bucketIn('new'))
  const same = (row: string) => tally.traits.map((name) => `${row}${quote(name)} IS new.${quote(name)}`).join(' AND ')
  const name = `${nameOf(tally)}_tally_counting`
  return {
    view: `CREATE VIEW ${counter(tally)} AS SELECT ${columnsOf(tally)
      .map((name) => `NULL AS ${quote(name)}`)
      .join(', ')}, 0 AS n WHERE false`,
    trigger: {
      name,
      statement:
        `CREATE TRIGGER ${quote(name)} INSTEAD OF INSERT ON ${counter(tally)}\nBEGIN\n` +
        `INSERT INTO ${cellTable(tally)} (${list(tally.traits)}) SELECT ${list(tally.traits, 'new.')}\n` +
        `  WHERE NOT EXISTS (SELECT 1 FROM ${cellTable(tally)} WHERE ${same('')});\n` +
        `INSERT INTO ${tallyTable(tally)} (axis, bucket, cell, n)\n` +
        `  SELECT a.axis, ${bucketOf('a.axis')}, c.cell, new.n\n` +
        `  FROM ${cellTable(tally)} c CROSS JOIN (${axes}) a\n` +
        `  WHERE ${same('c.')}\n` +
        `  ON CONFLICT (axis, bucket, cell) DO UPDATE SET n = n + excluded.n, changes = changes + ${step};\nEND`,
    },
  }
}

// Rows, as a select of the columns above.
const count = (tally: Tally, rows: string, by: 1 | -1) =>
  `INSERT INTO ${counter(tally)} (${list(columnsOf(tally))}, n) SELECT *, ${by} FROM (${rows});`

// What one relation's triggers do. An archived row counts while there is no recent one of its id.
function triggerBodies(tally: Tally, relation: Relation) {
  const [recent, archive] = tally.relations
  const columns = list(columnsOf(tally))
  const replaced = replacedTable(relation)
  const isArchive = relation === archive
  const alone = (id: string) =>
    isArchive ? `NOT EXISTS (SELECT 1 FROM ${quote(recent?.name ?? '')} WHERE "id" = ${id})` : 'true'
  const row = (of: 'new' | 'old') => `SELECT ${list(columnsOf(tally), `${of}.`)} WHERE ${alone(`${of}."id"`)}`
  const wasReplaced = (condition: string) =>
    `SELECT ${columns} FROM ${replaced} WHERE "id" = new."id" AND ${condition} AND ${alone('new."id"')}`
  // The archived row behind a recent one.
  const behind = (id: string, condition: string) =>
    `SELECT ${columns} FROM ${quote(archive?.name ?? '')} WHERE "id" = ${id} AND ${condition}`
  const hasBehind = !isArchive && archive !== undefined
  const remember =
    `DELETE FROM ${replaced} WHERE "id" = new."id";\n` +
    `INSERT INTO ${replaced} (${columns}) SELECT ${columns} FROM ${quote(relation.name)} WHERE "id" = new."id";`
  const leave = [count(tally, row('old'), -1), ...(hasBehind ? [count(tally, behind('old."id"', 'true'), 1)] : [])]
  const enter = (replaces: string) => [
    count(tally, wasReplaced(replaces), -1),
    ...(hasBehind
      ? [
          count(
            tally,
            behind('new."id"', `NOT (${replaces} AND EXISTS (SELECT 1 FROM ${replaced} WHERE "id" = new."id"))`),
            -1,
          ),
        ]
      : []),
    count(tally, row('new'), 1),
  ]
  return { remember, leave, enter }
}

export function tallyTriggers(tally: Tally): Trigger[] {
  const ofRelations = tally.relations.flatMap((relation) => {
    const { remember, leave, enter } = triggerBodies(tally, relation)
    const changed = columnsOf(tally)
      .map((name) => `old.${quote(name)} IS NOT new.${quote(name)}`)
      .join(' OR ')
    const isMoved = 'old."id" IS NOT new."id"'
    const trigger = (name: string, event: string, body: readonly string[]) => ({
      name: `${relation.name}_tally_${name}`,
      statement: `CREATE TRIGGER ${quote(`${relation.name}_tally_${name}`)} ${event}\nBEGIN\n${body.join('\n')}\nEND`,
    })
    const on = `ON ${quote(relation.name)}`
    // What was remembered of a row lasts no longer than the row: its id may be given again by SQLite itself, and then nothing
    // tells of it beforehand.
    const forget = `DELETE FROM ${replacedTable(relation)} WHERE "id" = old."id"`
    return [
      trigger('inserting', `BEFORE INSERT ${on}`, [remember]),
      trigger('insert', `AFTER INSERT ${on}`, enter('true')),
      trigger('moving', `BEFORE UPDATE ${on} WHEN ${isMoved}`, [remember]),
      trigger('update', `AFTER UPDATE ${on} WHEN ${changed}`, [
        ...leave,
        ...enter(isMoved),
        `${forget} AND ${isMoved};`,
      ]),
      // Where a writer has turned recursive triggers on, they do tell of a replaced row: it must not be counted twice.
      trigger('delete', `AFTER DELETE ${on}`, [...leave, `${forget};`]),
    ]
  })
  return [counting(tally).trigger, ...ofRelations]
}

// Makes the tables and triggers, and counts what is there. To be run as a whole, within one transaction.
export function sqliteTally(tally: Tally): string[] {
  const [table, cells] = [tallyTable(tally), cellTable(tally)]
  const triggers = tallyTriggers(tally)
  return [
    ...triggers.map(({ name }) => `DROP TRIGGER IF EXISTS ${quote(name)}`),
    `DROP VIEW IF EXISTS ${counter(tally)}`,
    ...tally.relations.flatMap((relation) => [
      `DROP TABLE IF EXISTS ${replacedTable(relation)}`,
      `CREATE TABLE ${replacedTable(relation)} AS SELECT ${list(columnsOf(tally))} FROM ${quote(relation.name)} WHERE false`,
    ]),
    `DROP TABLE IF EXISTS ${table}`,
    `DROP TABLE IF EXISTS ${cells}`,
    `CREATE TABLE ${cells} (cell INTEGER PRIMARY KEY, ${list(tally.traits)})`,
    `CREATE TABLE ${table} (\n  axis TEXT, bucket TEXT, cell INTEGER, n INTEGER, changes INTEGER NOT NULL DEFAULT (${beginning}),\n  PRIMARY KEY (axis, bucket, cell)\n) STRICT, WITHOUT ROWID`,
    ...fill(tally),
    counting(tally).view,
    ...triggers.map(({ statement }) => statement),
  ]
}

// The row that tells under which version of the schema it was made.
const madeAxis = 'made'

export const trustSqliteTally = (tally: Tally) =>
  `INSERT OR REPLACE INTO ${tallyTable(tally)} (axis, bucket, cell, n) SELECT '${madeAxis}', '', 0, ${schemaVersion}`

export const isTrusted = (tally: Tally) =>
  `SELECT 1 FROM ${tallyTable(tally)} WHERE axis = '${madeAxis}' AND n = ${schemaVersion}`

// Each axis is counted once, by its finest beginnings; the coarser ones are sums of those.
function fill(tally: Tally): string[] {
  const [table, cells] = [tallyTable(tally), cellTable(tally)]
  const [recent, archive] = tally.relations
  const columns = list(columnsOf(tally))
  const all =
    `SELECT ${columns} FROM ${quote(recent?.name ?? '')}` +
    (archive
      ? `\n  UNION ALL SELECT ${columns} FROM ${quote(archive.name)} WHERE "id" NOT IN (SELECT "id" FROM ${quote(recent?.name ?? '')})`
      : '')
  const traits = list(tally.traits, 's.')
  const same = tally.traits.map((name) => `c.${quote(name)} IS g.${quote(name)}`).join(' AND ')
  const from = (axis: string, finer: string, bucketText: string) =>
    `INSERT INTO ${table} (axis, bucket, cell, n)\n` +
    `  SELECT '${axis}', ${bucketText} AS place, cell, sum(n) FROM ${table} WHERE axis = '${finer}' GROUP BY place, cell`
  return [
    // Those of hidden rows too: they are counted when they come forth.
    `INSERT INTO ${cells} (${list(tally.traits)})\n  ` +
      tally.relations.map(({ name }) => `SELECT DISTINCT ${list(tally.traits)} FROM ${quote(name)}`).join(' UNION '),
    `CREATE INDEX ${quote(`${nameOf(tally)}_tally_cells_by_traits`)} ON ${cells} (${list(tally.traits)})`,
    ...tally.axes.flatMap((axis) => {
      const fineToCoarse = axis.lengths.toReversed()
      return fineToCoarse.map((length, at) => {
        const finer = fineToCoarse[at - 1]
        if (finer !== undefined)
          return from(axisName(axis, length), axisName(axis, finer), `substr(bucket, 1, ${length})`)
        return (
          `INSERT INTO ${table} (axis, bucket, cell, n)\n` +
          `  SELECT '${axisName(axis, length)}', g.place, c.cell, g.n FROM (\n` +
          `    SELECT ${bucketIn('s')(axis, length)} AS place, ${traits}, count(*) AS n FROM (${all}) s GROUP BY place, ${traits}\n` +
          `  ) g CROSS JOIN ${cells} c WHERE ${same}`
        )
      })
    }),
    ...tally.axes.slice(0, 1).map((axis) => from(everywhere, axisName(axis, axis.lengths[0] ?? 0), "''")),
  ]
}
