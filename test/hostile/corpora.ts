// What attackers and odd programs put into parameters, as text: SQL, wildcards, numbers, times and letters at their edges;
// and escapes that are no text at all.

export const pairs = (...lists: readonly (readonly string[])[]): string[] =>
  lists.reduce<string[]>((begun, list) => begun.flatMap((start) => list.map((end) => start + end)), [''])

const words = (text: string) => text.split(/\s+/).filter(Boolean)

export const injections: readonly string[] = [
  ...pairs(
    ["'", '"', "')", "'))", '`', '1', "\\'", "%'", '$$'],
    [' OR 1=1', " OR 'a'='a", ' UNION SELECT 1', '; DROP TABLE stores', " AND sleep(9)='"],
    ['', '--', '#', '/*', ';'],
  ),
  "'; SELECT pg_sleep(9); --",
  "' || (SELECT version()) || '",
  "1' AND 1=CAST((SELECT name FROM stores) AS int)--",
  "x'; ATTACH DATABASE 'a.db' AS a; --",
  "'; PRAGMA writable_schema=1; --",
  "' UNION ALL SELECT sql FROM sqlite_master--",
  "' UNION SELECT secret_hash FROM keys--",
  'id; SET ROLE postgres',
  'name COLLATE nocase',
  '(SELECT 1)',
  'id DESC',
  'id/**/desc',
  '1/**/OR/**/1',
  "E'\\x41'",
  "U&'\\0041'",
  'chr(65)||chr(66)',
  '$1',
  '?1',
  ':id',
  '@p0',
  '{{7*7}}',
  '${7*7}',
  '<script>',
  '../../etc/passwd',
  '{"$gt":""}',
  '*)(uid=*',
  "' OR ''='",
  "a' --",
  "a'/*",
  "*/'",
  "''",
  '""',
  ';;',
  '--',
  '/*',
]

const meta = words('% _ \\ * ? [ ] ^ $ . + ( ) { } | ~ !')
// Each alone is too short to search for; two are not.
export const wildcards: readonly string[] = [
  ...pairs(meta, meta),
  ...words(
    '%% __ %a% a_ha \\% \\_ \\\\ %25 %5F .* .+ a.c [a-z] [^a] (?i)a a|b ^a a$ \\d+ \\w \\bal a{2} %_% *.* ?? ***= ***:',
  ),
  "% ESCAPE '\\'",
  "_' ESCAPE '_",
  'al NEAR be',
  '"al" OR "be"',
  'al* AND NOT be',
  '-name',
  'name:al',
  'al OR be',
]

export const integers: readonly string[] = [
  ...words(`0 1 2 3 7 25 99 100 101 999 9999 10000 10001 -1 -2 2147483647 2147483648 -2147483648 -2147483649 4294967296
    9007199254740990 9007199254740991 9007199254740992 9007199254740993 -9007199254740991 -9007199254740992
    9223372036854775807 9223372036854775808 -9223372036854775808 99999999999999999999 1e3 1E3 1e400 1.0 1. .5 1,0 1_000
    -0 +1 +0 -00 00 01 007 0x10 0b1 0o7 1n NaN Infinity -Infinity null undefined true false -- - + 1- 1+1 １ ２５ １０ ٣ ½ ² Ⅳ
    1/1 1%2 abc id`),
  ' 1',
  '1 ',
  '1 0',
  '\t1',
  '1\n',
  '\u00a01',
  '1\u200b',
  '\ufeff1',
  '-\u00a01',
  '\u22121',
  '9'.repeat(400),
]

