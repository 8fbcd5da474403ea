// Texts that people type, into an address or to search for something.

// A text with invalid escapes stays as it is.
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// Without accents and capitals.
export const folded = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
