// The reference pages in Markdown, made from the tables that the service itself uses: resources, errors and settings.
import type { FilterDescription } from '../catalogue/filters/filter.ts'
import type { Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import { limits } from '../query/limits.ts'
import { errors } from '../errors.ts'
import { fullAccess } from '../query/plan-named.ts'
import { settingFields, settingsTable, type SettingRow } from '../settings/table.ts'
import { filterMeaningOf, meaningOf } from './meaning.ts'
import { sharedParameters } from './openapi/parameters.ts'
import { describeResources, type FieldDescription, type ResourceDescription } from './resources.ts'

const basePath = '/api/v1'
const madeBy = '<!-- Made by `npm run generate`: change the table it comes from. -->'

// A bar would otherwise end the cell.
const row = (...cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const table = (head: readonly string[], rows: readonly string[]) =>
  [row(...head), row(...head.map(() => '---')), ...rows].join('\n')
const code = (text: string) => `\`${text}\``
const list = (names: readonly string[]) => names.map(code).join(', ')

export function resourcesPage(): string {
  const all = describeResources(fullAccess, basePath)
  const overview = all.map(({ name, path, permission }) =>
    row(`[${name}](#${name})`, code(`GET ${path}`), code(permission)),
  )
  return page(
    'Resources',
    'Every resource with its fields, filters and sorts, as a key that may see everything has them; `/resources` tells what your own key has. Each has a list, `GET PATH`, and its records, `GET PATH/ID`. `/status`, `/ping`, `/resources`, `/auth/token` and `/auth/revoke` are described at `/docs` and in `/openapi.json`.',
    table(['resource', 'list', 'permission'], overview),
    parametersText(),
    ...all.map(resourceText),
  )
}

function resourceNamed(name: string): Resource {
  const found = findResource(name)
  if (!found) throw new Error(`there is no resource ${name}`)
  return found
}

function resourceText({ name, path, permission, fields, filters, search, sort }: ResourceDescription): string {
  const resource = resourceNamed(name)
  const rows = fields.flatMap((field) => [
    fieldRow(resource, field),
    ...(field.items ?? []).map((item) => fieldRow(resource, item, field.name)),
  ])
  return [
    `## ${name}`,
    `${code(`GET ${path}`)}, ${code(`GET ${path}/ID`)}. Permission ${code(permission)}.`,
    table(['field', 'type', 'shown in', 'needs', 'means'], rows),
    ...(filters.length > 0
      ? [
          table(
            ['filter', 'takes', 'if left out', 'means'],
            filters.map((each) =>
              row(code(each.name), takes(each), omitted(resource, each), filterMeaningOf(resource, each.name)),
            ),
          ),
        ]
      : []),
    `${search.length > 0 ? `Searched: ${list(search)}. ` : ''}Sorted by: ${list(sort.fields)}; by default ${code(sort.default)}.`,
  ].join('\n\n')
}

function fieldRow(resource: Resource, field: FieldDescription, array?: string): string {
  const name = array === undefined ? field.name : `${array}[].${field.name}`
  const type = [field.format ?? field.type, ...(field.values ? [field.values.map(code).join(' ')] : [])].join(': ')
  const where = field.in === 'list' ? 'list, record' : 'record'
  const meaning = meaningOf(resource, field, array)
  return row(code(name), type, where, field.permission ? code(field.permission) : '', meaning)
}

// What a filter does if it is left out: its default, or the records that it hides.
function omitted(resource: Resource, { name, default: value }: { readonly name: string } & FilterDescription): string {
  const filter = resource.filters.find((each) => each.name === name)
  if (filter?.kind === 'status' && filter.omitted && 'hides' in filter.omitted)
    return `all but ${code(filter.omitted.hides)}`
  return value === undefined ? '' : code(value)
}

const takes = ({ type, values, multiple }: FilterDescription): string =>
  [values ? values.map((each) => code(each)).join(' ') : type, ...(multiple ? ['one or several'] : [])].join(', ')

// The parameters that every list takes.
function parametersText(): string {
  const { Page: page, PerPage: perPage } = sharedParameters
  const rows = [page, perPage].flatMap((each) => {
    if (!each) return []
    const { minimum, maximum, default: omitted } = each.schema
    return [row(code(each.name), `${Number(minimum)} to ${Number(maximum)}`, code(String(omitted)), each.description)]
  })
  const { least, most } = limits.search
  return [
    'Every list takes these ([paging](../integrate/paging.md)):',
    table(
      ['parameter', 'takes', 'if left out', 'means'],
      [
        ...rows,
        row(
          code('sort'),
          `at most ${limits.sortFields} fields`,
          'see below',
          'Fields to sort by, `-` in front for descending.',
        ),
        row(
          code('search'),
          `${least} to ${most} characters`,
          '',
          'Records that hold this text in one of the searched fields.',
        ),
      ],
    ),
  ].join('\n\n')
}

export function errorsPage(): string {
  const rows = Object.entries(errors).map(([name, { status, message }]) => row(code(name), String(status), message))
  return page(
    'Errors',
    'Every code that the API answers with; [what to do about each](../integrate/errors.md). Codes do not change within v1, sentences may.',
    table(['code', 'status', 'sentence'], rows),
  )
}

const defaultOf = ({ default: given }: SettingRow<unknown>): string => {
  if (typeof given === 'string') return code(given)
  return 'said' in given ? given.said : 'none'
}

export function settingsPage(): string {
  const rows = settingFields.map((field) => {
    const setting: SettingRow<unknown> = settingsTable[field]
    return row(code(setting.name), defaultOf(setting), setting.help)
  })
  return page(
    'Settings',
    'Environment variables, or the same names in a file given with `--config` or `VITRINE_CONFIG` (the environment counts first). `NAME_FILE` reads a value from a file. What is wrong is told all at once, and nothing starts. `vitrine config` shows what counts, and where it came from.',
    table(['name', 'default', 'meaning'], rows),
    `A PostgreSQL URL is \`postgres://USER:PASSWORD@HOST:PORT/DATABASE\` with these parameters: \`schema\` (default \`public\` for data, \`vitrine\` for the state), \`sslmode\` (\`disable\`, \`require\`, \`verify-ca\`, \`verify-full\`), \`sslrootcert\`, \`sslcert\`, \`sslkey\` (files), \`host\` (the folder of a Unix socket), \`user\`, \`password\`. A MariaDB or MySQL URL, for \`VITRINE_COPY_FROM\`, is \`mysql://USER:PASSWORD@HOST:PORT/DATABASE\` with the same parameters but \`schema\`, and \`time_zone\` (that of the session). Unless told otherwise, a server on another machine is spoken to over TLS only, with its certificate checked.`,
  )
}

export const page = (title: string, ...parts: readonly string[]): string =>
  `${[`# ${title}`, madeBy, ...parts].join('\n\n')}\n`
