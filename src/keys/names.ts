// Names that people give: something must be seen of them. Control characters have no look; those that turn the direction of
// writing make a list read as something else.
const turning = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u
const visible = /[\p{L}\p{N}\p{P}\p{S}]/u

export const isUnwritable = (name: string): boolean => turning.test(name) || !visible.test(name)
