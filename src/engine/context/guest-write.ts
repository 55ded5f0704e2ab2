// What somebody who is not the owner may write, and under which ids.
// Invariant: whether an id is taken by what the guest does not see decides nothing that it is told. So it names no new ids
// unless it sees the whole book, and what it knows by a name has an id of its own where others may hold the book's.
import type { Guest } from '../../core/capability/caller.ts'
import { DaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import { foreignWord, isForeignId, isOwnersToDecide, type Kind, type Kinds } from '../../core/kind.ts'
import { holderId, type RecordName } from '../../core/put-request.ts'
import { isInReach, type NamedRecord, reachesName, reachText, seesAll } from '../../core/access/reach.ts'
import { isLowered, type Sensitivity } from '../../core/sealed.ts'

/** A record as it is about to stand, or as it stands. */
export interface Standing extends NamedRecord {
  /** Its body is sealed and can't be read here; then none is given. */
  readonly isUnread?: boolean
  readonly sensitivity?: Sensitivity | undefined
}

/**
 * The ids that what is known by `name` may have for the guest. A new one gets the first of `own` that is free. Neither policies
 * nor a receipt change them: what it has stored it finds again.
 */
export function guestIds({ agent, own, reach: bounded }: Guest, { id, scopes }: RecordName) {
  const reach = own ?? bounded
  if (seesAll(reach)) return { known: [id], own: [id] }
  const apart = holderId(id, [agent, reachText(reach)])
  return { known: [id, apart], own: reachesName(reach, scopes) ? [id, apart] : [apart] }
}

/** True when the guest may give a new record of `kind` this id. */
export function mayGiveId({ own, reach }: Guest, id: string, kind: string, kinds: Kinds): boolean {
  return seesAll(own ?? reach) && !isForeignId(id, kind, kinds)
}

/** Throws unless the guest may put `record` in the place of `before`, a record that it sees, if anything stands there. */
export function checkGuestPut(
  guest: Guest,
  kinds: Kinds,
  record: Standing & { readonly kind: string },
  before: Standing | undefined,
): void {
  const kind = kinds.get(record.kind) as Kind
  // A guest speaks for itself: it may change what another wrote, but not write in another's name.
  const isOwn = record.agent === (before?.agent ?? guest.agent)
  if (kind.guests || !isInReach(guest.reach, record, kinds) || !isOwn) throw outside()
  const path = foreignWord(kind, guest.agent, record.body, before?.body)
  if (path !== undefined) {
    throw new DaybookError('forbidden', `\`${path}\`: It speaks in another name than that of the token.`, {
      details: { path },
    })
  }
  if (before && isLowered(record.sensitivity ?? kind.sensitivity, before.sensitivity ?? kind.sensitivity))
    throw lowering()
}

/** Throws where a guest would bring about, or change, what the owner alone decides. */
export function checkUndecided(kind: Kind, body: JsonObject, before: Standing | undefined): void {
  const stands = before && { body: before.isUnread ? undefined : before.body }
  if (!isOwnersToDecide(kind, body, stands)) return
  throw new DaybookError('forbidden', `Only the owner of the book decides about a ${kind.name}.`, {
    details: { path: 'body', reason: 'owner-only' },
  })
}

/**
 * Throws where an agent that has the owner's book would decide what is the owner's to decide, write in another name than its own,
 * or change what another wrote.
 */
export function checkNamedPut(
  kind: Kind,
  agent: string,
  { body, sensitivity, agent: writer }: Pick<Standing, 'body' | 'sensitivity' | 'agent'>,
  before: Standing | undefined,
): void {
  checkUndecided(kind, body, before)
  if (writer !== (before?.agent ?? agent)) throw anothers(agent)
  if (before && before.agent !== agent && !isOpenToAll(kind, agent, body, before)) throw anothers(agent)
  if (before && isLowered(sensitivity ?? kind.sensitivity, before.sensitivity ?? kind.sensitivity))
    throw lowering()
}

/** Throws where an agent that has the owner's book would take away what another wrote, or what the owner has decided. */
export function checkNamedForget(kind: Kind | undefined, agent: string, before: Standing): void {
  if (before.agent !== agent && kind?.shared !== true) throw anothers(agent)
  if (kind) checkUndecided(kind, before.body, before)
}

/** What belongs to no agent, what a listener says of a message, and how often something was of use. */
function isOpenToAll(kind: Kind, agent: string, body: JsonObject, before: Standing): boolean {
  if (kind.shared === true) return true
  if (before.isUnread) return false
  if (kind.speaker) return foreignWord(kind, agent, body, before.body) === undefined
  const said = (one: JsonObject) =>
    Object.fromEntries(Object.entries(one).filter(([field]) => kind.counts?.includes(field) !== true))
  return kind.counts !== undefined && sameJson(said(body), said(before.body))
}

function anothers(agent: string): DaybookError {
  return new DaybookError(
    'forbidden',
    `\`${agent}\` writes and changes records in its own name: call it on the book, or on a handle without \`agent\`.`,
    { details: { path: 'agent', reason: 'another-agent' } },
  )
}

/** What is guarded less than before may be stored and sent in clear: that is the owner's to decide. */
export function lowering(): DaybookError {
  return new DaybookError('forbidden', 'Only the owner of the book makes a record less sensitive.', {
    details: { path: 'sensitivity' },
  })
}

/** One error for all that is out of reach, there or not. */
export function outside(): DaybookError {
  return new DaybookError('forbidden', 'It is not in the scope of the token.', { details: { path: 'scope' } })
}

/** One error for every id that is not of a record which the guest sees, whatever stands there or stood there. */
export function unseen(): DaybookError {
  return new DaybookError(
    'forbidden',
    'The token names only records that it sees. Leave the id out and one is made; a requestId makes the call safe to repeat.',
    { details: { path: 'id' } },
  )
}
