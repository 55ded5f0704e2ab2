// How far a guest's sync goes: which kinds it may send and fetch, what of the book it knows by that, and in whose name.
// Invariant: what says who may do what in a book (tokens, keys) and its rules are sent by nobody but the owner; and tokens
// and keys are fetched by nobody else unless a grant names them: who has a whole token can present it. What policies decide
// about (memories) is neither sent nor fetched, nor is what may be made from it fetched.
import { DaybookError } from '../../core/errors.ts'
import { type Caller, type Guest, topHolder } from '../../core/capability/caller.ts'
import { isByPolicy, isScoped, type Kinds } from '../../core/kind.ts'
import { permits } from '../../core/access/permission.ts'
import type { SyncRequest } from './protocol.ts'

export interface SyncReach {
  mayPush(kind: string): boolean
  mayPull(kind: string): boolean
  /** Every kind that the guest may fetch. */
  readonly pulled: readonly string[]
  /** In whose name the guest writes. */
  readonly agent: string
  /** For whom it counts what it stores: the guest that the owner let in. */
  readonly payer: string
  /** True when it may forget records, and seal what others read. */
  readonly mayForget: boolean
}

/** What decides how far somebody's sync goes. */
export type SyncGuest = Pick<Guest, 'agent' | 'holders' | 'permissions' | 'granted'>

/** The reach of whoever calls: the owner's has no end. */
export function syncReachOf(caller: Caller, kinds: Kinds): SyncReach | undefined {
  return caller.role === 'owner' ? undefined : createSyncReach(caller, kinds)
}

/** The reach that its grant gives a guest. Kinds that this mirror does not know must be named in it. */
export function createSyncReach(guest: SyncGuest, kinds: Kinds): SyncReach {
  const { agent, permissions, granted = {} } = guest
  const { push, pull } = granted
  // Policies decide record by record, and a sync carries kinds.
  const isOpen = (name: string) => kinds.get(name)?.byPolicy !== true
  const isCarried = (name: string) => {
    const kind = kinds.get(name)
    return !kind || !isByPolicy(kind, kinds)
  }
  const pulled = (pull ?? [...kinds.values()].filter(isScoped).map(({ name }) => name)).filter(isCarried)
  return {
    pulled,
    agent,
    payer: topHolder(guest).agent,
    mayForget: permits(permissions, { id: 'kstar:forget', permission: 'forget' }),
    mayPull: (kind) => pulled.includes(kind),
    mayPush: (kind) =>
      isOpen(kind) && kinds.get(kind)?.guests === undefined && (push ? push.includes(kind) : kinds.has(kind)),
  }
}

/** `request` as the reach allows: it fetches what it may. What it names and may not fetch is `forbidden`. */
export function withinReach(request: SyncRequest, { mayPull, pulled }: SyncReach): SyncRequest {
  const { pull } = request
  const closed = pull.kinds?.findIndex((kind) => !mayPull(kind)) ?? -1
  if (closed >= 0) {
    throw new DaybookError('forbidden', `The key may not fetch \`${pull.kinds?.[closed]}\`.`, {
      details: { path: `pull.kinds.${closed}`, kinds: pulled },
    })
  }
  return { ...request, pull: { ...pull, kinds: pull.kinds ?? [...pulled] } }
}
