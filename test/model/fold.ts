// Unicode's simple case folding (CaseFolding.txt, C and S), built from the case mappings of single characters.

// Where upper and lower case lead elsewhere: the dotted and the dotless i have no simple folding; three pairs have one
// though their upper case is more than one character.
const exceptions: Record<string, string> = { İ: 'İ', ı: 'ı', '\u1fd3': '\u0390', '\u1fe3': '\u03b0', ﬅ: 'ﬆ' }

const isSingle = (text: string) => [...text].length === 1

export function foldCharacter(character: string): string {
  const exception = exceptions[character]
  if (exception !== undefined) return exception
  const upper = character.toUpperCase()
  const lower = (isSingle(upper) ? upper : character).toLowerCase()
  return isSingle(lower) ? lower : character
}

// The same texts are searched again and again.
const foldedTexts = new Map<string, string>()

export function foldCase(text: string): string {
  const folded = foldedTexts.get(text) ?? Array.from(text, foldCharacter).join('')
  foldedTexts.set(text, folded)
  return folded
}
