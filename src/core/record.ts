// A record: one remembered item of one kind, as users see it and as it travels.
import type { Marks } from './mark.ts'
import type { SealedBody, SealedInfo, Sensitivity } from './sealed.ts'
import { nameHash } from './text/text-key.ts'
import type { JsonObject } from './json/path.ts'

/** Fields of every record beside its body. Times are canonical UTC text (`2026-01-31T15:00:00.000Z`). */
export interface RecordHead {
  readonly id: string
  readonly kind: string
  readonly created_at: string
  readonly updated_at: string
  /** The mirror's version of this record; 0 until a mirror acknowledges it. */
  readonly ver: number
  readonly agent: string
  readonly session?: string
  readonly resource?: string
  /** Absent: `standard`. */
  readonly sensitivity?: Sensitivity
  /** Marks of the record, stored beside it. */
  readonly marks?: Marks
}

/** A record as calls return it: head and body fields on one level. */
export type Stored<Body extends object> = RecordHead & Body

/** Fields of the head; no body may have a field of such a name. */
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

/** Body of a returned record: all fields but the head's. */
export function bodyOf(record: object): JsonObject {
  const head: ReadonlySet<string> = new Set(headFields)
  return Object.fromEntries(Object.entries(record).filter(([name]) => !head.has(name))) as JsonObject
}

/** Head of a returned record. */
export function headOf(record: RecordHead): RecordHead {
  const head: ReadonlySet<string> = new Set(headFields)
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => head.has(name)),
  ) as unknown as RecordHead
}

/** Owner and subject of a record: the agent that wrote it, the run it belongs to, the user or thing it is about. */
export interface Scope {
  readonly agent: string
  readonly session?: string
  readonly resource?: string
}

/** Scope of one call. Absent fields take the defaults. */
export type CallScope = { readonly [Name in keyof Scope]?: string | undefined }

/** One version of a record. A forgotten version has no `body`; a version whose key is missing has `sealed` instead. */
export interface RecordVersion {
  readonly version: number
  readonly at: string
  readonly agent: string
  readonly session?: string
  readonly resource?: string
  readonly op: 'put' | 'forget'
  readonly body?: JsonObject
  readonly sealed?: SealedInfo
  /** A sealed body that can't be opened here, with the kind it is bound to. */
  readonly opaque?: { readonly kind: string; readonly enc: SealedBody }
}

/** Medium to which a resolved write was committed. */
export type Durability = 'opfs' | 'indexeddb' | 'memory' | 'file' | 'durable-object' | 'postgres'

/**
 * Identity of a record with a name. Invariant: a name gives one id. A caller who doesn't see the whole book can't tell
 * whether that id is free, so it gets an id of its own (`holderId`).
 */
export interface RecordName {
  readonly kind: string
  /** The book's id for the name. */
  readonly id: string
  /** Scope names (see reach.ts) of every record with this id: a caller who reaches one of them sees the record. */
  readonly scopes: readonly string[]
}

/** A write of one record: under an id, under a name, or new. */
export interface PutRequest {
  readonly kind: string
  /** Absent: a new id. Present: creates or changes that record. */
  readonly id?: string
  /** Instead of an id: creates or changes the record of this name. */
  readonly name?: RecordName | undefined
  readonly body: JsonObject
  /** Scope and sensitivity. Absent fields stay as they are, or take the defaults of the book and the kind. */
  readonly scope?: Partial<Scope> & { readonly sensitivity?: Sensitivity | undefined }
  /** True: the kind's chapter has just checked the body. */
  readonly checked?: boolean
  /** True: the body is complete; unknown fields of the stored record are removed. */
  readonly exact?: boolean
  /** True: history keeps the earlier version even if only counts differ, because somebody may restore it. */
  readonly keepsBefore?: boolean
  /** True: the book's own maintenance, in any engine. It decides nothing for a person. */
  readonly upkeep?: boolean
  /** Times of a record that is restored from elsewhere. Default: the stored ones, and now. */
  readonly times?: { readonly created_at: string; readonly updated_at: string }
}

/**
 * Returns the id that `holder` uses for the book's `id`: the same prefix, then an empty name, which `nameId` never
 * produces.
 */
export function holderId(id: string, holder: readonly string[]): string {
  const [prefix = ''] = /^(?:[a-z_]+(?:::|-)|[a-z]+_(?=[0-9a-f]{32}$))/.exec(id) ?? []
  return `${prefix.endsWith('::') ? `${prefix}::` : prefix}${nameHash('holder', id, ...holder)}`
}
