// Preview as a key: its resources with real records, and the resources that it has no access to.
import { get } from './ask.ts'
import type { PreviewRecord, ResourcePreview } from '../../../describe/resource-preview.ts'
import type { KeyPreview } from '../answers.ts'
import { keyAddress, pricesLong, readChoices, storesLong } from './key-words.ts'
import { counted, fill, number, t } from './language.ts'
import { Badge, Empty, Fact, resourceName, Table, Tags, yesOrNo } from './parts.tsx'
import type { Draw } from './router.tsx'

export async function keyPreviewView(id: string): Promise<Draw> {
  const [{ key, data }, choices] = await Promise.all([
    get<KeyPreview>(`/api/keys/${encodeURIComponent(id)}/preview`),
    readChoices(),
  ])
  const readable = data.filter((each) => each.readable)
  const unreadable = data.filter((each) => !each.readable)
  return () => ({
    title: fill(t.preview.title, { name: key.name }),
    lead: t.preview.leadOf[key.state],
    back: [keyAddress(key.client_id), key.name],
    beside: <Badge state={key.state} />,
    body: (
      <>
        <dl class="facts">
          <Fact name={t.fields.stores}>{storesLong(key, choices)}</Fact>
          <Fact name={t.fields.prices}>{pricesLong(key, choices)}</Fact>
        </dl>
        <div class="preview">
          <section aria-labelledby="sees">
            <h2 id="sees">{t.preview.sees}</h2>
            {readable.length === 0 ? (
              <Empty title={t.preview.nothingReadable} />
            ) : (
              <p class="note">{t.preview.counts}</p>
            )}
            {readable.map((each, at) => (
              <SeenResource {...each} isOpen={at === 0} />
            ))}
          </section>
          <section aria-labelledby="sees-not" class="sees-not">
            <h2 id="sees-not">{t.preview.seesNot}</h2>
            <NoAccess readable={readable} unreadable={unreadable} />
          </section>
        </div>
      </>
    ),
  })
}

function SeenResource({ name, fields = [], seen, isOpen }: ResourcePreview & { isOpen: boolean }) {
  if (!seen)
    return (
      <p class="seen">
        <strong>{resourceName(name)}</strong> <span>{t.preview.unread}</span>
      </p>
    )
  const { total, total_of_all: all, records, whole } = seen
  const count =
    total === all ? counted(t.preview.allRecords, total) : counted(fill(t.preview.records, { all: number(all) }), total)
  const none = all === 0 ? t.preview.noRecordsAtAll : t.preview.noRecords
  return (
    <details class="seen" open={isOpen}>
      <summary>
        <strong>{resourceName(name)}</strong>{' '}
        <span>
          {all === 0 ? t.preview.noRecordsAtAll : count} · {counted(t.preview.fields, fields.length)}
        </span>
      </summary>
      {total === 0 ? <p>{none}</p> : <Records name={resourceName(name)} records={records} />}
      {whole !== null && (
        <details class="whole">
          <summary>{t.preview.whole}</summary>
          <pre tabIndex={0}>
            <code>{JSON.stringify(whole, null, 2)}</code>
          </pre>
        </details>
      )}
    </details>
  )
}

function Records({ name, records }: { name: string; records: readonly PreviewRecord[] }) {
  const caption = counted(t.preview.first, records.length)
  const columns = Object.keys(records[0] ?? {}).map((field) => ({
    name: field,
    head: <code>{field}</code>,
    cell: (record: PreviewRecord) => cell(record[field]),
  }))
  return (
    <Table
      class="records"
      region={`${name}: ${caption}`}
      caption={caption}
      rows={records}
      columns={columns}
      hasNoRowHead
    />
  )
}

function cell(value: unknown) {
  if (value === null || value === undefined) return <span class="nothing">–</span>
  if (typeof value === 'boolean') return yesOrNo(value)
  if (typeof value === 'number' || typeof value === 'string') return String(value)
  return <code>{JSON.stringify(value)}</code>
}

interface NoAccessProps {
  readonly readable: readonly ResourcePreview[]
  readonly unreadable: readonly ResourcePreview[]
}

function NoAccess({ readable, unreadable }: NoAccessProps) {
  const partly = readable
    .map(({ name, hidden, seen }) => ({ name, hidden, others: seen ? seen.total_of_all - seen.total : 0 }))
    .filter(({ hidden, others }) => hidden.length > 0 || others > 0)
  if (partly.length + unreadable.length === 0) return <p>{t.preview.allReadable}</p>
  return (
    <ul class="no-access">
      {unreadable.length > 0 && (
        <li>
          <strong>{t.preview.notAtAll}</strong>
          <Tags names={unreadable.map(({ name }) => resourceName(name))} />
        </li>
      )}
      {partly.map(({ name, hidden, others }) => (
        <li>
          <strong>{resourceName(name)}</strong>
          {others > 0 && <span>{counted(t.preview.otherRecords, others)}</span>}
          {hidden.length > 0 && (
            <span>
              {t.preview.hidden}{' '}
              {hidden.map((field, at) => (
                <>
                  {at > 0 && ', '}
                  <code>{field}</code>
                </>
              ))}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}
