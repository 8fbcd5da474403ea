// Callers that are blocked now, with buttons to unblock them.
import { ActionButton } from './action.tsx'
import { ask, get, mayChange } from './ask.ts'
import type { Block, Data } from '../answers.ts'
import { keyAddress } from './key-words.ts'
import { fill, moment, number, t } from './language.ts'
import { Empty, Table } from './parts.tsx'
import type { MakeView } from './router.tsx'

export const blocksView: MakeView = async ({ isUnasked }) => {
  const { data } = await get<Data<Block>>('/api/blocks', isUnasked)
  return () => ({
    title: t.nav.blocks,
    lead: t.blocks.lead,
    // Removes blocks that have ended.
    refreshMs: 10_000,
    body: data.length === 0 ? <Empty title={t.blocks.none} note={t.blocks.noneNote} /> : <Blocks blocks={data} />,
  })
}

function What({ scope, client_id: id, name }: Block) {
  if (scope === 'address') return <>{t.blocks.ofAll}</>
  if (id === null) return <>{t.blocks.ofUnknown}</>
  return (
    <span>
      {t.blocks.ofKey} <a href={keyAddress(id)}>{name ?? id}</a>
    </span>
  )
}

const Blocks = ({ blocks }: { blocks: readonly Block[] }) => (
  <Table
    rows={blocks}
    keyOf={(block) => `${block.address} ${block.client_id}`}
    columns={[
      { name: t.blocks.address, cell: ({ address }) => <code>{address}</code> },
      { name: t.blocks.what, cell: What },
      { name: t.fields.failures, cell: ({ failures }) => number(failures), isNumber: true },
      { name: t.fields.until, cell: ({ until }) => moment(until) },
      ...(mayChange() ? [{ name: '', cell: Unblock }] : []),
    ]}
  />
)

const Unblock = ({ address }: Block) => (
  <ActionButton
    label={`${t.blocks.clear}: ${address}`}
    text={t.blocks.clear}
    question={fill(t.blocks.clearTitle, { address })}
    means={[t.blocks.clearMeans]}
    work={() => ask('DELETE', `/api/blocks/${encodeURIComponent(address)}`)}
    done={fill(t.blocks.cleared, { address })}
  />
)
