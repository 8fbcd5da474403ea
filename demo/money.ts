// Amounts are whole cents and quantities whole thousandths, so that totals add up to the cent; a row gets cents / 100,
// which is the exact double of two decimals. Rates are whole ten-thousandths of gourdes for a dollar.
import { DAYS } from './calendar.ts'
import type { Random } from './random.ts'

export type Currency = 'USD' | 'HTG'

export const timesQuantity = (cents: number, thousandths: number) => Math.round((cents * thousandths) / 1000)

export function convert(cents: number, from: Currency, to: Currency, rate: number): number {
  if (from === to) return cents
  return from === 'USD' ? Math.round((cents * rate) / 10_000) : Math.round((cents * 10_000) / rate)
}

// A price as a shop writes it: whole gourdes in steps of 5 or 25, dollars in steps of 5 or 25 cents.
export function shelfPrice(cents: number, currency: Currency): number {
  let step = 1
  if (currency === 'HTG') step = cents < 5000 ? 100 : cents < 200_000 ? 500 : cents < 2_000_000 ? 2500 : 5000
  else step = cents < 200 ? 1 : cents < 5000 ? 5 : cents < 50_000 ? 25 : 100
  return Math.max(step, Math.round(cents / step) * step)
}

// Something round that a person would hand over: down to the nearest 5 dollars or 250 gourdes.
export function roundSum(cents: number, currency: Currency): number {
  const step = currency === 'HTG' ? 25_000 : 500
  return Math.floor(cents / step) * step
}

// One rate a day: a slow walk that is drawn back to 132 gourdes for a dollar.
export function exchangeRates(random: Random): number[] {
  const rates: number[] = []
  let rate = 1_315_000
  for (let day = 0; day < DAYS; day += 1) {
    rate += random.between(-700, 700) + Math.round((1_320_000 - rate) / 90)
    rate = Math.min(1_332_500, Math.max(1_307_500, rate))
    rates.push(rate)
  }
  return rates
}
