// All rows of the benchmark, in the order in which they are measured and shown.
import { depthRows } from './depth.ts'
import { feedRows } from './feed.ts'
import { floodRows } from './flood.ts'
import { growthRows } from './growth.ts'
import { listenerRows } from './listener.ts'
import { readingRows } from './reading.ts'
import type { Row } from './row.ts'
import { searchRows } from './search.ts'
import { shopRows } from './shop.ts'
import { startRows } from './start.ts'
import { throughputRows } from './throughput.ts'
import { tillRows } from './tills.ts'
import { unreadRows } from './unread.ts'
import { weightRows } from './weight.ts'

export const rows: readonly Row[] = [
  ...weightRows,
  ...throughputRows,
  ...shopRows,
  ...depthRows,
  ...searchRows,
  ...growthRows,
  ...listenerRows,
  ...floodRows,
  ...startRows,
  ...readingRows,
  ...feedRows,
  ...unreadRows,
  // Last: it writes 200 transactions a second, and PostgreSQL keeps their dead rows until it is vacuumed.
  ...tillRows,
]
