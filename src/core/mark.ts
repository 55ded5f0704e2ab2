// Marks: a person's remarks about a record. The store keeps them in their own record; calls return them with the
// record.
import type { JsonObject } from './json/path.ts'
import { nameId } from './text/name-id.ts'

/** The marks of one record. An absent field is not set. */
export type Marks = {
  /** Recall prefers the record. */
  readonly pinned?: boolean
  /** 0 to 1. Recall uses 0.5 if absent. */
  readonly importance?: number
  /** The record is about the owner's own life. */
  readonly personal?: boolean
  /** The record must not be archived. */
  readonly keep?: boolean
  /** A name such as `People/Alice`; `/` separates the levels. */
  readonly collection?: string
}

/** A change of marks: null removes a field, an absent field stays unchanged. */
export type MarkChange = { readonly [Name in keyof Marks]?: Marks[Name] | null | undefined }

/** The value type of each mark. */
export const markTypes = {
  pinned: 'boolean',
  importance: 'number',
  personal: 'boolean',
  keep: 'boolean',
  collection: 'text',
} as const satisfies Record<keyof Marks, 'boolean' | 'number' | 'text'>

export const markNames = Object.keys(markTypes) as readonly (keyof Marks)[]

/** Returns the valid marks in a body; undefined without any. */
export function marksIn(body: JsonObject): Marks | undefined {
  const found = markNames.flatMap((name) => {
    const value = body[name]
    const type = markTypes[name] === 'text' ? 'string' : markTypes[name]
    return typeof value === type ? [[name, value] as const] : []
  })
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Marks)
}

/** Name of the kind of marks. */
export const markName = 'mark'

export const markId = (record: string): string => nameId(markName, record)
