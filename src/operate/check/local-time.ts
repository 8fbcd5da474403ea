// Local times as sortable texts (YYYY-MM-DDTHH:MM:SS), and offsets from UTC.
export const later = (time: string, seconds: number) =>
  new Date(Date.parse(`${time}Z`) + seconds * 1000).toISOString().slice(0, 19)

export const secondsBetween = (earlier: string, later: string) =>
  (Date.parse(`${later}Z`) - Date.parse(`${earlier}Z`)) / 1000

// The offset in a time such as 2026-09-30T18:05:00-04:00.
export function offsetSeconds(time: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(time) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60)
}

const two = (value: number) => String(value).padStart(2, '0')

export const offsetText = (seconds: number) => {
  const minutes = Math.abs(Math.round(seconds / 60))
  return `${seconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
