// What was counted of lists piece by piece along an axis (an id's thousand, a day), each with the version that its tally had
// then: as long as nobody changes anything within a piece, its count is still true.
export type Version = string | number | bigint

export interface Pieces {
  get(bucket: string, version: Version | null): number | undefined
  // Null: nobody can tell when it changes.
  set(bucket: string, version: Version | null, count: number): void
}

export interface PieceMemory {
  of(list: string): Pieces
  forget(): void
}

interface Piece {
  readonly version: Version
  readonly count: number
}

// Of all lists together. A company of a million documents has about a thousand days, and as many thousands of ids.
const mostPieces = 30_000

export function rememberPieces(): PieceMemory {
  let lists = new Map<string, Map<string, Piece>>()
  let size = 0
  const forget = () => {
    lists = new Map()
    size = 0
  }
  return {
    forget,
    of(list) {
      const all = lists
      const piecesOf = () => {
        let pieces = all.get(list)
        if (!pieces) all.set(list, (pieces = new Map()))
        return pieces
      }
      return {
        get(bucket, version) {
          const piece = all.get(list)?.get(bucket)
          return piece?.version === version ? piece.count : undefined
        },
        set(bucket, version, count) {
          // Who still counts when all is forgotten keeps it for nobody.
          if (version === null || all !== lists) return
          if (size >= mostPieces) return forget()
          const pieces = piecesOf()
          if (!pieces.has(bucket)) size += 1
          pieces.set(bucket, { version, count })
        },
      }
    },
  }
}

// The same memory, to which only what is counted while a condition holds is added.
export const rememberedWhile = (memory: PieceMemory, isTrue: () => boolean): PieceMemory => ({
  ...memory,
  of(list) {
    const pieces = memory.of(list)
    return {
      ...pieces,
      set(bucket, version, count) {
        if (isTrue()) pieces.set(bucket, version, count)
      },
    }
  },
})
