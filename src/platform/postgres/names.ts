// The names of an installation in SQL: a schema may be called anything.
export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`
