// Token requests as tests write them: the form of a key, a wrong code, a Basic header.

export interface Credentials {
  readonly accessKey: string
  readonly securityCode: string
}

export const wrongCode = `svc_sk_${'x'.repeat(40)}`
export const strangeToken = `svc_at_${'x'.repeat(52)}`

export const grantOf = ({ accessKey, securityCode }: Credentials, extra: Record<string, string> = {}) => ({
  grant_type: 'client_credentials',
  client_id: accessKey,
  client_secret: securityCode,
  ...extra,
})

export const basicOf = ({ accessKey, securityCode }: Credentials) =>
  `Basic ${Buffer.from(`${accessKey}:${securityCode}`).toString('base64')}`

// `count` results, asked for all at once.
export const atOnce = <Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))

// How often each value occurs.
export const tally = (values: Iterable<string | number>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
