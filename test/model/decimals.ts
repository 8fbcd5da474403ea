// Sums as a person would do them: in decimals, so that 0.1 + 0.2 is 0.3.

function readDecimal(value: number): { digits: bigint; scale: number } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) }
}

export function addDecimals(values: readonly number[]): number {
  const decimals = values.map(readDecimal)
  const scale = Math.max(0, ...decimals.map((each) => each.scale))
  const sum = decimals.reduce((total, each) => total + each.digits * 10n ** BigInt(scale - each.scale), 0n)
  return Number(`${sum}e-${scale}`)
}
