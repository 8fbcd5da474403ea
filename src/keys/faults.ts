// Mistakes in what a person typed: the field, a sentence, and its code and values for a page in another language.

export type FaultValues = Readonly<Record<string, string | number>>

export interface InputFault {
  // For example `rate.invalid`.
  readonly code: string
  // The field that begins the code; '': it is about none.
  readonly field: string
  readonly values: FaultValues
  readonly sentence: string
}

export const faultMaker =
  <Code extends string>(sentences: Readonly<Record<Code, (values: FaultValues) => string>>) =>
  (code: Code, values: FaultValues = {}): InputFault => {
    const [, field = ''] = /^(\w+)\./.exec(code) ?? []
    return { code, field, values, sentence: sentences[code](values) }
  }

export const keySentences = {
  'name.missing': () => 'A key needs a name.',
  'name.invalid': ({ most }: FaultValues) =>
    `The name must have 1 to ${most} characters, none of them a control character.`,
  'permissions.missing': () => 'A key needs permissions.',
  'permissions.unknown': ({ given, known }: FaultValues) =>
    `There is no permission ${JSON.stringify(given)}. Permissions: ${known}.`,
  'permissions.mistyped': ({ given, meant }: FaultValues) =>
    `There is no permission ${JSON.stringify(given)}. Did you mean ${meant}?`,
  'stores.invalid': ({ given }: FaultValues) =>
    `Stores are ids such as 1,2, or none, or all; not ${JSON.stringify(given)}.`,
  'price_list.invalid': ({ given }: FaultValues) =>
    `A price list is an id such as 3, or all; not ${JSON.stringify(given)}.`,
  'rate.invalid': ({ given, most }: FaultValues) =>
    `The rate ${JSON.stringify(given)} is not a whole number of requests a minute from 1 to ${most}.`,
  'expires.invalid': ({ given }: FaultValues) =>
    `The last day of a key is a day such as 2026-12-31, or never; not ${JSON.stringify(given)}.`,
  'expires.past': ({ given }: FaultValues) => `${given} has passed: choose today or a later day.`,
  'addresses.missing': () => 'Addresses are such as 203.0.113.7 or 198.51.100.0/24, separated by commas, or all.',
  'addresses.invalid': ({ given }: FaultValues) =>
    `${JSON.stringify(given)} is neither an IPv4 nor an IPv6 address or range. Addresses are such as 203.0.113.7 or 198.51.100.0/24, or all.`,
  'addresses.prefix': ({ given, most }: FaultValues) =>
    `The number after the slash in ${JSON.stringify(given)} must be from 0 to ${most}.`,
  'addresses.host_bits': ({ given, range, one }: FaultValues) =>
    `${given} is not the beginning of a range: give ${range} for the whole range, or ${one} for this address alone.`,
  'addresses.many': ({ most }: FaultValues) => `A key can have at most ${most} addresses and ranges.`,
  'overlap.invalid': ({ given, least, most }: FaultValues) =>
    `The overlap ${JSON.stringify(given)} is not a time from ${least} to ${most}, such as 30m, 24h or 7d.`,
  rotation_under_way: ({ key, until }: FaultValues) =>
    `The key ${key} has two security codes already: the old one works until ${until}. "vitrine keys rotate ${key} --finish" ends it now.`,
  no_rotation: ({ key }: FaultValues) => `The key ${key} has one security code: no rotation is under way.`,
  enabled_and_disabled: () => 'Give --enable or --disable, not both.',
  nothing_to_change: () => 'Nothing to change was given.',
  changed_meanwhile: ({ name }: FaultValues) =>
    `Another administrator changed ${name} after you opened it. Nothing was saved: review the current values, then make your change again.`,
  key_revoked: ({ key }: FaultValues) => `The key ${key} was revoked.`,
  key_unknown: ({ key }: FaultValues) => `There is no key ${key}. "vitrine keys list" shows them.`,
  key_mistyped: ({ key, meant }: FaultValues) => `There is no key ${key}. Did you mean ${meant}?`,
} as const

export const keyFault = faultMaker(keySentences)
