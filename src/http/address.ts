// The address of a caller behind trusted proxies, and the form in which callers are counted.
import { isIP } from 'node:net'
import { groupsOf, isWithin, plainAddress, readRange } from '../platform/addresses.ts'

interface ForwardedPeer {
  readonly address: string
  readonly forwardedFor: string | undefined
  readonly forwardedProto: string | undefined
}

export interface TrustedProxies {
  has(address: string): boolean
}

export function trustedProxies(ranges: readonly string[]): TrustedProxies {
  const trusted = ranges.map(readRange).flatMap((read) => ('range' in read ? [read.range] : []))
  return { has: (address) => isWithin(trusted, address) }
}

// The right-most address of X-Forwarded-For that is not a trusted proxy's. From an untrusted peer the header has no effect. An
// invalid value ends the search, because nothing to the left of it can be trusted.
export function callerAddress({ address, forwardedFor }: ForwardedPeer, trusted: TrustedProxies): string {
  if (!trusted.has(address)) return address
  let caller = address
  for (const entry of (forwardedFor ?? '').split(',').toReversed()) {
    const plain = plainAddress(withoutPort(entry.trim()))
    if (plain === undefined) break
    caller = plain
    if (!trusted.has(plain)) break
  }
  return caller
}

export const isForwardedTls = ({ address, forwardedProto }: ForwardedPeer, trusted: TrustedProxies) =>
  forwardedProto?.toLowerCase() === 'https' && trusted.has(address)

// The form in which callers are counted: IPv4 unchanged, IPv6 as its /64, mapped IPv4 as IPv4.
export function canonicalAddress(address: string): string {
  const plain = plainAddress(address)
  if (plain === undefined || isIP(plain) !== 6) return plain ?? address
  const network = groupsOf(plain).slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}

const withoutPort = (entry: string) =>
  /^\[(.+)\](:\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry
