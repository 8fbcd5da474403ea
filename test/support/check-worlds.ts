// Small faulty databases for `vitrine check`, each with several faults, on both engines, and the findings it must report.
import { findRelation } from '../../src/contract/relations.ts'
import type { Exposure } from '../../src/settings/exposures.ts'
import type { FindingCode } from '../../src/operate/check/finding.ts'
import type { EngineName } from './place.ts'
import type { Rows } from './pos.ts'

/** Noon of the day on which these companies are looked at. */
export const noon = Date.UTC(2026, 9, 15, 12)
const made = { created_at: '2026-10-01T09:00:00', updated_at: '2026-10-02T09:00:00' }
const amounts = { items_total: 20, tax: 2, discount_amount: 1, total: 21 }
const header = { ...made, ...amounts, date: '2026-10-01T09:00:00', store_id: 1, status: 1, currency: 'USD' }
const nothing = { items_total: 0, tax: null, discount_amount: null, total: 0 }
const line = { product_id: 1, quantity: 2, unit_price: 10, kind: 1 }
const reference = (id: number) => ({ id, code: `C${id}`, name: `Name ${id}` })
const from = <Made>(count: number, make: (id: number) => Made): Made[] =>
  Array.from({ length: count }, (_, at) => make(at + 1))

/** A company of which there is nothing to be said. */
export const soundRows: Rows = {
  stores: [reference(1)],
  departments: [reference(1)],
  sub_departments: [reference(1)],
  price_lists: [reference(1)],
  customer_types: [reference(1)],
  vendors: [{ ...reference(1), ...made, currency: 'HTG', active: 1 }],
  customers: from(3, (id) => ({ ...reference(id), ...made, active: 1, customer_type_id: 1, price_list_id: 1 })),
  products: from(3, (id) => ({
    ...reference(id),
    ...made,
    kind: 1,
    active: 1,
    department_id: 1,
    vendor_id: 0,
    price: 5,
  })),
  product_prices: [{ product_id: 1, price_list_id: 1, price: 4 }],
  product_stock: [{ product_id: 1, store_id: 1, quantity: 4 }],
  invoices: [
    ...from(5, (id) => ({ ...header, id, kind: 1, customer_id: 1, paid: 1 })),
    // Void: its amounts stay stored, but are not shown.
    { ...header, id: 6, kind: 1, status: 4, items_total: 1000, total: 5 },
    // A cent for its line.
    { ...header, id: 7, kind: 1, items_total: 20.01, total: 21.01, customer_id: 0 },
    // Nothing was sold yet; the clock of its till is a little fast.
    { ...header, ...nothing, id: 8, kind: 1, status: 2, updated_at: '2026-10-15 12:04:00.75' },
  ],
  invoices_archive: [{ ...header, id: 100, kind: 2, customer_id: 1, paid: 0 }],
  invoice_lines: [
    ...from(5, (id) => ({ ...line, id, invoice_id: id })),
    { ...line, id: 7, invoice_id: 7, product_id: 0 },
  ],
  invoice_lines_archive: [{ ...line, id: 100, invoice_id: 100 }],
  invoice_payments: [{ id: 1, invoice_id: 1 }],
  invoice_payments_archive: [{ id: 1, invoice_id: 100 }],
  quotes: [{ ...header, id: 1, customer_id: 1 }],
  quotes_archive: [{ ...header, id: 100, customer_id: 1 }],
  quote_lines: [{ ...line, id: 1, quote_id: 1 }],
  quote_lines_archive: [{ ...line, id: 1, quote_id: 100 }],
  sales_orders: [{ ...header, id: 1, customer_id: 1 }],
  sales_order_lines: [{ ...line, id: 1, sales_order_id: 1 }],
  sales_order_payments: [{ id: 1, sales_order_id: 1 }],
  payments: [{ ...made, id: 1, customer_id: 1, store_id: 1, status: 3, date: made.created_at }],
  payment_applications: [{ id: 1, payment_id: 1, invoice_id: 100 }],
  purchase_orders: [{ ...made, id: 1, vendor_id: 1, store_id: 1, status: 1, items_total: 20, tax: 2, total: 22 }],
  purchase_order_lines: [{ id: 1, purchase_order_id: 1, product_id: 1, quantity: 2, unit_price: 10 }],
  receivings: [{ ...header, id: 1, kind: 1, vendor_id: 1, freight: 3, total: 24, purchase_order_id: 1 }],
  receiving_lines: [{ id: 1, receiving_id: 1, product_id: 1, quantity: 2, unit_price: 10 }],
  transfers: [{ ...made, id: 1, from_store_id: 1, to_store_id: 1, status: 1 }],
  transfer_lines: [{ id: 1, transfer_id: 1, product_id: 1 }],
  adjustments: [{ ...made, id: 1, kind: 1, store_id: 1, status: 9 }],
  adjustment_lines: [{ id: 1, adjustment_id: 1, product_id: 1 }],
}

