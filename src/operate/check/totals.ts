// Do lines add up to the document's items_total, and its amounts to its total? Each line may be off by a cent of rounding.
// Amounts of void documents are never shown, so they are not checked.
import type { ChildrenField } from '../../catalogue/field.ts'
import { archiveOf, canBeVoid } from '../../catalogue/resource.ts'
import { resources } from '../../catalogue/resources/index.ts'
import { VOID } from '../../contract/codes.ts'
import { findRelation } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { totalParts } from '../../contract/totals.ts'
import { whereSql } from '../../sql/conditions.ts'
import { column, quote } from '../../sql/dialect.ts'
import { counted } from './finding.ts'
import { columnFault, faultsQuestion, of, type Question } from './question.ts'

const cent = 0.01
// The error of binary floating-point sums.
const floatError = 0.005

interface DocumentKind {
  readonly relation: Relation
  readonly lines: string
  readonly parent: string
  readonly canBeVoid: boolean
}

export const totalQuestions = (): Question[] =>
  documents().flatMap((document) => [...addUp(document), ...total(document)])

// Each relation once: invoices and credit memos share one.
function documents(): DocumentKind[] {
  const found = new Map<string, DocumentKind>()
  for (const resource of resources) {
    const lines = resource.fields.find(
      (field): field is ChildrenField =>
        field.kind === 'children' &&
        ['quantity', 'unit_price'].every((name) => name in findRelation(field.relation).columns),
    )
    if (!lines || !totalParts(findRelation(resource.relation))) continue
    const { relation, parent } = lines
    const add = (name: string, own: string) =>
      found.set(name, { relation: findRelation(name), lines: own, parent, canBeVoid: canBeVoid(resource) })
    add(resource.relation, relation)
    if (resource.archived) add(archiveOf(resource.relation), archiveOf(relation))
  }
  return [...found.values()]
}

const isNotVoid = (document: DocumentKind) =>
  document.canBeVoid ? [`(${of('status')} <> ${VOID} OR ${of('status')} IS NULL)`] : []

const line = (name: string) => column('c', name)

function addUp(document: DocumentKind): Question[] {
  const { relation, lines, parent } = document
  return faultsQuestion({
    about: 'lines',
    relation,
    others: { [lines]: ['id', parent, 'quantity', 'unit_price'] },
    join: (dialect) =>
      ` LEFT JOIN (SELECT ${line(parent)} AS p, sum(${line('quantity')} * ${line('unit_price')}) AS s, count(*) AS n` +
      ` FROM ${quote(lines)} c${whereSql(dialect, line('id'), [])} GROUP BY ${line(parent)}) l ON l.p = ${of('id')}`,
    only: isNotVoid(document),
    faults: [
      columnFault(
        'lines_do_not_add_up',
        'items_total',
        () => `abs(${of('items_total')} - l.s) > ${cent} * l.n + ${floatError}`,
        (count) =>
          `${counted(count, 'document says', 'documents say')} another amount than the sum of quantity × unit_price in ${lines}.`,
        'items_total is the sum of the lines before discount, tax and shipping, in the currency of the document: check both columns in the view.',
        neededBy(document, 'items_total'),
      ),
      columnFault(
        'record_without_lines',
        'items_total',
        () => `l.p IS NULL AND ${of('items_total')} <> 0`,
        (count) => `${counted(count, 'document has', 'documents have')} an amount and no lines in ${lines}.`,
        `Nothing, if old lines were purged; otherwise check that ${lines}.${parent} is the id of ${relation.name}.`,
        neededBy(document, 'items_total'),
      ),
    ],
  })
}

const neededBy = (document: DocumentKind, ...columns: string[]) => [
  ...columns,
  ...(document.canBeVoid ? ['status'] : []),
]

const value = (name: string) => `coalesce(${of(name)}, 0)`

function total(document: DocumentKind): Question[] {
  const { relation } = document
  const parts = totalParts(relation)
  if (!parts) return []
  const sum = [parts.added.map(value).join(' + '), ...parts.takenOff.map(value)].join(' - ')
  const formula = [parts.added.join(' + '), ...parts.takenOff].join(' - ')
  return faultsQuestion({
    about: 'totals',
    relation,
    only: isNotVoid(document),
    faults: [
      columnFault(
        'total_does_not_add_up',
        'total',
        // items_total is empty if the POS does not store it.
        () => `${of('items_total')} IS NOT NULL AND abs(${of('total')} - (${sum})) > ${cent} + ${floatError}`,
        (count) => `${counted(count, 'document has', 'documents have')} another total than ${formula}.`,
        'Check these columns in the view, and whether prices include tax.',
        neededBy(document, 'total', ...parts.added, ...parts.takenOff),
      ),
    ],
  })
}
