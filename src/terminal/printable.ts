// Foreign text (names, messages, paths) → text that is safe to print: characters that could move a terminal's cursor, or hide or
// reorder text, become visible escapes such as \x1b or \u202e.

// Control characters, format characters (zero-width, bidirectional, tags), line and paragraph separators.
const unsafe = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** For one line: escapes line ends, too. */
export const printableLine = (text: string): string => text.replace(unsafe, visible)

/** For several lines. */
export const printable = (text: string): string => text.split('\n').map(printableLine).join('\n')

/** JSON with the same value: JSON.stringify escapes only some of these characters. */
export const printableJson = (json: string): string =>
  json.replace(unsafe, (found) =>
    found
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`)
      .join(''),
  )

function visible(found: string): string {
  const code = found.codePointAt(0) ?? 0
  if (code <= 0xff) return `\\x${hex(code, 2)}`
  return code <= 0xffff ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 1)}}`
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')
