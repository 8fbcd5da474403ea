// Indexes of the parts of texts in PostgreSQL. What is written waits in a list of the index, and each search reads all of that list
// besides. The usual 4 MB took searches twice as long, and the till that filled them 80 ms; 64 kB, the least there is, take one
// writer in a hundred 3 ms, and rows that are loaded in bulk half as long again. (Without a list each write would.)

export const shortList = 'gin_pending_list_limit = 64'
export const trigramSettings = ` WITH (${shortList})`

export const trigramIndex = (term: string) => `USING gin (${term} gin_trgm_ops)${trigramSettings}`
