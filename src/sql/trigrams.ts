// Which parts of a searched text SQLite's trigram index may be asked for. The index folds case by an older Unicode table
// than ours; in the range below the two agree for every letter and all its other forms (a test goes through them all).

const agreed = (codePoint: number) => codePoint >= 0x20 && codePoint <= 0x17f

// Whether the index finds exactly what holds this text.
export const isSafe = (text: string) =>
  [...text].length >= 3 && [...text].every((character) => agreed(character.codePointAt(0) ?? 0))

// All trigrams of the text within the range; none when the text is too short or written in another script.
export function safeTrigrams(text: string): string[] {
  const characters = [...text]
  const found = new Set<string>()
  for (let at = 0; at + 3 <= characters.length; at += 1) {
    const three = characters.slice(at, at + 3)
    if (three.every((character) => agreed(character.codePointAt(0) ?? 0))) found.add(three.join(''))
  }
  return [...found]
}
