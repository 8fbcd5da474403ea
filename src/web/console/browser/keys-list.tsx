// The list of keys. The browser searches, filters and sorts it by the values in the address, and draws one page, so that thousands of
// keys are as quick as ten.
import { signal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { get, mayChange } from './ask.ts'
import type { Data, ListedKey } from '../answers.ts'
import { Select } from './form.tsx'
import { dayBegan, keyAddress, lastUse, readsShort, storesShort } from './key-words.ts'
import { counted, fill, language, number, t } from './language.ts'
import { folded } from '../../page/browser/typed.ts'
import { PagedTable } from './paged-table.tsx'
import { Badge, Button, Empty, LinkButton, type Column } from './parts.tsx'
import { hash, setQuery, useQuery, type Draw } from './router.tsx'

const unusedDays = 30
const sorts = ['name', 'last', 'today'] as const
type Sort = (typeof sorts)[number]

// The address of the list that a key links back to, with its search and page.
export const listAddress = signal('#keys')

const timeOf = ({ last_used: at }: ListedKey) => Date.parse(at ?? '1970-01-01')

// A key made within the last 30 days is not unused yet.
const isUnused = (key: ListedKey) =>
  key.state === 'active' && Math.max(timeOf(key), Date.parse(key.created_at)) < Date.now() - unusedDays * 86_400_000

function readSort(query: URLSearchParams): { sort: Sort; isDown: boolean } {
  const [, down, column] = /^(-?)(\w+)$/.exec(query.get('sort') ?? '') ?? []
  return { sort: sorts.find((each) => each === column) ?? 'name', isDown: down === '-' }
}

function findKeys(all: readonly ListedKey[], query: URLSearchParams): ListedKey[] {
  const state = query.get('state') ?? 'all'
  const words = folded(query.get('search') ?? '')
    .split(/\s+/)
    .filter(Boolean)
  const found = all.filter((key) => {
    if (state === 'unused' ? !isUnused(key) : state !== 'all' && key.state !== state) return false
    const text = folded(`${key.name} ${key.client_id}`)
    return words.every((word) => text.includes(word))
  })
  const { sort, isDown } = readSort(query)
  // One collator for all comparisons: `localeCompare` takes a second for five thousand names.
  const collator = new Intl.Collator(language.value === 'ht' ? 'fr' : language.value)
  const orders: Readonly<Record<Sort, (one: ListedKey, other: ListedKey) => number>> = {
    name: (one, other) => collator.compare(one.name, other.name),
    last: (one, other) => timeOf(one) - timeOf(other),
    today: (one, other) => one.requests_today - other.requests_today,
  }
  return found.toSorted((one, other) => (isDown ? -1 : 1) * orders[sort](one, other))
}

export async function keysListView(): Promise<Draw> {
  const { data } = await get<Data<ListedKey>>(`/api/keys?since=${dayBegan()}`)
  return () => ({
    title: t.nav.keys,
    lead: t.keys.lead,
    beside: data.length > 0 && <Create />,
    body:
      data.length > 0 ? (
        <Found all={data} />
      ) : (
        <Empty title={t.keys.empty} note={t.keys.emptyNote}>
          <Create />
        </Empty>
      ),
  })
}

const Create = () => mayChange() && <LinkButton class="primary" href="#keys/new" text={t.keys.create} />

function Found({ all }: { all: readonly ListedKey[] }) {
  const query = useQuery()
  listAddress.value = hash.value || '#keys'
  const box = useRef<HTMLInputElement>(null)
  const found = useMemo(() => findKeys(all, query), [all, hash.value, language.value])
  const showAll = () => {
    setQuery({ search: '', state: '', page: '' })
    box.current?.focus()
  }
  return (
    <>
      <div class="toolbar" role="search">
        <input
          type="search"
          id="find-key"
          ref={box}
          aria-label={t.keys.search}
          placeholder={t.keys.search}
          value={query.get('search') ?? ''}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setQuery({ search: currentTarget.value, page: '' })}
        />
        <Select
          id="key-state"
          aria-label={t.fields.state}
          value={query.get('state') ?? 'all'}
          options={Object.entries(t.keys.states)}
          onInput={({ currentTarget: { value } }) => setQuery({ state: value === 'all' ? '' : value, page: '' })}
        />
        <span id="key-count" role="status">
          {counted(t.keys.count, found.length)}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty title={t.keys.nothing} note={t.keys.nothingNote}>
          <Button class="show-all" text={t.keys.showAll} onClick={showAll} />
        </Empty>
      ) : (
        <PagedTable rows={found} columns={columns(readSort(query))} />
      )}
    </>
  )
}

function columns({ sort, isDown }: ReturnType<typeof readSort>): Column<ListedKey>[] {
  const sorted = (name: Sort): Pick<Column<ListedKey>, 'name' | 'order' | 'head'> => {
    const text = t.fields[name]
    const isDownNext = sort === name ? !isDown : name !== 'name'
    const press = () => setQuery({ sort: isDownNext ? `-${name}` : name === 'name' ? '' : name, page: '' })
    return {
      name: text,
      order: sort !== name ? 'none' : isDown ? 'descending' : 'ascending',
      head: (
        <button
          type="button"
          class="sort"
          data-column={name}
          aria-label={fill(t.keys.sortBy, { column: text })}
          onClick={press}
        >
          {text}
        </button>
      ),
    }
  }
  return [
    { ...sorted('name'), cell: NameCell },
    { name: t.fields.state, cell: StateCell },
    { name: t.fields.permissions, cell: readsShort },
    { name: t.fields.stores, cell: storesShort },
    { ...sorted('last'), cell: LastCell },
    { ...sorted('today'), cell: (key) => number(key.requests_today), isNumber: true },
  ]
}

const NameCell = ({ client_id: id, name }: ListedKey) => (
  <>
    <a href={keyAddress(id)}>{name}</a>
    <code class="id">{id}</code>
  </>
)

// The last thirty days of a key are counted down.
const StateCell = ({ state, days_left: left }: ListedKey) => (
  <span>
    <Badge state={state} />
    {left !== null && <span class="soon">{left === 0 ? t.keys.endsToday : counted(t.keys.endsIn, left)}</span>}
  </span>
)

const LastCell = (key: ListedKey) => (
  <span>
    {lastUse(key)}
    {key.last_address !== null && <code class="id">{key.last_address}</code>}
  </span>
)
