// What the conditions of a reach are put together from.
import type { Fragment } from '../schema/column.ts'

export const yes: Fragment = { sql: '1', params: [] }
export const no: Fragment = { sql: '0', params: [] }

export function join(parts: readonly Fragment[], by: ' AND ' | ' OR '): Fragment {
  return { sql: `(${parts.map(({ sql }) => sql).join(by)})`, params: parts.flatMap(({ params }) => params) }
}

/** SQL for the segments and separators of a text as a JSON array: quoted first, so that no text can break out. */
export function segmentsOf(column: string): string {
  return `('[' || replace(replace(json_quote(${column}), ':', '",":","'), '.', '",".","') || ']')`
}
