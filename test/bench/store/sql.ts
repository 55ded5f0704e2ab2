// The table that the SQL stores share: the trace as JSON, and beside it the three columns that are indexed.
import type { BenchTrace } from '../peer.ts'

export const createTable = [
  'CREATE TABLE traces (id TEXT PRIMARY KEY, timestamp TEXT NOT NULL, domain TEXT NOT NULL, action TEXT NOT NULL, body TEXT NOT NULL)',
  'CREATE INDEX traces_timestamp ON traces (timestamp)',
  'CREATE INDEX traces_domain ON traces (domain)',
  'CREATE INDEX traces_action ON traces (action)',
]
export const insertTrace = 'INSERT INTO traces (id, timestamp, domain, action, body) VALUES (?, ?, ?, ?, ?)'
export const selectByDomain = 'SELECT body FROM traces WHERE domain = ? LIMIT 20'
export const countTraces = 'SELECT count(*) AS n FROM traces'

/** The parameters of `insertTrace`. */
export function traceRow(trace: BenchTrace): string[] {
  return [trace.id ?? '', trace.timestamp, trace.situation.domain, trace.action.type, JSON.stringify(trace)]
}
