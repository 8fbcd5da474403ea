// Keys with permissions that they do not use.
import { number, t } from './language.ts'
import { permissionName, Tags } from './parts.tsx'

export interface UnusedKey {
  readonly client_id: string
  readonly name: string
  readonly permissions: readonly string[]
}

const most = 100

export const UnusedKeys = ({ keys, days }: { keys: readonly UnusedKey[]; days: number }) => (
  <>
    <h2>{t.usage.unused}</h2>
    <p>{keys.length === 0 ? t.usage.unusedNone(number(days)) : t.usage.unusedLead(number(days))}</p>
    {keys.length > 0 && (
      <ul class="unused">
        {keys.slice(0, most).map(({ client_id: id, name, permissions }) => (
          <li key={id}>
            <a href={`#keys/${encodeURIComponent(id)}`}>{name}</a>
            <Tags names={permissions.map(permissionName)} />
          </li>
        ))}
      </ul>
    )}
    {keys.length > most && (
      <p>
        {t.usage.unusedMore(keys.length - most, number(keys.length - most))} <code>vitrine keys unused</code>
      </p>
    )}
  </>
)
