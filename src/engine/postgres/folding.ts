// How the server's trigram indexes fold letters: as lower() does in the locale of the database.
import type { PostgresConnection } from '../../postgres/connection.ts'
import { casedCharacters, foldedOtherwise } from '../../sql/case-forms.ts'

export async function lettersFoldedOtherwise(connection: PostgresConnection): Promise<Set<string>> {
  const characters = [...casedCharacters()]
  const rows = await connection.rows(
    `SELECT lower(u.letter COLLATE "default") FROM unnest($1::text[]) WITH ORDINALITY AS u (letter, place) ORDER BY u.place`,
    [characters],
  )
  const lower = new Map(characters.map((character, at) => [character, rows[at]?.[0]]))
  return foldedOtherwise((character) => {
    const small = lower.get(character)
    return typeof small === 'string' ? small : undefined
  })
}
