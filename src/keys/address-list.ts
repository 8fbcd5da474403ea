// Addresses and ranges as people give them → ranges in canonical form, or what is wrong with each.
import { rangeText, readRange } from '../platform/addresses.ts'
import { keyFault, type Fault } from './faults.ts'

const mostRanges = 50

export function readAddressList(text: string, faults: Fault[]): string[] | null {
  if (text.trim() === 'all') return null
  const items = text.split(/[\s,;]+/).filter(Boolean)
  if (items.length === 0) faults.push(keyFault('addresses_missing'))
  const ranges = new Set<string>()
  for (const given of items) {
    const read = readRange(given)
    if ('range' in read) {
      const range = rangeText(read.range)
      if (read.hasHostBits)
        faults.push(keyFault('addresses_host_bits', { given, range, one: given.split('/')[0] ?? '' }))
      ranges.add(range)
    } else if (read.fault.is === 'no address') faults.push(keyFault('addresses_invalid', { given }))
    else faults.push(keyFault('addresses_prefix', { given, most: read.fault.longest }))
  }
  if (ranges.size > mostRanges) faults.push(keyFault('addresses_many', { most: mostRanges }))
  return [...ranges]
}
