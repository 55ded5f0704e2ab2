// What is put into a book: a record under an id, under a name, or new.
// Invariant: what is known by a name has one id that follows from it. Somebody who does not see the whole book can't tell
// whether that id is free, and has an id of its own for the name.
import { nameHash } from './text/murmur.ts'
import type { JsonObject } from './json/path.ts'
import type { Scope } from './record.ts'
import type { Sensitivity } from './sealed.ts'

/** What a record is known by. */
export interface RecordName {
  readonly kind: string
  /** The id that the book has for it. */
  readonly id: string
  /** Names in scopes (see reach.ts) that every record under this id has: whoever reaches one of them sees what is there. */
  readonly scopes: readonly string[]
}

export interface PutRequest {
  readonly kind: string
  /** Absent: a new id. Present: that record is made or changed. */
  readonly id?: string
  /** In place of an id: the record of this name is made or changed. */
  readonly name?: RecordName | undefined
  readonly body: JsonObject
  /** Whose it is, and how sensitive; what is left out stays as it is, or is as the book and the kind say. */
  readonly scope?: Partial<Scope> & { readonly sensitivity?: Sensitivity | undefined }
  /** The body is known to fit its kind: the chapter that owns the kind has just checked it. */
  readonly checked?: boolean
  /** It says just this: what the record said beside the fields that its kind knows goes as well. */
  readonly exact?: boolean
  /** What it said before stays in its history in any case, also where only counts differ: somebody may want it back. */
  readonly keepsBefore?: boolean
  /** The book does this by itself, whoever's engine runs it: nobody decides anything by it. */
  readonly upkeep?: boolean
  /** When it was made and changed, for a record that comes back from elsewhere. Default: what is known, and now. */
  readonly times?: { readonly created_at: string; readonly updated_at: string }
}

/**
 * The id that `holder` has for what the book knows as `id`: with the same beginning, so that it is seen to be of its kind,
 * and then an empty name, which `nameId` never makes.
 */
export function holderId(id: string, holder: readonly string[]): string {
  const [lead = ''] = /^(?:[a-z_]+(?:::|-)|[a-z]+_(?=[0-9a-f]{32}$))/.exec(id) ?? []
  return `${lead.endsWith('::') ? `${lead}::` : lead}${nameHash('holder', id, ...holder)}`
}
