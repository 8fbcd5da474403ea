// What a preview says of a resource. Apart from the code that makes it, because the console's page reads it, too.
export interface ResourcePreview {
  readonly name: string
  readonly permission: string
  readonly readable: boolean
  readonly fields?: readonly string[]
  // `lines.cost` for a field of an array.
  readonly hidden: readonly string[]
  // Only if readable; null: the records could not be read.
  readonly seen?: PreviewSample | null
}

export interface PreviewSample {
  // Of this key, and without its restrictions.
  readonly total: number
  readonly total_of_all: number
  // The first ones, as in a list.
  readonly records: readonly PreviewRecord[]
  // The first one, as GET by id.
  readonly whole: PreviewRecord | null
}

export type PreviewRecord = Readonly<Record<string, unknown>> & { readonly id: number }
