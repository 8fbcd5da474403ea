// IP addresses in canonical form, and CIDR ranges. An IPv4 address that is mapped into IPv6 counts as IPv4.
import { isIP } from 'node:net'

// `bits` is a text of 0 and 1: an address is in a range of its family if its bits start with those of the range.
interface AddressRange {
  readonly family: 4 | 6
  readonly bits: string
}

// IPv6 in the form of RFC 5952, without a zone (%eth0). undefined: not an address.
export function plainAddress(text: string): string | undefined {
  const address = text.split('%')[0] ?? ''
  const family = isIP(address)
  if (family !== 6) return family === 4 ? address : undefined
  const groups = groupsOf(address)
  const mapped = mappedOf(groups)
  return mapped ? mapped.join('.') : ipv6Text(groups)
}

// The eight groups of a valid IPv6 address.
export function groupsOf(address: string): number[] {
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

// The four numbers of a mapped IPv4 address.
function mappedOf(groups: readonly number[]): number[] | undefined {
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255] : undefined
}

// RFC 5952: the first longest run of zeros is left out; a single zero stays.
function ipv6Text(groups: readonly number[]): string {
  let [start, length] = [0, 1]
  for (let at = 0; at < groups.length; at += 1) {
    const zeros = groups.slice(at).findIndex((group) => group !== 0)
    const run = zeros < 0 ? groups.length - at : zeros
    if (run > length) [start, length] = [at, run]
  }
  const part = (from: number, to?: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':')
  return length < 2 ? part(0) : `${part(0, start)}::${part(start + length)}`
}

const bitsOf = (parts: readonly number[], width: number) =>
  parts.map((part) => part.toString(2).padStart(width, '0')).join('')

function addressBits(address: string): AddressRange {
  if (isIP(address) === 4) return { family: 4, bits: bitsOf(address.split('.').map(Number), 8) }
  const groups = groupsOf(address)
  const mapped = mappedOf(groups)
  return mapped ? { family: 4, bits: bitsOf(mapped, 8) } : { family: 6, bits: bitsOf(groups, 16) }
}

type RangeResult = { readonly range: AddressRange; readonly hasHostBits: boolean } | { readonly fault: RangeFault }
type RangeFault = { readonly is: 'no address' } | { readonly is: 'no prefix'; readonly longest: number }

// An address, or a range such as 10.0.0.0/8. Bits after the prefix are dropped.
export function readRange(text: string): RangeResult {
  const slash = text.indexOf('/')
  const address = slash < 0 ? text : text.slice(0, slash)
  const written = address.includes('%') ? 0 : isIP(address)
  if (written === 0) return { fault: { is: 'no address' } }
  const longest = written === 4 ? 32 : 128
  const given = slash < 0 ? String(longest) : text.slice(slash + 1)
  if (!/^(0|[1-9][0-9]{0,2})$/.test(given) || Number(given) > longest) return { fault: { is: 'no prefix', longest } }
  const own = addressBits(address)
  // A mapped IPv4 address has 96 bits before its own; a shorter prefix is a range of IPv6.
  const prefix = Number(given) - (longest - own.bits.length)
  const { family, bits } = prefix >= 0 ? own : { family: 6 as const, bits: bitsOf(groupsOf(address), 16) }
  const kept = prefix >= 0 ? prefix : Number(given)
  return { range: { family, bits: bits.slice(0, kept) }, hasHostBits: bits.includes('1', kept) }
}

// A range of one address is written without its prefix length.
export function rangeText({ family, bits }: AddressRange): string {
  const [width, part] = family === 4 ? [32, 8] : [128, 16]
  const parts = (bits.padEnd(width, '0').match(new RegExp(`.{${part}}`, 'g')) ?? []).map((each) =>
    Number.parseInt(each, 2),
  )
  const address = family === 4 ? parts.join('.') : ipv6Text(parts)
  return bits.length === width ? address : `${address}/${bits.length}`
}

// false for a text that is not an address.
export function isWithin(ranges: readonly AddressRange[], address: string): boolean {
  const plain = address.split('%')[0] ?? ''
  if (ranges.length === 0 || isIP(plain) === 0) return false
  const own = addressBits(plain)
  return ranges.some(({ family, bits }) => family === own.family && own.bits.startsWith(bits))
}
