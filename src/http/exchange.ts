// A request and its reply as plain values: listeners make the one and send the other, everything between knows no socket.

export interface Call {
  readonly method: string
  // Path and query as sent, still encoded.
  readonly path: string
  readonly query: string
  // Where the caller believes to be, as sent: the Host header, or what HTTP/2 has in its place.
  readonly host: string | undefined
  readonly authorization: readonly string[]
  readonly contentType: string | undefined
  readonly acceptEncoding: string | undefined
  // The caller's address in canonical form; an IPv6 caller counts by its /64.
  readonly address: string
  // Its own address, which the addresses of a key are compared with; null: it is not known.
  readonly fullAddress: string | null
  // Over TLS, or over a trusted proxy that says so.
  readonly isSecure: boolean
  // Aborted when the caller hangs up before it has its answer.
  readonly signal: AbortSignal
  // null when it is larger than the limit, or broken off.
  body(): Promise<string | null>
}

export interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array
  // How many records it holds, for the record of use.
  readonly records?: number
  // The same bytes every time, in the same array: compressed once.
  readonly isFixed?: true
}

export const json = (value: unknown): Reply => ({ status: 200, headers: {}, body: JSON.stringify(value) })
