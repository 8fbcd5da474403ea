// What a walk reads from: the lists and records of one resource.

export interface Meta {
  readonly page: number
  readonly per_page: number
  readonly total: number
  readonly total_pages: number
}

export interface Page<Summary> {
  readonly data: readonly Summary[]
  readonly meta: Meta
}

// A record as a list shows it, as far as it matters here.
export interface Listed {
  readonly id: number
  readonly updated_at?: string | null
}

export type Query = Readonly<Record<string, string | number>>
export type Fetch<Found> = (id: number, signal?: AbortSignal) => Promise<Found>

export interface Source<Found> {
  readonly list: (query: Query) => Promise<Page<Listed>>
  readonly fetch: Fetch<Found> | null
  // As `/status` tells it, with its offset.
  readonly time: () => Promise<string>
  readonly onProgress: (progress: { readonly left: number }) => void
}

export const perPage = 100
