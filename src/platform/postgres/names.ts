// Quotes names that an installation chooses, such as its schema.
export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`
