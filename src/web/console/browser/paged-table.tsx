// A table of which one page is drawn. The page is in the address.
import { useRef } from 'preact/hooks'
import { fill, number, t } from './language.ts'
import { Table, type TableProps } from './parts.tsx'
import { setQuery, useQuery } from './router.tsx'

const perPage = 50

export function PagedTable<Row>({ rows, id, ...rest }: TableProps<Row>) {
  const top = useRef<HTMLDivElement>(null)
  // From 0; the last one if the address names a later one.
  const asked = Math.floor(Number(useQuery().get('page') ?? 1)) - 1 || 0
  const page = Math.max(0, Math.min(asked, Math.ceil(rows.length / perPage) - 1))
  const [from, to] = [page * perPage, Math.min(rows.length, (page + 1) * perPage)]
  const shown = fill(t.page.shown, { from: number(from + 1), to: number(to), of: number(rows.length) })
  const turn = (next: number) => {
    setQuery({ page: String(next + 1) })
    top.current?.scrollIntoView({ block: 'start' })
  }
  const button = (next: number, isPossible: boolean, text: string) => (
    <button type="button" data-page={next} aria-disabled={!isPossible} onClick={() => isPossible && turn(next)}>
      {text}
    </button>
  )
  return (
    <div ref={top} id={id}>
      <Table {...rest} rows={rows.slice(from, to)} />
      {rows.length > perPage && (
        <nav class="pager" aria-label={shown}>
          {button(page - 1, page > 0, t.page.previous)}
          <span>{shown}</span>
          {button(page + 1, to < rows.length, t.page.next)}
        </nav>
      )}
    </div>
  )
}
