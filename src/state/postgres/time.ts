// The time in the state's statements, in milliseconds since 1970: the server's, or the one that is given as the first value
// (tests do that).

export const serverTime = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'
export const nowSql = `coalesce($1::bigint, ${serverTime})`
