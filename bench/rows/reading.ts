// Reading all invoices page by page, one caller: how many records a second.
import { deepPath, perDeepPage, times as manyTimes } from '../samples.ts'
import { both, round, type Row } from './row.ts'

// A minute where other rows take four seconds.
const share = 15

const row = (name: string, query: string): Row => ({
  name: `reading all, ${name}`,
  unit: 'records/s',
  isLeast: true,
  target: both(15_000),
  async measure(bench) {
    const total = await bench.service.total(deepPath(query, 1))
    const pages = Math.floor(total / perDeepPage)
    const paths = manyTimes(pages, (turn) => deepPath(query, turn + 1))
    const seconds = Math.min(60, bench.options.seconds * (bench.options.isQuick ? 3 : share))
    const done = await bench.run({ ...(await bench.target()), paths, isInOrder: true, connections: 1, seconds })
    const records = done.times.length * perDeepPage
    const raw = { records, seconds: round(done.seconds), 'of records': total }
    const note = `${done.times.length} of ${pages} pages`
    return { value: records / done.seconds, raw, ...(done.times.length < pages ? { note } : {}) }
  },
})

export const readingRows: Row[] = [row('sort=id', '&sort=id'), row('default sort', '')]
