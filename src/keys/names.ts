// Names that people give. Control characters have no look; those that turn the direction of writing make a list read as
// something else.
export const isUnwritable = (name: string): boolean =>
  /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u.test(name)