export interface World {
  /** Without indexes and the journal. */
  readonly isBare?: true
  /** Run after the sound company was made. */
  readonly breaks?: Readonly<Partial<Record<EngineName | 'both', string>>>
  readonly scope?: 'quick'
  readonly timeoutMs?: number
  readonly timeZone?: string
  readonly exposures?: readonly Exposure[]
  /** On PostgreSQL, a role looks that may read the relations, and what this grants to it. */
  readonly grants?: (role: string) => string
}

/** In the place of a table, a view of all its columns, some of them otherwise or left out. */
function view(name: string, changed: Readonly<Record<string, string | null>>, more = ''): string {
  const columns = Object.keys(findRelation(name).columns).flatMap((column) => {
    const term = changed[column]
    return term === null ? [] : [`${term ?? `"${column}"`} AS "${column}"`]
  })
  const select = `SELECT ${columns.join(', ')} FROM own_${name}`
  return `ALTER TABLE ${name} RENAME TO own_${name}; CREATE VIEW ${name} AS ${select} ${more.replaceAll('SELECT *', select)};`
}

const slow = (rows: string) => view('quotes', {}, `WHERE (SELECT count(*) FROM ${rows}) > 0`)

/** As a copy remembers them. */
const rounded = [
  { relation: 'invoices', column: 'tax', count: 12, from: '15.254237288135593', to: '15.254237' },
  { relation: 'payments', column: 'amount_received', count: 1, from: '1e+15', to: '1e+15' },
]

const copyMarks = {
  rounded,
  adjustments: '2026-10-02T09:00:00',
  kept_out: ['A-7', 'A-8'].map((key) => ({
    relation: 'invoices',
    key,
    message: 'total: Expected a number; found "x".',
    since: noon,
    records: [],
    literal: null,
  })),
  waiting: [{ relation: 'products', had: 345, has: 1, lost: 344, since: noon, sameSince: noon, rounds: 1 }],
  changed_amounts: [{ relation: 'sales_orders', column: 'total' }],
}
const copyMarkRows = Object.entries(copyMarks).map(
  ([name, value]) => `('${name}', '${typeof value === 'string' ? value : JSON.stringify(value)}')`,
)

