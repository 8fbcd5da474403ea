// Times of the company's clock, as texts that sort: YYYY-MM-DDTHH:MM:SS. No zone enters into it.
export const later = (time: string, seconds: number) =>
  new Date(Date.parse(`${time}Z`) + seconds * 1000).toISOString().slice(0, 19)

// Seconds ahead of Greenwich, of a time that ends with its offset: 2026-09-30T18:05:00-04:00.
export function offsetSeconds(time: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60)
}

const two = (value: number) => String(value).padStart(2, '0')

export const offsetText = (seconds: number) => {
  const minutes = Math.abs(Math.round(seconds / 60))
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
