// Administration of keys and the subscription. Each change and its audit entry are one transaction.
import { codeRotated, keyAct, keyChanged, keyCreated, subscription } from './audit.ts'
import { hashKey } from './failure-series.ts'
import type { HistoryOperations } from './history.ts'
import type { Operations } from './methods.ts'
import { grantedNow, isAsShown, keyColumns, newKey, readKey, termColumns, writeTerms } from './rows.ts'
import type { Key, KeyAdministration, KeyChanges } from './state.ts'
import { rows, sql, type Sql, type StateDialect, type Steps } from './steps.ts'

const isLive = (accessKey: string) => sql`access_key = ${accessKey} AND revoked_at IS NULL`

// null: no key was changed.
function* change(accessKey: string, set: Sql, condition = sql`true`): Steps<Key | null> {
  const [row] = yield* rows`
    UPDATE keys SET ${set} WHERE ${isLive(accessKey)} AND ${condition} RETURNING ${keyColumns}`
  return row ? readKey(row) : null
}

// A token request holds the row of its key (FOR SHARE): its token is either deleted here, or refused there.
const endTokens = (accessKey: string) => rows`DELETE FROM tokens WHERE access_key = ${accessKey}`

// Ends the blocks of a key at every address. To be called before the row of the key is locked: a token request locks them in this
// order, too, and the other one could deadlock.
const endBlocks = (accessKey: string) => rows`
  DELETE FROM failures WHERE key_hash = ${hashKey(accessKey)} AND EXISTS (SELECT 1 FROM keys WHERE ${isLive(accessKey)})`
// Programs that were refused with the key so far may be admitted after such a change.
const mayAdmit = ({ isDisabled, addresses, expires }: KeyChanges) =>
  isDisabled === false || addresses !== undefined || expires !== undefined

export function createAdministration(
  { time, forUpdate }: StateDialect,
  { note, noteUse }: HistoryOperations,
): Operations<keyof KeyAdministration> {
  return {
    *listKeys() {
      return (yield* rows`SELECT ${keyColumns} FROM keys ORDER BY created_at, access_key`).map(readKey)
    },
    *findKey(_now, accessKey) {
      const [row] = yield* rows`SELECT ${keyColumns} FROM keys WHERE access_key = ${accessKey}`
      return row ? readKey(row) : null
    },
    *listExpiries() {
      const expiries = yield* rows`
        SELECT access_key, name, expires_on, expires_at FROM keys WHERE expires_at IS NOT NULL AND revoked_at IS NULL
        ORDER BY expires_at, access_key`
      return expiries.map(([accessKey, name, day, at]) => ({
        accessKey: String(accessKey),
        name: String(name),
        expires: { day: String(day), at: Number(at) },
      }))
    },

    *createKey(now, terms, codeHash, by) {
      const [row = []] = yield* rows`
        INSERT INTO keys (access_key, code_hash, created_at, ${termColumns})
        VALUES (${terms.accessKey}, ${codeHash}, ${time(now)}, ${writeTerms(newKey(terms, 0))}) RETURNING created_at`
      const key = newKey(terms, Number(row[0]))
      yield* noteUse(grantedNow(key.createdAt, key))
      yield* note(now, keyCreated(key), by)
      return key
    },

    *updateKey(now, accessKey, changes, by, shown) {
      // A change that will be refused ends no blocks.
      const [seen] = yield* rows`SELECT ${keyColumns} FROM keys WHERE ${isLive(accessKey)}`
      if (seen && isAsShown(readKey(seen), shown) && mayAdmit(changes)) yield* endBlocks(accessKey)
      const [row] = yield* rows`SELECT ${keyColumns}, ${time(now)} FROM keys WHERE ${isLive(accessKey)} ${forUpdate}`
      if (!row) return null
      const key = readKey(row)
      if (!isAsShown(key, shown)) return 'changed meanwhile'
      const next = { ...key, ...changes }
      yield* rows`UPDATE keys SET (${termColumns}) = (${writeTerms(next)}) WHERE access_key = ${accessKey}`
      yield* noteUse(grantedNow(Number(row.at(-1)), next, key))
      const entry = keyChanged(key, next)
      if (entry) yield* note(now, entry, by)
      return next
    },

    *regenerateKey(now, accessKey, codeHash, by) {
      yield* endBlocks(accessKey)
      const set = sql`code_hash = ${codeHash}, old_code_hash = NULL, old_code_until = NULL`
      const key = yield* change(accessKey, set)
      if (!key) return null
      yield* endTokens(accessKey)
      yield* note(now, keyAct('code regenerated', accessKey), by)
      return key
    },
    *rotateKey(now, accessKey, codeHash, overlapMs, by) {
      const [row] = yield* rows`
        SELECT old_code_until > ${time(now)} FROM keys WHERE ${isLive(accessKey)} ${forUpdate}`
      if (!row) return null
      if (row[0]) return 'under rotation'
      const [rotated = []] = yield* rows`
        UPDATE keys SET old_code_hash = code_hash, old_code_until = ${time(now)} + ${overlapMs}, code_hash = ${codeHash}
        WHERE access_key = ${accessKey} RETURNING ${keyColumns}`
      const key = readKey(rotated)
      yield* note(now, codeRotated(key), by)
      return key
    },
    *finishRotation(now, accessKey, by) {
      const set = sql`old_code_hash = NULL, old_code_until = NULL`
      const key = yield* change(accessKey, set, sql`old_code_until > ${time(now)}`)
      if (key) yield* note(now, keyAct('rotation finished', accessKey), by)
      return key
    },
    *revokeKey(now, accessKey, by) {
      const key = yield* change(accessKey, sql`revoked_at = ${time(now)}`)
      if (!key) return null
      yield* endTokens(accessKey)
      yield* note(now, keyAct('key revoked', accessKey), by)
      return key
    },

    *setEnabled(now, isEnabled, by) {
      const changed = yield* rows`
        UPDATE company SET is_enabled = ${isEnabled} WHERE is_enabled <> ${isEnabled} RETURNING 1`
      if (changed.length > 0) yield* note(now, subscription(isEnabled), by)
    },
  }
}
