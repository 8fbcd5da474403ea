// Whether a secret can be found in bytes: as it is, in part, backwards, or in the ways in which bytes are commonly written.

const prefix = /^svc_(sk|at)_/
// Enough of the random part that it cannot occur by chance.
const partLength = 12

function base64Forms(secret: string): string[] {
  // Wherever it begins in the text that was encoded, these characters do not depend on what stands around it.
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.from(`${'\0'.repeat(before)}${secret}`).toString('base64')
    const sure = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + secret.length) * 8) / 6))
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

const partsOf = (text: string) =>
  Array.from({ length: text.length - partLength + 1 }, (_, at) => text.slice(at, at + partLength))

/** The random part, which is the secret of it. */
export function formsOf(secret: string): Readonly<Record<string, readonly string[]>> {
  const random = secret.replace(prefix, '')
  const backwards = [...random].toReversed().join('')
  const hex = Buffer.from(random).toString('hex')
  return {
    plain: partsOf(random),
    backwards: partsOf(backwards),
    base64: [...base64Forms(random), ...base64Forms(backwards)],
    hex: [hex, hex.toUpperCase(), Buffer.from(backwards).toString('hex')],
    escaped: [[...random].map((letter) => `%${Buffer.from(letter).toString('hex')}`).join('')],
  }
}

/** The ways in which a secret is in there; none, it is hoped. */
export function tracesOf(secret: string, bytes: string): string[] {
  return Object.entries(formsOf(secret)).flatMap(([name, forms]) =>
    forms.some((form) => bytes.includes(form)) ? [name] : [],
  )
}