export const times: readonly string[] = [
  ...words(`2026-03-01 2026-03-02 2025-12-31 2024-02-29 2000-02-29 1900-02-28 0001-01-01 9999-12-31 2026-01-31 2026-04-30
    2026-02-28 2026-03-02T08:30:00 2026-03-02T08:30:01 2026-03-01T00:00:00 2026-03-01T23:59:59 9999-12-31T23:59:59
    0001-01-01T00:00:00 2024-02-29T12:00:00
    2026-02-29 2026-02-30 2026-02-31 1900-02-29 2100-02-29 2026-04-31 2026-06-31 2026-11-31 2026-00-01 2026-13-01
    2026-01-00 2026-01-32 0000-01-01 0000-00-00 -001-01-01 10000-01-01 +2026-01-01 2026-1-1 26-01-01 20260101 2026/01/01
    01-01-2026 2026-01 2026 2026-W01-1 2026-001 2026-01-01T24:00:00 2026-01-01T23:60:00 2026-01-01T23:59:60
    2026-01-01T00:00 2026-01-01T00 2026-01-01T 2026-01-01T00:00:00Z 2026-01-01T00:00:00+00:00 2026-01-01T00:00:00.0
    2026-01-01T00:00:00.999 2026-01-01t00:00:00 2026-01-01T1:00:00 2026-01-01T-1:00:00 2026-02-30T00:00:00 now today
    now() epoch infinity -infinity 0 1767225600 1767225600000 ２０２６-０１-０１ 2026‐01‐01 2026-01-01--`),
  '2026-01-01 00:00:00',
  ' 2026-01-01',
  '2026-01-01 ',
  '2026-01-01\n',
  '2026-01-01T00:00:00 ',
]

export const letters: readonly string[] = [
  ...words(
    'İ ß ſ K Å ﬁ Σ ς σ ı I i ẞ ǅ Ω é e\u0301 ñ n\u0303 한 ᄒ\u1161\u11ab 😀 👨‍👩‍👧 🇭🇹 \u{10400} \u{10ffff} \ufffd \uffff \ufdd0',
  ),
  ...words(
    'İz iz ıs is ßa ss ſs KK kk ÅÅ ﬁn fi ΣΣ ςς éc e\u0301c EC 😀😀 éclair ÉCLAIR ωmega ΩMEGA ALPHA alpha ～wave',
  ),
  '\u202eab',
  '\u200fab',
  '\u2066ab\u2069',
  'a\u200db',
  'a\u00adb',
  'ab\u0300\u0301\u0302',
  '\u0300\u0301',
  'a b',
  '  ',
  ' a',
  'a\tb',
  'a\r\nb',
  'a\u0001b',
  'a\u007fb',
  'a\u0085b',
  'a\u2028b',
  '\ufeffab',
  'é'.repeat(100),
  'é'.repeat(101),
  '😀'.repeat(50),
  '😀'.repeat(100),
  '😀'.repeat(101),
  'e\u0301'.repeat(50),
  `${'e\u0301'.repeat(50)}e`,
  'x'.repeat(99),
  'x'.repeat(100),
  'x'.repeat(101),
  'x'.repeat(3000),
]

export const labels: readonly string[] = [
  ...words(`active inactive all hold open new regular void converted refunded closed complete posted paid unpaid receipt return
    quantity cost inventory service assembly special USD HTG usd htg Usd EUR Open ALL none null 0 1 open,hold all,open
    paid,unpaid unpaid,paid paid,paid paid, ,paid paid,,unpaid receipt,return return,cost quantity,cost cost,quantity
    inventory,service,assembly,special special,inventory inventory,nope ｏｐｅｎ оpen USD,HTG`),
  'open ',
  ' open',
  'paid, unpaid',
  'open\u200b',
]

export const sorts: readonly string[] = [
  ...words(`id -id name -name code -code date -date total -total updated_at -updated_at amount_received -amount_received
    name,code -name,id name,-code,id date,total,id -date,-total,-updated_at id,name,code date,id total,date,updated_at
    id,id name,-name id,name,code,updated_at date,total,updated_at,id ID Name +id --id -- - , id, ,id id,,name id,nope
    created_at number customer_name cost balance store_id rowid ctid oid 1 1,2 id;name id.desc id:desc id,ｉｄ`),
  'id desc',
  ' id',
  'id ',
  'id, name',
]

/** Escaped already, and no text: what they stand for is no UTF-8, or no escape. */
export const brokenEscapes: readonly string[] = words(`% %% %2 %zz %G1 a%b 100% %u0041 %E0%A4%A %C0%AF %C0%80 %E0%80%AF
  %F0%80%80%AF %F8%88%80%80%80 %ED%A0%80 %ED%BF%BF %ED%A0%BD%ED%B8%80 %F4%90%80%80 %80 %BF %FE %FF %C3 %E2%82 ab%C3 %E9
  %C3%28 %FF%FE1 %-1 %+1 %%41`)
