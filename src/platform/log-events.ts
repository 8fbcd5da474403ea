// Every event of the log, once: its level (with several, the caller chooses) and its fields. What to do about it is in the chapter
// "The log" of docs/operate.md; a test compares the two, and knows a test that raises each event.
export const logEvents = {
  budget_used_up: ['warn', 'key limitMs'],
  certificate_changed: ['info', ''],
  certificate_not_changed: ['error', 'problem'],
  columns_missing: ['warn', 'columns remedy'],
  connection_ended: ['info warn', 'why address answers waited_ms'],
  console_failed: ['error', 'cause'],
  console_sign_in_refused: ['warn', 'address path status'],
  console_without_password: ['info', 'remedy'],
  copied: ['info debug', 'seconds is_whole read new changed deleted rounded'],
  copy_failed: ['error', 'seconds problem since'],
  copy_keeps_out: ['warn info', 'rows'],
  copy_process_ended: ['error', 'cause'],
  copy_recovered: ['info', 'since'],
  copy_remark: ['info', 'remark'],
  copy_waits: ['warn', 'relation had has lost'],
  copy_waits_over: ['info', 'relation'],
  data_lag: ['warn', 'seconds'],
  data_lag_over: ['info', 'seconds'],
  database_back: ['info', ''],
  database_lost: ['error', 'cause'],
  exposed: ['warn', 'problem remedy'],
  feed_held_back: ['warn', 'holder remedy seconds'],
  feed_held_back_over: ['info', ''],
  key_expires_soon: ['warn', 'key name expires days_left'],
  listener_failed: ['error', 'cause'],
  listening: ['info', 'https http console'],
  lists_by_columns: ['info', 'collection rows bytes from'],
  lists_by_plain_sql: ['warn', 'collections why'],
  lists_not_loaded: ['warn', 'collection cause'],
  lists_not_saved: ['warn', 'cause'],
  lists_void: ['warn', 'collection why'],
  loader_died: ['error', 'cause'],
  log_lines_dropped: ['warn', 'lines'],
  metrics_failed: ['error', 'cause'],
  metrics_refused: ['warn', 'address'],
  not_answered: ['error', 'cause'],
  not_taken_over: ['warn', 'pid cause'],
  reader_died: ['error', 'cause'],
  reader_not_stopped: ['error', 'cause'],
  reading_from_replica: ['info', 'seconds'],
  request: ['info error', 'request_id method path status ms address key hung_up code cause'],
  requests_cut: ['warn', 'requests'],
  self_signed_certificate: ['warn', 'path isNew'],
  state_back: ['info', ''],
  state_exchanged: ['error', 'problem'],
  state_lost: ['error', 'cause'],
  state_made: ['info', 'schema'],
  statement_stopped: ['warn', 'resource shows timeoutMs'],
  stopped: ['info', ''],
  stopping: ['info', 'signal'],
  too_many_connections: ['warn', 'address connections times'],
  took_over: ['info', 'pid'],
  unknown_code: ['warn', 'column code'],
  unparsed: ['info', 'request_id code cause address'],
} as const

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

type LogEvent = keyof typeof logEvents
// Those that have the level.
export type EventAt<Level extends string> = {
  [Event in LogEvent]: Level extends Words<(typeof logEvents)[Event][0]> ? Event : never
}[LogEvent]
export type FieldsOf<Event extends LogEvent> = Readonly<Partial<Record<Words<(typeof logEvents)[Event][1]>, unknown>>>
