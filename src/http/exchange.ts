// A request and its reply as plain values. Only listeners know sockets.

// That the caller hangs up before its answer.
export interface HangUp {
  readonly hasHappened: boolean
  // Made when it is asked for: most requests never need it.
  readonly signal: AbortSignal
}

export interface Call {
  readonly method: string
  // Path and query as sent, still encoded.
  readonly path: string
  readonly query: string
  // The Host header, or :authority with HTTP/2, as sent.
  readonly host: string | undefined
  readonly authorization: readonly string[]
  readonly contentType: string | undefined
  readonly acceptEncoding: string | undefined
  readonly acceptLanguage: string | undefined
  // In canonical form, by which callers are counted: an IPv6 address as its /64.
  readonly address: string
  // Compared with the addresses that a key is limited to; null: unknown.
  readonly fullAddress: string | null
  // Over TLS, or over TLS to a trusted proxy.
  readonly isSecure: boolean
  readonly hangUp: HangUp
  // The port that the caller has connected to.
  readonly port: number | undefined
  // Every value of a header, as sent.
  header(name: string): readonly string[]
  // null: too large or incomplete.
  body(mostBytes?: number): Promise<string | null>
}

export interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
  // The number of records, for the usage of the key.
  readonly records?: number
  // The body is the same array every time, so it is compressed once.
  readonly isFixed?: true
}

export const json = (value: unknown): Reply => ({ status: 200, headers: {}, body: JSON.stringify(value) })
