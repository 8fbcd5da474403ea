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

export const foldCase = (text: string) => Array.from(text, foldCharacter).join('')
