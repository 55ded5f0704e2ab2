// The one table of all verbs and kinds of record. All doors, and the types of a book, derive from it.
import { archive } from '../bundle/archive.ts'
import { bundle, fileImport } from '../bundle/bundle.ts'
import { inbox } from '../commons/inbox/inbox.ts'
import { pool } from '../commons/pool/pool.ts'
import { room } from '../commons/room/room.ts'
import type { AnyCapability, CapabilityEffect } from '../core/capability/capability.ts'
import type { Chapter, ChapterPorts } from '../core/capability/chapter.ts'
import { DaybookError } from '../core/errors.ts'
import type { PortParts, WritePortParts } from '../core/capability/context.ts'
import type { Ledger, LedgerWriter } from '../core/capability/port/record-port.ts'
import { createKinds, type Kind } from '../core/kind.ts'
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

/** Without the types of each verb: whatever maps or searches the table would have the compiler compare all of them. */
export const capabilityTable: readonly AnyCapability[] = chapters.flatMap(({ capabilities }) => capabilities)

/** Exports and counts name tokens and keys first. */
export const kinds = createKinds(
  [trust, ...chapters.filter((one) => one !== trust)].flatMap((chapter) => chapter.kinds),
)

/** The ports that chapters bring. Each reaches records of its chapter's own kinds in the ledger, and no others. */
export const chapterPorts: Required<ChapterPorts> = {
  read: Object.assign(
    {},
    ...chapters.map(({ ports, kinds: own }) =>
      mapBuilders(ports?.read, (parts: PortParts) => ({ ...parts, own: readerOf(own, parts.own) })),
    ),
  ) as Required<ChapterPorts>['read'],
  write: Object.assign(
    {},
    ...chapters.map(({ ports, kinds: own }) =>
      mapBuilders(ports?.write, (parts: WritePortParts) => ({ ...parts, own: writerOf(own, parts.own) })),
    ),
  ) as Required<ChapterPorts>['write'],
}

/** `builders`, each of which gets its parts through `narrow`. */
function mapBuilders<Parts>(builders: object | undefined, narrow: (parts: Parts) => Parts): object {
  return Object.fromEntries(
    Object.entries(builders ?? {}).map(([name, build]: [string, (parts: Parts) => unknown]) => [
      name,
      (parts: Parts) => build(narrow(parts)),
    ]),
  )
}

const isOf = (own: readonly Kind[], kind: string) => own.some(({ name }) => name === kind)

function readerOf(own: readonly Kind[], ledger: Ledger): Ledger {
  return {
    get: getterOf(own, ledger),
    query: (query) => (isOf(own, query.kind) ? ledger.query(query) : { records: [] }),
  }
}

function writerOf(own: readonly Kind[], ledger: LedgerWriter): LedgerWriter {
  return {
    get: getterOf(own, ledger),
    wasForgotten: (id) => ledger.wasForgotten(id),
    put(request) {
      if (isOf(own, request.kind)) return ledger.put(request)
      throw new DaybookError('forbidden', `A ${request.kind} is no record of this chapter.`)
    },
  }
}

function getterOf(own: readonly Kind[], ledger: Pick<Ledger, 'get'>): Ledger['get'] {
  return (id) => {
    const found = ledger.get(id)
    return found && isOf(own, found.kind) ? found : undefined
  }
}

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
  throw new DaybookError('unknown-capability', `There is no capability \`${String(id).slice(0, 80)}\`.`, {
    details: { path: 'capability' },
  })
}

/** The facts about a capability that decide whether a call may be sent twice. */
export interface CallNature {
  readonly effect: CapabilityEffect
  /** True of a task that may run again from its start. Reads and writes may be sent twice anyway. */
  readonly repeatable: boolean
}

/** A call of an unknown capability only fails. */
export function natureOf(id: string): CallNature {
  const { effect, repeatable = false } = byId.get(id) ?? { effect: 'read', repeatable: true }
  return { effect, repeatable }
}
