// The number of a key that is a text follows from the text alone: the text of a whole number is that number, any other text gets 48 bits
// of a hash. So it is the same in every copy, however often a copy is made anew.
import { hash } from 'node:crypto'

// Numbers of texts are from here to twice of it. A spreadsheet keeps their 15 digits; numbers of a POS are smaller, or much larger.
const firstHashed = 2 ** 48
export const hashedNumbers = { from: firstHashed, to: 2 * firstHashed - 1 } as const

export const isHashed = (number: number | bigint) => number >= hashedNumbers.from && number <= hashedNumbers.to

// Two relations do not share the numbers of their keys.
export type HashKey = (space: string, key: string) => number

export const hashKey: HashKey = (space, key) =>
  firstHashed + Number.parseInt(hash('sha256', `${space}\0${key}`, 'hex').slice(0, 12), 16)

const wholeForm = /^[1-9]\d{0,14}$/

// The number that a text is, if it is one.
function wholeNumber(key: string): number | undefined {
  const number = wholeForm.test(key) ? Number(key) : firstHashed
  return number < firstHashed ? number : undefined
}

// Which key has a hashed number. Keys are never removed.
export interface KeyTable {
  find(space: string, numbers: readonly number[]): Promise<ReadonlyMap<number, string>>
  add(space: string, keys: ReadonlyMap<number, string>): Promise<void>
}

// If the number of a key is another key's, it gets the next one that is free. Which of the two comes first is a matter of the copy: of
// keys that come together, it is the smaller text.
export async function numberTexts(
  space: string,
  keys: ReadonlySet<string>,
  table: KeyTable,
  numberOf: HashKey = hashKey,
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>()
  let open: [key: string, number: number][] = []
  for (const key of keys) {
    const whole = wholeNumber(key)
    if (whole === undefined) open.push([key, numberOf(space, key)])
    else numbers.set(key, whole)
  }
  const added = new Map<number, string>()
  while (open.length > 0) {
    const tried = open.map(([, number]) => number)
    const held = await table.find(space, tried)
    const others: typeof open = []
    for (const each of open)
      if (held.get(each[1]) === each[0]) numbers.set(...each)
      else others.push(each)
    const collided: typeof open = []
    for (const [key, number] of others.toSorted(byText)) {
      if (held.has(number) || added.has(number)) collided.push([key, nextNumber(number)])
      else {
        added.set(number, key)
        numbers.set(key, number)
      }
    }
    open = collided
  }
  if (added.size > 0) await table.add(space, added)
  return numbers
}

const byText = ([one]: [string, number], [other]: [string, number]) => (one < other ? -1 : 1)

const nextNumber = (number: number) => (number === hashedNumbers.to ? hashedNumbers.from : number + 1)