export const worlds: Readonly<Record<string, World>> = {
  sound: {},
  exposed: {
    scope: 'quick',
    exposures: [
      { code: 'open_to_others', message: 'The state may be read.', remedy: 'chmod' },
      { code: 'trusts_everybody', message: 'Everybody is believed.', remedy: 'Name the proxy.' },
    ],
  },
  // Written just now, five hours and a half ahead.
  zone: {
    scope: 'quick',
    breaks: {
      sqlite: `UPDATE invoices SET updated_at = strftime('%Y-%m-%dT%H:%M:%S', 'now', '+330 minutes')`,
      postgres: `UPDATE invoices SET updated_at = now() AT TIME ZONE 'UTC' + interval '330 minutes'`,
    },
  },
  rows: {
    breaks: {
      both: `
        INSERT INTO customers (id, created_at, updated_at) VALUES (0, '2026-10-01 09:00:00', '2026-10-01 09:00:01');
        UPDATE payments SET customer_id = 9007199254740993;
        UPDATE invoices SET status = 77 WHERE id = 2;
        UPDATE invoices SET kind = NULL WHERE id = 3;
        UPDATE invoices SET customer_id = 999 WHERE id = 4;
        UPDATE invoices SET total = 99 WHERE id = 2;
        UPDATE invoice_lines SET unit_price = 12 WHERE id = 1;
        UPDATE invoice_lines SET invoice_id = 999 WHERE id = 5;
        UPDATE vendors SET currency = 'Gdes';
        CREATE TABLE vitrine_copy_marks (name text PRIMARY KEY, value text NOT NULL);
        INSERT INTO vitrine_copy_marks VALUES ${copyMarkRows.join(', ')};
        UPDATE customers SET updated_at = '9999-12-31 23:59:59' WHERE id = 3;
        UPDATE quotes SET updated_at = NULL;
        UPDATE sales_orders SET updated_at = '2026-10-15T12:06:00';
        UPDATE purchase_orders SET created_at = '2026-10-03T09:00:00';
        UPDATE products SET created_at = '2026-10-10T09:00:00', updated_at = NULL WHERE id = 1;
        UPDATE receivings SET date = '2026-10-10T09:00:00';
        UPDATE transfers SET date = '2026-10-16T09:00:00';
        INSERT INTO quotes_archive (id, updated_at) VALUES (1, '2026-10-01 09:00:00');
        INSERT INTO adjustments (id, updated_at) VALUES ${from(20, (id) => `(${id + 1}, '2026-10-02 09:00:00')`).join(', ')};
        DELETE FROM departments;`,
      sqlite: `
        UPDATE products SET created_at = '2026-02-30T10:00:00', price = 9e999 WHERE id = 2;
        UPDATE products SET updated_at = 'not yet' WHERE id = 3;
        UPDATE payments SET created_at = '2026-10-01T09:00:00Z';
        UPDATE vendors SET created_at = '0000-00-00 00:00:00';`,
      postgres: `
        UPDATE products SET created_at = '-infinity', price = 'NaN' WHERE id = 2;
        UPDATE products SET updated_at = 'infinity' WHERE id = 3;`,
    },
  },
  bare: { isBare: true },
  loose: {
    breaks: {
      sqlite: `
        DROP TABLE customer_types;
        CREATE TABLE customer_types (id INTEGER PRIMARY KEY, code INTEGER, name TEXT);
        INSERT INTO customer_types VALUES (1, 'A', 'Name'), (2, '007', 'Name');
        DROP TABLE sub_departments;
        CREATE TABLE sub_departments (id, code, name, manager);
        INSERT INTO sub_departments VALUES ('one', 1, 'Name', 5), ${from(19, (id) => `(${id + 1}, 1, 'Name', 5)`).join(', ')};
        DROP TABLE departments;
        CREATE TABLE departments (id INTEGER PRIMARY KEY, code, name, manager);
        INSERT INTO departments VALUES (1, 'D', 'Name', 5), (2, 'E', 'Name', NULL);
        PRAGMA journal_mode = DELETE;`,
    },
  },
  // As tills leave it that cannot prune.
  long: {
    breaks: {
      postgres: `UPDATE vitrine_journal SET store_id = '10000' WHERE seq = 0;
        INSERT INTO vitrine_journal (relation, id) SELECT 'vendors', g FROM generate_series(1, 13000) g`,
    },
  },
  unnamed: {
    breaks: {
      sqlite: 'DROP TRIGGER vitrine_payments_delete',
      postgres: 'ALTER TABLE payments DISABLE TRIGGER vitrine_payments_row',
    },
  },
  views: {
    isBare: true,
    timeZone: 'Asia/Kolkata',
    breaks: {
      both: [
        view('stores', {}, 'UNION ALL SELECT *'),
        view('departments', {}, `UNION ALL SELECT NULL, 'D', 'Name', NULL`),
        view('vendors', { email: null, phone: null }),
        view('sales_orders', { status: null }),
        'DROP TABLE adjustment_lines;',
      ].join('\n'),
      sqlite: [
        view('products', { price: `'five'` }),
        view('customers', { active: '- "active"', balance: `CASE "id" WHEN 2 THEN 'much' ELSE 1.5 END` }),
        'ALTER TABLE transfers RENAME TO own_transfers; CREATE VIEW transfers AS SELECT * FROM nowhere;',
      ].join('\n'),
      postgres: [
        view('products', { price: '"price"::text', updated_at: `"updated_at" AT TIME ZONE 'UTC'` }),
        view('transfers', { from_store_id: '1 / ("id" - 1)' }),
      ].join('\n'),
    },
  },
  refusing: {
    isBare: true,
    scope: 'quick',
    breaks: {
      sqlite: view('products', { name: `CASE "id" WHEN 3 THEN json_extract('{' || "id", '$.a') ELSE "name" END` }),
      postgres: view('products', { name: `CASE "id" WHEN 3 THEN (1 / ("id" - 3))::text ELSE "name" END` }),
    },
  },
  // Not among the rows that are read first.
  refusing_late: {
    isBare: true,
    breaks: {
      both: `INSERT INTO price_lists (id, name) VALUES ${from(150, (id) => `(${id + 1}, 'Name')`).join(', ')};`,
      sqlite: view('price_lists', { name: `CASE "id" WHEN 150 THEN json_extract('{' || "id", '$.a') ELSE "name" END` }),
      postgres: view('price_lists', { name: `CASE "id" WHEN 150 THEN (1 / ("id" - 150))::text ELSE "name" END` }),
    },
  },
  slow: {
    isBare: true,
    timeoutMs: 100,
    breaks: {
      sqlite: slow(
        '(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000000) SELECT n FROM numbers)',
      ),
      postgres: slow('generate_series(1, 30000000)'),
    },
  },
  rights: {
    grants: (role) => `
      GRANT INSERT ON invoices TO ${role}; GRANT CREATE ON SCHEMA :schema TO ${role};
      REVOKE SELECT ON quotes FROM ${role}; REVOKE SELECT ON transfers FROM ${role};
      GRANT SELECT (id, number) ON transfers TO ${role};
      REVOKE SELECT ON vitrine_journal FROM ${role};
      ALTER TABLE adjustments ENABLE ROW LEVEL SECURITY;`,
  },
}

