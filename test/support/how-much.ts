// How much a test tries: few in `npm test`, many in `npm run test:long`; and what it prints about that.

export const isLong = process.env['VITRINE_TEST_LONG'] === '1'

export const howMuch = (quick: number, long: number): number => (isLong ? long : quick)

/** VITRINE_TEST_SEED repeats a run. */
export const seedOfRun = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** What was tried, and how often. */
export function told(text: string): void {
  console.log(text)
}
