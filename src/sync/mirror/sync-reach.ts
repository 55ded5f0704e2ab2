// The reach of a guest's sync: kinds that it may send and fetch, links that it may see, and the agent that it writes
// as.
// Invariant: only the owner sends tokens, keys and rules; a guest fetches tokens and keys only if its grant names
// them. No guest sends or fetches records under policies (memories), or fetches records made from them. A guest gets
// ids of other records only if it may fetch those records; hidden ids survive when it sends the record back.
import { DaybookError } from '../../core/errors.ts'
import { type Caller, type Guest, topHolder } from '../../core/capability/caller.ts'
import { isByPolicy, isScoped, type Kinds } from '../../core/kind.ts'
import { permitsForget } from '../../core/access/permission.ts'
import type { SyncRequest, WireOp } from '../wire/protocol.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { withHiddenLinks, withShownLinks } from '../../core/record-link.ts'
import { sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { encodeChange, toWireChange } from '../wire/wire-op.ts'

export interface SyncReach {
  mayPush(kind: string): boolean
  mayPull(kind: string): boolean
  /** All kinds that the guest may fetch. */
  readonly fetchableKinds: readonly string[]
  /** The agent that the guest writes as. */
  readonly agent: string
  /** The guest whose quota counts: the one that the owner admitted. */
  readonly payer: string
  /** True if the guest may forget records, and seal records that others read. */
  readonly mayForget: boolean
}

type SyncGuest = Pick<Guest, 'agent' | 'holders' | 'permissions' | 'granted'>

/** Returns the reach of a caller; undefined for the owner, who has no limits. */
export function syncReachOf(caller: Caller, kinds: Kinds): SyncReach | undefined {
  return caller.role === 'owner' ? undefined : createSyncReach(caller, kinds)
}

/** Returns the reach of a guest's grant. A kind that this mirror doesn't know must be in the grant. */
export function createSyncReach(guest: SyncGuest, kinds: Kinds): SyncReach {
  const { agent, permissions, granted = {} } = guest
  // The kinds that the grant names; undefined: no limit by the grant.
  const { push, pull } = granted
  // Policies decide about single records, but a sync includes whole kinds.
  const isWithoutPolicies = (name: string) => kinds.get(name)?.byPolicy !== true
  /** False also for a kind that is made from records under policies. */
  const isFreeOfPolicies = (name: string) => {
    const kind = kinds.get(name)
    return !kind || !isByPolicy(kind, kinds)
  }
  const fetchableKinds = (pull ?? [...kinds.values()].filter(isScoped).map(({ name }) => name)).filter(
    isFreeOfPolicies,
  )
  return {
    fetchableKinds,
    agent,
    payer: topHolder(guest).agent,
    mayForget: permitsForget(permissions),
    mayPull: (kind) => fetchableKinds.includes(kind),
    mayPush: (kind) =>
      isWithoutPolicies(kind) &&
      kinds.get(kind)?.guests === undefined &&
      (push ? push.includes(kind) : kinds.has(kind)),
  }
}

/** Limits `request` to kinds that the guest may fetch. Throws `forbidden` if it names another kind. */
export function withinReach(request: SyncRequest, { mayPull, fetchableKinds }: SyncReach): SyncRequest {
  const { pull } = request
  const closed = pull.kinds?.findIndex((kind) => !mayPull(kind)) ?? -1
  if (closed >= 0) {
    throw new DaybookError('forbidden', `The key may not fetch \`${pull.kinds?.[closed]}\`.`, {
      details: { path: `pull.kinds.${closed}`, kinds: fetchableKinds },
    })
  }
  return { ...request, pull: { ...pull, kinds: pull.kinds ?? [...fetchableKinds] } }
}

type LinkStore = Pick<BookStore, 'records' | 'kinds' | 'device'>

const createIsVisible =
  ({ records }: LinkStore, reach: SyncReach) =>
  (id: string) => {
    const row = records.row(id)
    return row !== undefined && records.isFetchable(row, reach.fetchableKinds)
  }

/** Returns a change, or a side of a conflict, without links that the guest may not see. */
export function withoutHiddenLinks<Content extends object>(
  store: LinkStore,
  kind: string,
  content: Content,
  reach: SyncReach | undefined,
): Content {
  const { body } = content as { readonly body?: JsonObject }
  if (!reach || !body) return content
  const shown = withShownLinks(store.kinds.get(kind), body, createIsVisible(store, reach))
  return shown === body ? content : { ...content, body: shown }
}

/** Returns a row as an encoded change for the guest. */
export function encodeVisibleChange(store: LinkStore, row: RecordRow, reach: SyncReach | undefined): string {
  const hasLinks = store.kinds.get(row.kind)?.links !== undefined
  if (!reach || !hasLinks || row.deleted || sealedOf(row.body)) return encodeChange(row, store.device)
  return JSON.stringify(withoutHiddenLinks(store, row.kind, toWireChange(row, store.device), reach))
}

/** Returns an op of a guest with the hidden links of the stored record in `row`. */
export function withStoredHiddenLinks(
  store: LinkStore,
  op: WireOp,
  row: RecordRow | undefined,
  reach: SyncReach,
): WireOp {
  const kind = store.kinds.get(op.kind)
  if (op.op !== 'put' || !op.body || !kind?.links) return op
  if (!row || row.deleted || row.kind !== op.kind || sealedOf(row.body)) return op
  const stored = JSON.parse(row.body) as JsonObject
  return { ...op, body: withHiddenLinks(kind, op.body, stored, createIsVisible(store, reach)) }
}
