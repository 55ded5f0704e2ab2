// A record: one remembered item of one kind, in the form of calls and sync.
import type { Marks } from './mark.ts'
import type { SealedBody, SealedInfo, Sensitivity } from './sealed.ts'
import { nameHash } from './text/text-key.ts'
import type { Trust } from './trusted.ts'
import type { JsonObject } from './json/path.ts'

/** Fields of every record besides its body. Times are canonical UTC text (`2026-01-31T15:00:00.000Z`). */
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
  /** Absent: `owner`. */
  readonly trust?: Trust
  /** Marks of the record, stored in a record of their own. */
  readonly marks?: Marks
}

/** A record in the form of calls: fields of head and body on one level. */
export type Stored<Body extends object> = RecordHead & Body

/** Names of head fields. No body may contain one of them. */
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
  'trust',
  'marks',
] as const

/** Returns the body of a record in the form of calls. */
export function bodyOf(record: object): JsonObject {
  const head: ReadonlySet<string> = new Set(headFields)
  return Object.fromEntries(Object.entries(record).filter(([name]) => !head.has(name))) as JsonObject
}

/** Returns the head of a record in the form of calls. */
export function headOf(record: RecordHead): RecordHead {
  const head: ReadonlySet<string> = new Set(headFields)
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => head.has(name)),
  ) as unknown as RecordHead
}

/** Owner and subject of a record: the agent that wrote it, its run, and the user or thing that it is about. */
export interface Scope {
  readonly agent: string
  readonly session?: string
  readonly resource?: string
  /** Highest trust of the records that are written in this scope. Absent: `owner`. */
  readonly trust?: Trust
}

/** Scope of one call. Absent fields take the default. */
export type CallScope = { readonly [Name in keyof Scope]?: Scope[Name] | undefined }

/** One version of a record. A forget has no `body`; a version with a missing key has `sealed` instead. */
export interface RecordVersion {
  /** The local version of the record: 1 for a new record, 1 more after each change in this copy. */
  readonly version: number
  readonly at: string
  readonly agent: string
  readonly session?: string
  readonly resource?: string
  readonly trust?: Trust
  readonly op: 'put' | 'forget'
  readonly body?: JsonObject
  readonly sealed?: SealedInfo
  /** The whole sealed body, beside its facts in `sealed`, and the kind that it is bound to. */
  readonly opaque?: { readonly kind: string; readonly enc: SealedBody }
}

/** Storage to which a resolved write was committed. */
export type Durability = 'opfs' | 'indexeddb' | 'memory' | 'file' | 'durable-object' | 'postgres'

/**
 * Identity of a record with a name.
 *
 * Invariant: a name gives one id. A caller who may not see the whole book can't know whether that id is free, so it
 * gets its own id (`holderId`).
 */
export interface RecordName {
  readonly kind: string
  /** The book's id for the name. */
  readonly id: string
  /** Scope names (see reach.ts) of every record with this id. A caller whose reach includes one sees the record. */
  readonly scopes: readonly string[]
}

/** A write of one record: by id, by name, or new. */
export interface PutRequest {
  readonly kind: string
  /** Creates or changes the record with this id. Absent: a new id. */
  readonly id?: string
  /** In place of `id`: creates or changes the record with this name. */
  readonly name?: RecordName | undefined
  readonly body: JsonObject
  /** Scope and sensitivity. Absent fields stay unchanged, or take the defaults of the book and the kind. */
  readonly scope?: Partial<Scope> & { readonly sensitivity?: Sensitivity | undefined }
  /** The owner's decision about the trust of the record, which may raise it. */
  readonly vouches?: Trust
  /** True: the kind's chapter has already checked the body. */
  readonly checked?: boolean
  /** True: the body is complete; unknown fields of the stored record are removed. Default: they stay. */
  readonly exact?: boolean
  /** True: history keeps the earlier version even if only counts differ, so that a person can restore it. */
  readonly keepsBefore?: boolean
  /** True: maintenance of the book, in any engine, which decides nothing for a person. */
  readonly upkeep?: boolean
  /**
   * The put restores a logged edit with its scope: no defaults apply, the record stays at least as sensitive as it was,
   * and a forgotten one gets this creation time.
   */
  readonly restores?: { readonly created_at?: string | undefined }
  /** Times of a restored record. Default: the stored creation time, and now. */
  readonly times?: { readonly created_at: string; readonly updated_at: string }
}

/**
 * Returns the id that a guest uses in place of the book's `id`: the same prefix, an empty name, which `nameId` never
 * produces, and a hash. `holder`: texts that identify the guest, such as its agent and its reach. An a2p id ends in 32
 * hexadecimal digits, so its prefix gets no empty name.
 */
export function holderId(id: string, holder: readonly string[]): string {
  const [prefix = ''] = /^(?:[a-z_]+::|[a-z]+_(?=[0-9a-f]{32}$))/.exec(id) ?? []
  return `${prefix.endsWith('::') ? `${prefix}::` : prefix}${nameHash('holder', id, ...holder)}`
}
