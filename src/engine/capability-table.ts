// The table of all verbs and kinds of records. All doors, and the types of a book, are derived from this table.
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
import { recallExplain } from '../recall/explain/explain-capability.ts'
import { recall } from '../recall/recall-capability.ts'
import { sync } from '../sync/sync-chapter.ts'
import { trust } from '../trust/trust.ts'
import { engineChapter } from './engine-chapter.ts'
import { logChapter } from './log-chapter.ts'
import { rememberChapter } from './remember-chapter.ts'
import { type CallNature, natureIn, portsOf, unknownVerb } from './verb-table.ts'

/** The order of the chapters is the order in the manifest and the guide. */
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
  recallExplain,
  rememberChapter,
  bundle,
  archive,
  room,
  pool,
  inbox,
  fileImport,
  sync,
  logChapter,
  engineChapter,
] as const

export const chapters: readonly Chapter[] = listed

type BookKind = (typeof listed)[number]['kinds'][number]
/** Types of records as verbs return them, by the name of their kind. */
export type RecordByKind = {
  readonly [K in BookKind as K['name']]: Stored<JsonObject> &
    OutputOf<K['schema']> & { readonly kind: K['name'] }
}

/** The types of all verbs, for the types of a book. */
export type CapabilityTable = readonly (typeof listed)[number]['capabilities'][number][]

/**
 * All verbs as `AnyCapability`: code that maps or searches a typed table makes the compiler compare the types of all
 * verbs.
 */
export const capabilityTable: readonly AnyCapability[] = chapters.flatMap(({ capabilities }) => capabilities)

/** The kinds of `trust` come first: exports and counts list tokens and keys first. */
export const kinds = createKinds(
  [trust, ...chapters.filter((one) => one !== trust)].flatMap((chapter) => chapter.kinds),
)

/** The ports of all chapters. */
export const chapterPorts = portsOf(chapters)

const byId: ReadonlyMap<string, AnyCapability> = new Map(
  chapters.flatMap(({ capabilities }) => capabilities.map((one) => [one.id, one])),
)

/** The effect of the capability `id`; undefined if there is no such capability. */
export function effectOf(id: string): CapabilityEffect | undefined {
  return byId.get(id)?.effect
}

/** Returns the capability `id`. Throws `unknown-capability`. */
export function findCapability(id: string): AnyCapability {
  const capability = byId.get(id)
  if (capability) return capability
  throw unknownVerb(id, byId.keys())
}

/** The facts that decide whether a call of the capability `id` may be sent twice. */
export const natureOf = (id: string): CallNature => natureIn(byId.get(id))
