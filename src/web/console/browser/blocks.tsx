// Callers that are blocked now, with buttons to unblock them.
import { ask, get } from './ask.ts'
import type { Block } from './data.ts'
import { confirm } from './dialog.tsx'
import { moment, number, t } from './language.ts'
import { Empty, Table, useEvery } from './parts.tsx'
import { reload, show, type MakeView } from './router.tsx'
import { mayChange } from './session.ts'

const lookEveryMs = 10_000

export const blocksView: MakeView = async ({ isUnasked }) => {
  const { data } = await get<{ data: Block[] }>(isUnasked ? '/api/blocks?unasked' : '/api/blocks')
  return { title: () => t.blocks.title, body: <Blocks blocks={data} /> }
}

function What({ scope, client_id: id, name }: Block) {
  if (scope === 'address') return <>{t.blocks.ofAll}</>
  if (id === null) return <>{t.blocks.ofUnknown}</>
  return (
    <span>
      {t.blocks.ofKey} <a href={`#keys/${encodeURIComponent(id)}`}>{name ?? id}</a>
    </span>
  )
}

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  // Removes blocks that have ended.
  useEvery(lookEveryMs, () => void show('unasked'))
  return (
    <>
      <h1>{t.blocks.title}</h1>
      <p class="lead">{t.blocks.lead}</p>
      {blocks.length === 0 ? (
        <Empty title={t.blocks.none} note={t.blocks.noneNote} />
      ) : (
        <Table
          rows={blocks}
          keyOf={(block) => `${block.address} ${block.client_id}`}
          columns={[
            { name: t.blocks.address, cell: ({ address }) => <code>{address}</code> },
            { name: t.blocks.what, cell: What },
            { name: t.blocks.failures, cell: ({ failures }) => number(failures), isNumber: true },
            { name: t.blocks.until, cell: ({ until }) => moment(until) },
            ...(mayChange() ? [{ name: '', cell: Clear }] : []),
          ]}
        />
      )}
    </>
  )
}

const Clear = ({ address }: Block) => (
  <button
    type="button"
    data-address={address}
    aria-label={`${t.blocks.clear}: ${address}`}
    onClick={() => void clear(address)}
  >
    {t.blocks.clear}
  </button>
)

async function clear(address: string) {
  let cleared = 0
  const isDone = await confirm({
    title: t.blocks.clearTitle(address),
    means: [t.blocks.clearMeans],
    action: t.blocks.clear,
    async work() {
      ;({ cleared } = await ask<{ cleared: number }>('DELETE', `/api/blocks/${encodeURIComponent(address)}`))
    },
  })
  if (isDone) await reload(cleared > 0 ? t.blocks.cleared(address) : t.blocks.clearedAlready)
}
