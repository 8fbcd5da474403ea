// The lists and records of one resource, as a walk reads them.

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

// The fields of a listed record that a walk uses.
export interface Listed {
  readonly id: number
  readonly updated_at?: string | null
}

export type Query = Readonly<Record<string, string | number>>
export type Fetch<Result> = (id: number, signal?: AbortSignal) => Promise<Result>

export interface WalkSource<Result> {
  readonly list: (query: Query) => Promise<Page<Listed>>
  readonly fetch: Fetch<Result> | null
  // The `time` of `/status`, with its offset.
  readonly time: () => Promise<string>
  readonly onProgress: (progress: { readonly left: number }) => void
}

export const perPage = 100
