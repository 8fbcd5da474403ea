// The case forms of a letter under simple case folding of Unicode, and a text as a PostgreSQL regular expression that matches it in
// any of them. They are the letters that a JavaScript regular expression with the flags i and u takes for equal, so that both
// engines find the same. (Case folding by the server depends on its locale.)

const forms = new Map<string, string>()
let cased: string | undefined
let cases: ReadonlySet<string> | undefined

// Every character that has another form: about 2,900, all in the first two planes of Unicode.
export function casedCharacters(): string {
  if (cased !== undefined) return cased
  const isCased = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u
  cased = ''
  for (let at = 0; at < 0x20000; at += 1) {
    const character = String.fromCodePoint(at)
    if (isCased.test(character)) cased += character
  }
  return cased
}

// All forms of a character, itself included.
export function caseForms(character: string): string {
  cases ??= new Set(casedCharacters())
  if (!cases.has(character)) return character
  let found = forms.get(character)
  if (found === undefined) {
    const same = casedCharacters().match(new RegExp(RegExp.escape(character), 'giu')) ?? []
    found = same.length > 1 ? same.join('') : character
    forms.set(character, found)
  }
  return found
}

export const hasForms = (text: string) => [...text].some((character) => caseForms(character) !== character)

// Letters become bracket expressions; special characters are escaped.
export function anyCasePattern(text: string): string {
  let pattern = ''
  for (const character of text) {
    const same = caseForms(character)
    if (same !== character) pattern += `[${same}]`
    else pattern += /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character
  }
  return pattern
}
