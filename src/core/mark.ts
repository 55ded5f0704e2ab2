// Marks: remarks of people about a record that don't change it. They are stored beside the record and shown with it.
import type { JsonObject } from './json/path.ts'
import { nameId } from './text/name-id.ts'

/** An absent field is not set. */
export type Marks = {
  /** Recall prefers the record. */
  readonly pinned?: boolean
  /** 0 to 1. Recall takes 0.5 if absent. */
  readonly importance?: number
  /** The record is about the owner's own life. */
  readonly personal?: boolean
  /** The record must not be archived. */
  readonly keep?: boolean
  /** A name such as `People/Alice`; `/` separates the levels. */
  readonly collection?: string
}

/** A change of marks: null removes a field, an absent field stays. */
export type MarkChange = { readonly [Name in keyof Marks]?: Marks[Name] | null | undefined }

/** The type of each mark. */
export const markTypes = {
  pinned: 'boolean',
  importance: 'number',
  personal: 'boolean',
  keep: 'boolean',
  collection: 'text',
} as const satisfies Record<keyof Marks, 'boolean' | 'number' | 'text'>

export const markNames = Object.keys(markTypes) as readonly (keyof Marks)[]

/** Returns the marks in a body; undefined if it has no marks. */
export function marksIn(body: JsonObject): Marks | undefined {
  const found = markNames.flatMap((name) => {
    const value = body[name]
    const type = markTypes[name] === 'text' ? 'string' : markTypes[name]
    return typeof value === type ? [[name, value] as const] : []
  })
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Marks)
}

/** Kind name of marks. */
export const markName = 'mark'

export const markId = (record: string): string => nameId(markName, record)
