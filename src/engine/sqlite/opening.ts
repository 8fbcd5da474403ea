// The file as a reader has it open: a connection, and what answers plans over it.
import { createAnswerer, type Answerer } from '../answer.ts'
import type { OnUnknownCode } from '../json.ts'
import { rememberedWhile, type PieceMemory } from '../pieces.ts'
import { connect, type Connection } from './connection.ts'

interface OpeningOptions {
  readonly path: string
  readonly lockTimeoutMs: number
  readonly farInto: number
  // Versions tell of which database they are: they outlast each opening. Only what was counted before anybody touched the file is
  // added; later, part of it may be of a file that is being copied over this one.
  readonly pieces: PieceMemory
  readonly onUnknownCode: OnUnknownCode
}

export interface Opening {
  readonly connection: Connection
  readonly answerer: Answerer
}

export function openToRead({ path, lockTimeoutMs, farInto, pieces, onUnknownCode }: OpeningOptions): Opening {
  const connection = connect(path, lockTimeoutMs, farInto)
  const known = rememberedWhile(pieces, connection.isUntouched)
  return { connection, answerer: createAnswerer(connection.dialect, onUnknownCode, farInto, known) }
}
