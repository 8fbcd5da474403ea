// Indexes of the parts of texts in PostgreSQL. What is written waits in a list of the index, and each search reads all of that list
// besides. The usual 4 MB took searches twice as long, and the till that filled them 80 ms; 64 kB, the least there is, take one
// writer in a hundred 3 ms. (Without a list each write would take half as long again.)

export const shortList = 'gin_pending_list_limit = 64'

export const trigramIndex = (term: string) => `USING gin (${term} gin_trgm_ops) WITH (${shortList})`
