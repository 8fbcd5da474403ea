// The text of a value as PostgreSQL sends it → a plain value. Numbers are JSON's numbers; an integer beyond 2^53 keeps its
// digits; a local time is the text that the service shows.

type Parse = (text: string) => string | number | bigint | boolean | Uint8Array

const integer: Parse = (text) => {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

// By the object id of the type, as in PostgreSQL's catalogue pg_type.
const parsers: Readonly<Record<number, Parse>> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice(2), 'hex'),
  20: integer,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  1700: Number,
  1114: (text) => text.replace(' ', 'T'),
}

const asItIs: Parse = (text) => text

export const parserOf = (type: number): Parse => parsers[type] ?? asItIs
