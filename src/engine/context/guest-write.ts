// Checks writes by guests, and by agents on their owner's book.
// Invariant: no answer to a guest depends on whether a hidden record has an id. So a guest chooses a new id only if
// the guest sees the whole book, and a record that the guest puts by name gets the guest's own id if other callers
// may have the usual id.
import type { Guest } from '../../core/capability/caller.ts'
import { DaybookError } from '../../core/errors.ts'
import { type JsonObject, sameJson } from '../../core/json/path.ts'
import { foreignWord, isForeignId, isOwnersToDecide, type Kind, type Kinds } from '../../core/kind.ts'
import { holderId, type RecordName } from '../../core/record.ts'
import { isInReach, type NamedRecord, reachesName, reachText, seesAll } from '../../core/access/reach.ts'
import { isLowered, type Sensitivity } from '../../core/sealed.ts'

/** A record to be put, or a stored record. */
export interface Standing extends NamedRecord {
  /** True: the stored body is sealed and can't be read here; `body` is `{}`. */
  readonly isUnread?: boolean
  readonly sensitivity?: Sensitivity | undefined
}

/**
 * `possible`: the ids that the record `name` may have for the guest. `own`: the ids for a new record, which gets the
 * first free id. Policies and receipts don't change the ids, so a guest finds the records that it stored. `own` of a
 * guest: its reach before these narrow it.
 */
export function guestIds({ agent, own, reach: bounded }: Guest, { id, scopes }: RecordName) {
  const reach = own ?? bounded
  if (seesAll(reach)) return { possible: [id], own: [id] }
  const apart = holderId(id, [agent, reachText(reach)])
  return { possible: [id, apart], own: reachesName(reach, scopes) ? [id, apart] : [apart] }
}

/** True if the guest may choose `id` for a new record of `kind`. */
export function mayGiveId({ own, reach }: Guest, id: string, kind: string, kinds: Kinds): boolean {
  return seesAll(own ?? reach) && !isForeignId(id, kind, kinds)
}

/**
 * Throws `forbidden` unless the guest may put `record`. `before` is the record that it replaces, which the guest must
 * see; undefined: the record is new.
 */
export function checkGuestPut(
  guest: Guest,
  kinds: Kinds,
  record: Standing & { readonly kind: string },
  before: Standing | undefined,
): void {
  const kind = kinds.get(record.kind) as Kind
  // A guest may change a record of another agent: the record keeps that agent. A new record is in the guest's name.
  const isOwn = record.agent === (before?.agent ?? guest.agent)
  if (kind.guests || !isInReach(guest.reach, record, kinds) || !isOwn) throw outside()
  const path = foreignWord(kind, guest.agent, record.body, before?.body)
  if (path !== undefined) {
    throw new DaybookError('forbidden', `\`${path}\`: It is another name than that of the token.`, {
      details: { path },
    })
  }
  if (before && isLowered(record.sensitivity ?? kind.sensitivity, before.sensitivity ?? kind.sensitivity))
    throw lowering()
}

/** Throws `forbidden` if the put sets or changes a state that only the owner decides. */
export function checkUndecided(kind: Kind, body: JsonObject, before: Standing | undefined): void {
  const stored = before && { body: before.isUnread ? undefined : before.body }
  if (!isOwnersToDecide(kind, body, stored)) return
  throw new DaybookError('forbidden', `Only the owner of the book decides about a ${kind.name}.`, {
    details: { path: 'body', reason: 'owner-only' },
  })
}

/**
 * Throws `forbidden` if an agent on its owner's book decides for the owner, writes in another name, changes a record
 * of another agent, or makes a record less sensitive.
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

/**
 * Throws `forbidden` if an agent on its owner's book forgets a record of another agent, or a record the owner
 * decided.
 */
export function checkNamedForget(kind: Kind | undefined, agent: string, before: Standing): void {
  if (before.agent !== agent && kind?.shared !== true) throw anothers(agent)
  if (kind) checkUndecided(kind, before.body, before)
}

/**
 * Throws `forbidden` if an agent on its owner's book puts or forgets a record that grants rights, or a rule. Only the
 * owner changes these, under whichever name they are stored.
 */
export function checkNamedRule(kind: Kind | undefined, agent: string): void {
  if (kind?.guests !== 'none' && kind?.guests !== 'read') return
  throw new DaybookError(
    'forbidden',
    `A ${kind.name} is for the owner alone, and \`${agent}\` is an agent: call it on the book, or on a handle without \`agent\`.`,
    { details: { path: 'id', reason: 'proposer' } },
  )
}

/**
 * True if any agent may make the change: to a shared record, to a listener's fields of a message, or to counters
 * only.
 */
function isOpenToAll(kind: Kind, agent: string, body: JsonObject, before: Standing): boolean {
  if (kind.shared === true) return true
  if (before.isUnread) return false
  if (kind.speaker) return foreignWord(kind, agent, body, before.body) === undefined
  const withoutCounts = (one: JsonObject) =>
    Object.fromEntries(Object.entries(one).filter(([field]) => kind.counts?.includes(field) !== true))
  return kind.counts !== undefined && sameJson(withoutCounts(body), withoutCounts(before.body))
}

function anothers(agent: string): DaybookError {
  return new DaybookError(
    'forbidden',
    `\`${agent}\` writes and changes records in its own name: call it on the book, or on a handle without \`agent\`.`,
    { details: { path: 'agent', reason: 'another-agent' } },
  )
}

/**
 * Error for a lowered sensitivity. A less sensitive record may be stored and sent in clear: only the owner allows
 * that.
 */
export function lowering(): DaybookError {
  return new DaybookError('forbidden', 'Only the owner of the book makes a record less sensitive.', {
    details: { path: 'sensitivity' },
  })
}

/** Error for a record out of reach: the same whether the record exists or not. */
export function outside(): DaybookError {
  return new DaybookError('forbidden', 'It is not in the scope of the token.', { details: { path: 'scope' } })
}

/** Error for an id of no record that the guest sees: the same whether the record exists, existed, or never did. */
export function unseen(): DaybookError {
  return new DaybookError(
    'forbidden',
    'The token names only records that it sees. Leave the id out and one is made; a requestId makes the call safe to repeat.',
    { details: { path: 'id' } },
  )
}
