// The other forms of a letter under Unicode's simple case folding, and a text as a PostgreSQL regular expression that
// matches it in any of them. The forms are those that a regular expression of JavaScript with the flags i and u takes for
// equal, so that both engines find the same; the server's own idea of upper and lower case depends on its locale.

const forms = new Map<string, string>()
let cased: string | undefined

// Every character that has another form at all: about 2,900, none of them beyond the first two planes of Unicode.
function casedCharacters(): string {
  const hasForms = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u
  let found = ''
  for (let at = 0; at < 0x20000; at += 1) {
    const character = String.fromCodePoint(at)
    if (hasForms.test(character)) found += character
  }
  return found
}

// All forms of a character, itself included.
export function caseForms(character: string): string {
  let found = forms.get(character)
  if (found === undefined) {
    cased ??= casedCharacters()
    const same = cased.match(new RegExp(RegExp.escape(character), 'giu')) ?? []
    found = same.length > 1 ? same.join('') : character
    forms.set(character, found)
  }
  return found
}

// Letters stand in brackets; what a regular expression could take for its own is escaped.
export function anyCasePattern(text: string): string {
  let pattern = ''
  for (const character of text) {
    const same = caseForms(character)
    if (same !== character) pattern += `[${same}]`
    else pattern += /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character
  }
  return pattern
}
