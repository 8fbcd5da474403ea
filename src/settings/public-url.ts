// The public address of the service: scheme, host and port. There is no path, because the service answers at the root of its host.
import type { SettingType } from './types.ts'

const originText = /^https:\/\/(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?\/?$/i

// Normalised as browsers and OAuth clients compare it: lower case, without the default port. undefined: invalid.
export function readOrigin(text: string): string | undefined {
  return originText.test(text) && URL.canParse(text) ? new URL(text).origin : undefined
}

export const publicUrl: SettingType<string> = {
  parse(text) {
    const value = readOrigin(text)
    return value === undefined
      ? { fault: `must be https://HOST or https://HOST:PORT, without a path or anything else${guess(text)}` }
      : { value }
  },
  // A user name and a password may stand before the host.
  mask: (text) => text.replace(/^.*@/s, '***@'),
}

function guess(text: string): string {
  const whole = text.includes('://') ? text : `https://${text}`
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  const origin = url && /^https?:$/.test(url.protocol) ? readOrigin(`https://${url.host}`) : undefined
  return origin === undefined ? '' : `; did you mean ${origin}?`
}
