// How far a guest's sync goes: which kinds it may send and fetch.
// Invariant: what says who may do what in a book (tokens, keys) and its rules are sent by nobody but the owner; and tokens
// and keys are fetched by nobody else unless a grant names them: who has a whole token can present it.
import { DaybookError } from '../core/errors.ts'
import type { GrantedKinds } from '../core/grant.ts'
import type { Kinds } from '../core/kind.ts'
import type { SyncRequest } from './protocol.ts'

export interface SyncReach {
  mayPush(kind: string): boolean
  mayPull(kind: string): boolean
  /** Every kind that may be fetched. */
  readonly pulled: readonly string[]
}

/** The reach that `granted` gives a guest. Kinds that this mirror does not know must be named in it. */
export function createSyncReach({ push, pull }: GrantedKinds, kinds: Kinds): SyncReach {
  const pulled = pull ?? [...kinds.values()].filter(({ guests }) => guests !== 'none').map(({ name }) => name)
  return {
    pulled,
    mayPull: (kind) => pulled.includes(kind),
    mayPush: (kind) =>
      kinds.get(kind)?.guests === undefined && (push ? push.includes(kind) : kinds.has(kind)),
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

/** Why an op of a kind that the sender may not send is never applied. */
export function pushFault(kind: string): DaybookError {
  return new DaybookError('forbidden', `The key may not send \`${kind}\`.`, {
    details: { path: 'kind', kind },
  })
}
