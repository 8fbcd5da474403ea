// Masks security codes and tokens in a text, because callers sometimes send them in the wrong place: a path, a method, a parameter.
// Every log line and every value that is echoed to a caller passes through here.

const secret = /svc_(sk|at)_[A-Za-z0-9]+/gi

// A text without a secret is returned unchanged.
export function withoutSecrets(text: string): string {
  const plain = text.includes('%') ? unescapeAll(text) : text
  return plain.search(secret) === -1 ? text : plain.replaceAll(secret, 'svc_$1_***')
}

const percent = 0x25

// Undoes percent escapes at any depth: %73, %2573 and %25%37%33 are all "s". Only letters, digits, "_" and "%" are unescaped, so that
// a line of JSON stays valid. It reads from the right, so that the text after a "%" is already unescaped and one pass is enough.
function unescapeAll(text: string): string {
  const plain = new Uint16Array(text.length)
  let start = text.length
  for (let at = text.length - 1; at >= 0; at -= 1) {
    let code = text.charCodeAt(at)
    while (code === percent && start + 1 < plain.length) {
      const [high, low] = [hexDigit(plain[start]), hexDigit(plain[start + 1])]
      if (high < 0 || low < 0 || !unescaped[16 * high + low]) break
      code = 16 * high + low
      start += 2
    }
    start -= 1
    plain[start] = code
  }
  return Buffer.from(plain.buffer, 2 * start).toString('utf16le')
}

// -1: no hexadecimal digit.
const digits = Int8Array.from({ length: 128 }, (_, code) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(code).toLowerCase()),
)
const hexDigit = (code = 0) => digits[code] ?? -1
const unescaped = Array.from({ length: 128 }, (_, code) => /[\w%]/.test(String.fromCharCode(code)))
