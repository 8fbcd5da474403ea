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
      if (size >= mostPieces) forget()
      let pieces = lists.get(list)
      if (!pieces) lists.set(list, (pieces = new Map()))
      // Who still counts when all is forgotten goes on with what nobody else will see.
      const own = pieces
      return {
        get(bucket, version) {
          const piece = own.get(bucket)
          return piece?.version === version ? piece.count : undefined
        },
        set(bucket, version, count) {
          if (version === null) return
          if (!own.has(bucket)) size += 1
          own.set(bucket, { version, count })
        },
      }
    },
  }
}
