// A text as patterns for SQLite's LIKE, which folds the ASCII letters by itself and is far faster than a function of ours. Other
// letters get a pattern for each of their forms; a text with many of them has too many patterns, and gets none.
import { caseForms } from './case-forms.ts'

const mostPatterns = 4

export function likePatterns(text: string): string[] | undefined {
  let patterns = ['%']
  for (const character of text) {
    const forms = formsBesideAscii(character)
    if (patterns.length * forms.length > mostPatterns) return undefined
    patterns = patterns.flatMap((pattern) => forms.map((form) => pattern + form))
  }
  return patterns.map((pattern) => `${pattern}%`)
}

// Those that LIKE does not take for equal: k and the sign for kelvin, é and É.
function formsBesideAscii(character: string): string[] {
  const forms = new Set([...caseForms(character)].map((form) => (/[A-Z]/.test(form) ? form.toLowerCase() : form)))
  return [...forms].map((form) => (/[%_\\]/.test(form) ? `\\${form}` : form))
}
