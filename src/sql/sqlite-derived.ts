// What SQLite derives from the relations by triggers, tallies and search indexes, has this in common: each holds a row that says
// under which version of the schema it was made. Any change of the schema raises that: a trigger that was taken away and put
// back, say, has missed what was written meanwhile, and nothing else would tell.

export interface Trigger {
  readonly name: string
  // As SQLite keeps it, so that one can be told from another.
  readonly statement: string
}

export const schemaVersion = '(SELECT schema_version FROM pragma_schema_version)'
