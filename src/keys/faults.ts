// Mistakes in what a person typed: a sentence, and its code and values for a page in another language.

export type FaultValues = Readonly<Record<string, string | number>>

export interface InputFault {
  readonly code: string
  readonly values: FaultValues
  readonly sentence: string
}

export const faultMaker =
  <Code extends string>(sentences: Readonly<Record<Code, (values: FaultValues) => string>>) =>
  (code: Code, values: FaultValues = {}): InputFault => ({ code, values, sentence: sentences[code](values) })

export const keySentences = {
  name_missing: () => 'A key needs a name.',
  name_invalid: ({ most }: FaultValues) =>
    `The name must have 1 to ${most} characters, none of them a control character.`,
  permissions_missing: () => 'A key needs permissions.',
  permission_unknown: ({ given, known }: FaultValues) =>
    `There is no permission ${JSON.stringify(given)}. Permissions: ${known}.`,
  permission_mistyped: ({ given, meant }: FaultValues) =>
    `There is no permission ${JSON.stringify(given)}. Did you mean ${meant}?`,
  stores_invalid: ({ given }: FaultValues) =>
    `Stores are ids such as 1,2, or none, or all; not ${JSON.stringify(given)}.`,
  price_list_invalid: ({ given }: FaultValues) =>
    `A price list is an id such as 3, or all; not ${JSON.stringify(given)}.`,
  rate_invalid: ({ given, most }: FaultValues) =>
    `The rate ${JSON.stringify(given)} is not a whole number of requests a minute from 1 to ${most}.`,
  expires_invalid: ({ given }: FaultValues) =>
    `The last day of a key is a day such as 2026-12-31, or never; not ${JSON.stringify(given)}.`,
  expires_past: ({ given }: FaultValues) => `${given} is over: a key can only end on a day to come, today included.`,
  addresses_missing: () => 'Addresses are such as 203.0.113.7 or 198.51.100.0/24, separated by commas, or all.',
  addresses_invalid: ({ given }: FaultValues) =>
    `${JSON.stringify(given)} is neither an IPv4 nor an IPv6 address or range. Addresses are such as 203.0.113.7 or 198.51.100.0/24, or all.`,
  addresses_prefix: ({ given, most }: FaultValues) =>
    `The prefix length of ${JSON.stringify(given)} is not a number from 0 to ${most}.`,
  addresses_host_bits: ({ given, range, one }: FaultValues) =>
    `${given} is not the beginning of a range: give ${range} for the whole range, or ${one} for this address alone.`,
  addresses_many: ({ most }: FaultValues) => `A key can have at most ${most} addresses and ranges.`,
  overlap_invalid: ({ given, least, most }: FaultValues) =>
    `The overlap ${JSON.stringify(given)} is not a time from ${least} to ${most}, such as 30m, 24h or 7d.`,
  rotation_under_way: ({ key, until }: FaultValues) =>
    `The key ${key} has two security codes already: the old one works until ${until}. "vitrine keys rotate ${key} --finish" ends it now.`,
  no_rotation: ({ key }: FaultValues) => `The key ${key} has one security code: no rotation is under way.`,
  enabled_and_disabled: () => 'Give --enable or --disable, not both.',
  nothing_to_change: () => 'Nothing to change was given.',
  changed_meanwhile: ({ name }: FaultValues) => `Somebody else has changed the key ${name} since you opened it.`,
  key_revoked: ({ key }: FaultValues) => `The key ${key} was revoked.`,
  key_unknown: ({ key }: FaultValues) => `There is no key ${key}. "vitrine keys list" shows them.`,
  key_mistyped: ({ key, meant }: FaultValues) => `There is no key ${key}. Did you mean ${meant}?`,
} as const

export const keyFault = faultMaker(keySentences)
