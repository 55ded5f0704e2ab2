// The one table of all verbs and kinds of record. All doors, and the types of a book, derive from it.
import { archive } from '../bundle/archive.ts'
import { bundle, fileImport } from '../bundle/bundle.ts'
import { inbox } from '../commons/inbox/inbox.ts'
import { pool } from '../commons/pool/pool.ts'
import { room } from '../commons/room/room.ts'
import type { AnyCapability, CapabilityEffect } from '../core/capability/capability.ts'
import type { Chapter } from '../core/capability/chapter.ts'
import { createKinds } from '../core/kind.ts'
import type { JsonObject } from '../core/json/path.ts'
import type { Stored } from '../core/record.ts'
import type { OutputOf } from '../core/schema.ts'
import { checkpoint } from '../memory/checkpoint/checkpoint.ts'
import { consent } from '../memory/consent/consent.ts'
import { continuity } from '../memory/continuity/continuity.ts'
import { conversation } from '../memory/conversation/conversation.ts'
import { document } from '../memory/document/document.ts'
import { mark } from '../memory/mark/mark.ts'
import { kstar } from '../memory/kstar/kstar.ts'
import { recall } from '../recall/recall-capability.ts'
import { sync } from '../sync/sync-chapter.ts'
import { trust } from '../trust/trust.ts'
import { engineChapter } from './engine-chapter.ts'
import { type CallNature, natureIn, portsOf, unknownVerb } from './verb-table.ts'

/** In the order of the manifest and the guide. */
const listed = [
  kstar,
  mark,
  trust,
  conversation,
  consent,
  continuity,
  document,
  checkpoint,
  recall,
  bundle,
  archive,
  room,
  pool,
  inbox,
  fileImport,
  sync,
  engineChapter,
] as const

export const chapters: readonly Chapter[] = listed

type BookKind = (typeof listed)[number]['kinds'][number]
/** Records by kind, as they come back. */
export type RecordByKind = {
  readonly [K in BookKind as K['name']]: Stored<JsonObject> &
    OutputOf<K['schema']> & { readonly kind: K['name'] }
}

/** The types of all verbs, for the types of a book. */
export type CapabilityTable = readonly (typeof listed)[number]['capabilities'][number][]

/**
 * Without the types of each verb: whatever maps or searches the table would have the compiler compare all of them.
 */
export const capabilityTable: readonly AnyCapability[] = chapters.flatMap(({ capabilities }) => capabilities)

/** Exports and counts name tokens and keys first. */
export const kinds = createKinds(
  [trust, ...chapters.filter((one) => one !== trust)].flatMap((chapter) => chapter.kinds),
)

/** The ports that chapters bring. */
export const chapterPorts = portsOf(chapters)

const byId: ReadonlyMap<string, AnyCapability> = new Map(
  chapters.flatMap(({ capabilities }) => capabilities.map((one) => [one.id, one])),
)

/** The effect of the capability of that id, if there is one. */
export function effectOf(id: string): CapabilityEffect | undefined {
  return byId.get(id)?.effect
}

/** The capability of that id, or `unknown-capability`. */
export function findCapability(id: string): AnyCapability {
  const capability = byId.get(id)
  if (capability) return capability
  throw unknownVerb(id)
}

/** The nature of calls of that id. */
export const natureOf = (id: string): CallNature => natureIn(byId.get(id))
