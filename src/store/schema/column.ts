// Maps a dotted path to SQL: a column of a record's head, a hot column, or a place in the JSON body. The SQL has the
// aliases `r` for `records` and `f` for `facets`.
// Invariant: user text becomes a bound parameter, never SQL.
import { markNames, markTypes } from '../../core/mark.ts'
import type { FacetName, Kind } from '../../core/kind.ts'
import type { SqlValue } from '../../core/ports.ts'

export type ColumnType = 'text' | 'number' | 'boolean'

/** A column, or a place in the JSON of `r.body`. */
export type FieldPlace = ColumnPlace | JsonPlace
export interface ColumnPlace {
  readonly at: 'column'
  readonly sql: string
  readonly type: ColumnType
  /** True when the column can be null. */
  readonly optional: boolean
  /** For a hot column: the place in the body. For a value of another type the column is null, and only the body has it. */
  readonly body?: JsonPlace
  /** For a value inside a JSON column: that column. */
  readonly jsonColumn?: string
}
export interface JsonPlace {
  readonly at: 'json'
  readonly jsonPath: string
}

const headColumns: Readonly<Record<string, ColumnPlace>> = {
  id: { at: 'column', sql: 'r.id', type: 'text', optional: false },
  kind: { at: 'column', sql: 'f.kind', type: 'text', optional: false },
  agent: { at: 'column', sql: 'r.agent', type: 'text', optional: false },
  session: { at: 'column', sql: 'f.session', type: 'text', optional: true },
  resource: { at: 'column', sql: 'r.resource', type: 'text', optional: true },
  created_at: { at: 'column', sql: 'f.created_at', type: 'text', optional: false },
  updated_at: { at: 'column', sql: 'f.updated_at', type: 'text', optional: false },
  trust: { at: 'column', sql: "ifnull(r.trust, 'owner')", type: 'text', optional: false },
  ver: { at: 'column', sql: 'r.ver', type: 'number', optional: false },
  ...Object.fromEntries(
    markNames.map((name) => [
      `marks.${name}`,
      {
        at: 'column',
        sql: `json_extract(f.marks, '$.${name}')`,
        type: markTypes[name],
        optional: true,
        jsonColumn: 'f.marks',
      } satisfies ColumnPlace,
    ]),
  ),
}

/** The types of the hot columns, which a kind fills by its `facets`. */
export const facetTypes: Readonly<Record<FacetName, ColumnType>> = {
  happened_at: 'text',
  domain: 'text',
  actor: 'text',
  action: 'text',
  success: 'boolean',
  subject: 'text',
  confidence: 'number',
  schema: 'text',
  name: 'text',
  importance: 'number',
  pinned: 'boolean',
}

/** The place of `path` in records of `kind`. Undefined `kind`: hot columns are not used. */
export function fieldPlaceOf(path: string, kind: Kind | undefined): FieldPlace {
  const column = Object.hasOwn(headColumns, path) ? headColumns[path] : undefined
  if (column) return column
  const body: JsonPlace = {
    at: 'json',
    jsonPath: `$${path
      .split('.')
      .map((step) => `."${step}"`)
      .join('')}`,
  }
  for (const [facet, facetPath] of Object.entries(kind?.facets ?? {}) as [FacetName, string][]) {
    if (facetPath === path) {
      return {
        at: 'column',
        sql: `f.${facet}`,
        type: facetTypes[facet],
        // Without a date, `happened_at` is the time of creation.
        optional: facet !== 'happened_at',
        body,
      }
    }
  }
  return body
}

/** A piece of SQL, and its parameters in order. */
export interface Fragment {
  readonly sql: string
  readonly params: readonly SqlValue[]
}
