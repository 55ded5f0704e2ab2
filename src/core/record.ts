// A record: one remembered thing of one kind, as users see it and as it travels.
import type { Marks } from './mark/mark.ts'
import type { JsonObject } from './json/path.ts'
import type { SealedBody, SealedInfo, Sensitivity } from './sealed.ts'

/** What every record carries beside its body. Times are canonical UTC text (`2026-01-31T15:00:00.000Z`). */
export interface RecordHead {
  readonly id: string
  readonly kind: string
  readonly created_at: string
  readonly updated_at: string
  /** The mirror's version of this record; 0 until a mirror has acknowledged it. */
  readonly ver: number
  readonly agent: string
  readonly session?: string
  readonly resource?: string
  /** Absent: `standard`. */
  readonly sensitivity?: Sensitivity
  /** What was said of it; stored beside it. */
  readonly marks?: Marks
}

/** A record as it comes back: its head and, on the same level, its body. */
export type Stored<Body extends object> = RecordHead & Body

/** Names that belong to the head of a record and can't be fields of a body. */
export const headFields = [
  'id',
  'kind',
  'created_at',
  'updated_at',
  'ver',
  'agent',
  'session',
  'resource',
  'sensitivity',
  'marks',
] as const

/** The body of a record as it came back: all but its head. */
export function bodyOf(record: object): JsonObject {
  const head: ReadonlySet<string> = new Set(headFields)
  return Object.fromEntries(Object.entries(record).filter(([name]) => !head.has(name))) as JsonObject
}

/** The head of a record as it came back: all but its body. */
export function headOf(record: RecordHead): RecordHead {
  const head: ReadonlySet<string> = new Set(headFields)
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => head.has(name)),
  ) as unknown as RecordHead
}

/** Whose record it is: the agent that wrote it, the run it belongs to, the user or thing it is about. */
export interface Scope {
  readonly agent: string
  readonly session?: string
  readonly resource?: string
}

/** What of a scope is said for one call: the rest is as usual. */
export type CallScope = { readonly [Name in keyof Scope]?: string | undefined }

/** One version of a record. `body` is absent for one that was forgotten, and for one whose key is not here: then `sealed`. */
export interface RecordVersion {
  readonly version: number
  readonly at: string
  readonly agent: string
  readonly session?: string
  readonly resource?: string
  readonly op: 'put' | 'forget'
  readonly body?: JsonObject
  readonly sealed?: SealedInfo
  /** What is sealed and can't be opened here, and the kind that it is bound to. */
  readonly opaque?: { readonly kind: string; readonly enc: SealedBody }
}

/** How far a resolved write has come: into which medium it was committed. */
export type Durability = 'opfs' | 'indexeddb' | 'memory' | 'file' | 'durable-object' | 'postgres'
