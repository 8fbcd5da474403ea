// Addresses in canonical form, and who the caller is behind trusted proxies.
import { BlockList, isIP } from 'node:net'

interface Peer {
  readonly address: string
  readonly forwardedFor: string | undefined
  readonly forwardedProto: string | undefined
}

export interface TrustedProxies {
  has(address: string): boolean
}

export function trustedProxies(ranges: readonly string[]): TrustedProxies {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    const plain = plainAddress(address) ?? address
    // The first 96 bits of a mapped IPv4 address are those of the mapping; a shorter prefix is no range of IPv4.
    const mapped = plain === address ? 0 : 96
    const bits = prefix === undefined ? (isIP(plain) === 6 ? 128 : 32) : Number(prefix) - mapped
    if (bits >= 0) list.addSubnet(plain, bits, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
    else list.addSubnet(address, Number(prefix), 'ipv6')
  }
  return {
    has(address) {
      const plain = plainAddress(address)
      return plain !== undefined && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
    },
  }
}

// The right-most address of X-Forwarded-For that is not a trusted proxy's. From an untrusted peer the header has no
// effect; a value that is no address ends the search, because nothing to the left of it can be believed.
export function callerAddress({ address, forwardedFor }: Peer, trusted: TrustedProxies): string {
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

export const isForwardedTls = ({ address, forwardedProto }: Peer, trusted: TrustedProxies) =>
  forwardedProto?.toLowerCase() === 'https' && trusted.has(address)

// The form in which callers are counted: IPv4 as it is, IPv6 as its /64, mapped IPv4 as IPv4.
export function canonicalAddress(address: string): string {
  const plain = plainAddress(address)
  if (plain === undefined || isIP(plain) !== 6) return plain ?? address
  const network = groupsOf(plain).slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}

function plainAddress(text: string): string | undefined {
  const address = text.split('%')[0] ?? ''
  if (isIP(address) === 0) return undefined
  if (isIP(address) === 4) return address
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped) return address
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

// The eight groups of a valid IPv6 address.
function groupsOf(address: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const [a = 0, b = 0, c = 0, d = 0] = (dotted?.slice(1) ?? []).map(Number)
  const plain = dotted ? address.slice(0, dotted.index) + `${hex(a, b)}:${hex(c, d)}` : address
  const [left = '', right] = plain.split('::')
  if (right === undefined) return readGroups(left)
  const [start, end] = [readGroups(left), readGroups(right)]
  return [...start, ...Array.from({ length: 8 - start.length - end.length }, () => 0), ...end]
}

const hex = (high: number, low: number) => ((high << 8) | low).toString(16)
const readGroups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))

const withoutPort = (entry: string) =>
  /^\[(.+)\](:\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry
