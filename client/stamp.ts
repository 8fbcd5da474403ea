// Times as the service writes them: `2026-03-01T08:00:00`, without a zone. They compare as text.

export const later = (stamp: string, seconds: number): string =>
  new Date(Date.parse(`${stamp.length === 10 ? `${stamp}T00:00:00` : stamp}Z`) + seconds * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, '')

export const laterOf = (one: string, other: string): string => (one > other ? one : other)