export interface Fault {
  readonly world: string
  readonly code: FindingCode
  readonly engines?: EngineName
  readonly relation?: string
  readonly column?: string
  readonly count?: number
  readonly examples?: readonly string[]
  readonly says?: RegExp
  /** A part of the remedy, or of one of its statements. */
  readonly remedy?: RegExp
}

/** Every kind of finding, on every engine on which it can come about: a test holds this list to the table of kinds. */
export const faults: readonly Fault[] = [
  {
    world: 'views',
    code: 'relation_missing',
    relation: 'adjustment_lines',
    remedy: /^CREATE TABLE IF NOT EXISTS "adjustment_lines" \(/,
  },
  { world: 'views', code: 'relation_refuses', relation: 'transfers', says: /(nowhere|division by zero)/ },
  {
    world: 'views',
    code: 'column_missing',
    relation: 'sales_orders',
    column: 'status',
    count: 1,
    says: /^It lacks the column status\.$/,
    remedy: /^Select it in the view\.$/,
  },
  {
    world: 'views',
    code: 'column_not_recorded',
    relation: 'vendors',
    count: 2,
    says: /phone, email: their fields are null\./,
    remedy: /nothing, or: .*AS phone, .*AS email/,
  },
  {
    world: 'views',
    code: 'wrong_value',
    engines: 'sqlite',
    relation: 'products',
    column: 'price',
    count: 3,
    examples: ['1', '2', '3'],
    remedy: /CASE WHEN typeof\(price\) IN .* THEN … ELSE price END AS price/,
  },
  {
    world: 'views',
    code: 'wrong_value',
    engines: 'sqlite',
    relation: 'customers',
    column: 'active',
    count: 3,
    says: /0 or 1/,
    remedy: /<> 0\) AS active/,
  },
  {
    world: 'views',
    code: 'wrong_value',
    engines: 'sqlite',
    relation: 'customers',
    column: 'balance',
    count: 1,
    examples: ['2'],
  },
  {
    world: 'views',
    code: 'column_type',
    engines: 'postgres',
    relation: 'products',
    column: 'price',
    says: /is text.* numeric/,
    remedy: /nullif\(trim\(price\), ''\)::numeric AS price/,
  },
  {
    world: 'views',
    code: 'column_type',
    engines: 'postgres',
    relation: 'products',
    column: 'updated_at',
    says: /timestamptz/,
    remedy: /\(updated_at AT TIME ZONE 'Asia\/Kolkata'\) AS updated_at/,
  },
  { world: 'views', code: 'key_empty', relation: 'departments', count: 1 },
  { world: 'views', code: 'key_twice', relation: 'stores', count: 1, examples: ['1'] },
  { world: 'views', code: 'server_time_zone', says: /Asia\/Kolkata \(\+05:30\)/ },
  { world: 'loose', code: 'declared_type', relation: 'customer_types', column: 'code', says: /INTEGER.*00123/ },
  {
    world: 'loose',
    code: 'wrong_value',
    engines: 'sqlite',
    relation: 'customer_types',
    column: 'code',
    count: 1,
    examples: ['2'],
  },
  {
    world: 'loose',
    code: 'column_type',
    engines: 'sqlite',
    relation: 'sub_departments',
    column: 'id',
    examples: ['one'],
  },
  { world: 'loose', code: 'column_type', engines: 'sqlite', relation: 'sub_departments', column: 'manager', count: 20 },
  // The only value there is.
  { world: 'loose', code: 'wrong_value', engines: 'sqlite', relation: 'departments', column: 'manager', count: 1 },
  { world: 'loose', code: 'not_wal', remedy: /journal_mode = WAL/ },
  { world: 'sound', code: 'file_writable' },
  { world: 'exposed', code: 'open_to_others', remedy: /chmod/ },
  { world: 'exposed', code: 'trusts_everybody' },
  {
    world: 'sound',
    code: 'time_zone',
    says: /UTC, where it is 2026-10-15 12:00; the newest invoice is of 2026-10-01 09:00/,
  },
  {
    world: 'zone',
    code: 'time_zone_differs',
    relation: 'invoices',
    says: /about 05:30 hours ahead of UTC \(VITRINE_TIME_ZONE\)/,
  },
  { world: 'sound', code: 'superuser', remedy: /GRANT SELECT ON ALL TABLES/ },
  { world: 'sound', code: 'superuser', remedy: /^CREATE ROLE vitrine_reader LOGIN$/ },
  { world: 'sound', code: 'superuser', remedy: /\\password vitrine_reader/ },
  { world: 'rights', code: 'may_write', remedy: /^CREATE ROLE vitrine_reader LOGIN$/ },
  { world: 'sound', code: 'clocks_apart' },
  { world: 'rows', code: 'empty_relation', relation: 'departments' },
  { world: 'rows', code: 'key_below_one', relation: 'customers', column: 'id', count: 1, examples: ['0'] },
  { world: 'rows', code: 'wrong_value', relation: 'products', column: 'price', count: 1, examples: ['2'] },
  { world: 'rows', code: 'not_a_time', relation: 'products', column: 'created_at', count: 1, examples: ['2'] },
  { world: 'rows', code: 'not_a_time', relation: 'products', column: 'updated_at', count: 1, examples: ['3'] },
  { world: 'rows', code: 'updated_at_future', relation: 'products', count: 1, examples: ['3'] },
  { world: 'rows', code: 'zero_date', relation: 'vendors', column: 'created_at', count: 1 },
  { world: 'rows', code: 'time_with_zone', relation: 'payments', column: 'created_at', count: 1, says: /cut off/ },
  { world: 'rows', code: 'big_integer', relation: 'payments', column: 'customer_id', count: 1, examples: ['1'] },
  {
    world: 'rows',
    code: 'mostly_dangling',
    relation: 'payments',
    column: 'customer_id',
    count: 1,
    says: /of 1: customers has no/,
  },
  {
    world: 'rows',
    code: 'dangling_reference',
    relation: 'invoices',
    column: 'customer_id',
    count: 1,
    examples: ['4'],
    says: /of 5: customers has no/,
  },
  {
    world: 'rows',
    code: 'unknown_code',
    relation: 'invoices',
    column: 'status',
    count: 1,
    examples: ['2'],
    says: /77 \(1\)/,
    remedy: /4 void/,
  },
  {
    world: 'rows',
    code: 'unknown_code',
    relation: 'invoices',
    column: 'kind',
    count: 1,
    examples: ['3'],
    says: /none \(1\)/,
  },
  { world: 'rows', code: 'unknown_currency', relation: 'vendors', count: 1, says: /Gdes \(1\)/ },
  {
    world: 'rows',
    code: 'not_exact',
    relation: 'invoices',
    column: 'tax',
    count: 12,
    says: /15\.254237288135593 became 15\.254237\./,
    remedy: /ROUND\(CAST\(… AS decimal\(20, 6\)\), 2\) AS tax/,
  },
  { world: 'rows', code: 'not_exact', relation: 'payments', count: 1, says: /1e\+15 is too large for cents/ },
  {
    world: 'rows',
    code: 'kept_out',
    relation: 'invoices',
    count: 2,
    examples: ['A-7', 'A-8'],
    says: /2 rows of the source are wrong and kept out.*found "x"/,
  },
  { world: 'rows', code: 'copy_waits', relation: 'products', count: 344, says: /345 rows and the source 1 row/ },
  {
    world: 'rows',
    code: 'amount_changed',
    relation: 'sales_orders',
    column: 'total',
    says: /It had decimals, and is a whole number in the source now/,
    remedy: /CAST\(… AS decimal\(20, 6\)\) AS total/,
  },
  { world: 'rows', code: 'updated_at_future', relation: 'customers', count: 1, examples: ['3'] },
  { world: 'rows', code: 'updated_at_empty', relation: 'quotes', column: 'updated_at', count: 1, examples: ['1'] },
  { world: 'rows', code: 'updated_at_empty', relation: 'products', count: 1, examples: ['1'] },
  { world: 'rows', code: 'updated_at_future', relation: 'sales_orders', count: 1, says: /2026-10-15 12:00/ },
  { world: 'rows', code: 'updated_at_before_created', relation: 'purchase_orders', count: 1 },
  { world: 'rows', code: 'updated_at_behind', relation: 'receivings', says: /2026-10-02 09:00.*2026-10-10 09:00/ },
  { world: 'rows', code: 'updated_at_constant', relation: 'adjustments', count: 21 },
  { world: 'rows', code: 'updated_at_behind', relation: 'products', says: /2026-10-02 09:00.*2026-10-10 09:00/ },
  { world: 'rows', code: 'date_future', relation: 'transfers', column: 'date', count: 1 },
  { world: 'rows', code: 'in_both', relation: 'quotes_archive', count: 1, examples: ['1'] },
  {
    world: 'rows',
    code: 'part_without_record',
    relation: 'invoice_lines',
    column: 'invoice_id',
    count: 1,
    examples: ['5'],
  },
  { world: 'rows', code: 'lines_do_not_add_up', relation: 'invoices', count: 1, examples: ['1'] },
  { world: 'rows', code: 'record_without_lines', relation: 'invoices', count: 1, examples: ['5'] },
  {
    world: 'rows',
    code: 'total_does_not_add_up',
    relation: 'invoices',
    count: 1,
    examples: ['2'],
    says: /items_total \+ tax \+ shipping - discount_amount/,
  },
  {
    world: 'sound',
    code: 'journal_reach',
    says: /^The journal has \d+ of at most 200,000 rows/,
    remedy: /--journal-rows/,
  },
  {
    world: 'long',
    code: 'journal_long',
    engines: 'postgres',
    says: /^The journal has 13,\d\d\d rows and is to keep 10,000/,
    remedy: /schema prune/,
  },
  { world: 'bare', code: 'journal_missing', says: /^There is no journal/, remedy: /schema apply/ },
  { world: 'unnamed', code: 'journal_missing', says: /vitrine_payments_(row|delete)/, remedy: /schema apply/ },
  {
    world: 'rights',
    code: 'may_write',
    count: 1,
    examples: ['invoices'],
    remedy: /^Make a role for the service.*Only if no other program.*REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON/,
  },
  {
    world: 'rights',
    code: 'may_create',
    remedy: /^Make a role for the service.*Only if no other program.*REVOKE CREATE/,
  },
  { world: 'rights', code: 'row_security', count: 1, examples: ['adjustments'], remedy: /CREATE POLICY/ },
  { world: 'rights', code: 'empty_relation', engines: 'postgres', relation: 'adjustments' },
  // Its lines are seen.
  { world: 'rights', code: 'part_without_record', engines: 'postgres', relation: 'adjustment_lines', count: 1 },
  { world: 'rights', code: 'no_right_to_read', relation: 'quotes', remedy: /^GRANT SELECT ON ".*"\."quotes" TO/ },
  { world: 'rights', code: 'no_right_to_read', relation: 'transfers', count: 8, says: /from_store_id/ },
  {
    world: 'rights',
    code: 'journal_missing',
    engines: 'postgres',
    remedy: /^GRANT SELECT ON ".*"\."vitrine_journal" TO/,
  },
  {
    world: 'refusing',
    code: 'relation_refuses',
    relation: 'products',
    says: /malformed JSON|division by zero/,
  },
  { world: 'refusing_late', code: 'relation_refuses', relation: 'price_lists' },
  { world: 'slow', code: 'not_answered', relation: 'quotes', says: /within 0\.1 s/, remedy: /--timeout/ },
  { world: 'nothing', code: 'cannot_open', says: /There is no (POS database at|schema)/ },
]
