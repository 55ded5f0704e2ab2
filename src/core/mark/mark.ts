// What people say of a record without changing it: how important it is, that it is pinned, personal, to be kept, and in which
// collection it lies. Marks are shown with their record; they are stored beside it.
import type { JsonObject } from '../json/path.ts'

/** Absent: nobody said so. */
export type Marks = {
  /** Recall prefers it. */
  readonly pinned?: boolean
  /** 0 to 1; without one, recall takes a record for 0.5. */
  readonly importance?: number
  /** It is about the owner's own life. */
  readonly personal?: boolean
  /** It is not to be archived. */
  readonly keep?: boolean
  /** `People/Alice`: a name, with `/` between it and what it is below. */
  readonly collection?: string
}

/** What becomes of marks: a field that is null is taken away, one that is absent stays. */
export type MarkChange = { readonly [Name in keyof Marks]?: Marks[Name] | null | undefined }

/** Which marks there are, and of which type each is. */
export const markTypes = {
  pinned: 'boolean',
  importance: 'number',
  personal: 'boolean',
  keep: 'boolean',
  collection: 'text',
} as const satisfies Record<keyof Marks, 'boolean' | 'number' | 'text'>

export const markNames = Object.keys(markTypes) as readonly (keyof Marks)[]

/** The marks in a body; undefined when there are none. */
export function marksIn(body: JsonObject): Marks | undefined {
  const found = markNames.flatMap((name) => {
    const value = body[name]
    const type = markTypes[name] === 'text' ? 'string' : markTypes[name]
    return typeof value === type ? [[name, value] as const] : []
  })
  return found.length === 0 ? undefined : (Object.fromEntries(found) as Marks)
}
