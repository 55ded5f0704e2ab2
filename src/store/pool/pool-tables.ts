// The pool's own tables at this copy of a book: what was had, what came of it, what is to be sent, what waits, who is there.
// Invariant: changes stand exactly if the write does in which they were made; each table is bounded; nothing is synced.
import {
  type PoolApplicant,
  type PoolDispute,
  poolKeep,
  type PoolPort,
  type PoolWriter,
} from '../../core/pool/pool-port.ts'
import { recordIds } from '../../core/pool/pool-record-id.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { foldName } from '../../core/text/fold-name.ts'
import { formatTime } from '../../core/time.ts'
import { createPoolAudit } from './pool-audit.ts'
import { createPoolOutbox } from './pool-outbox.ts'
import { createPoolWaiting } from './pool-waiting.ts'

type PresenceRow = {
  readonly claw: string
  readonly instance: string
  readonly at: number
  readonly status: string
  readonly name: string | null
  readonly own: number
}

/** How the keys of envelopes begin that bring a proposal. */
const proposalKeys = 'knowledge:proposal:'

type PoolTables = PoolWriter & Pick<PoolPort, 'disputes'>

export function createPoolTables(db: SqlDatabase): PoolTables {
  const audit = createPoolAudit(db)
  const outbox = createPoolOutbox(db)
  const waiting = createPoolWaiting(db)
  const visitors = createVisitors()
  const instances = createInstances()
  let ownNames: Set<string> | undefined
  let revision = 0
  let proposalsGone = 0
  const { stopWaitingFor, abouts, ...waits } = waiting
  const { silenceRecord, proposals, ...sendings } = outbox
  const counted: PoolTables = {
    get revision() {
      return revision
    },
    get proposalsGone() {
      return proposalsGone
    },
    ...audit,
    ...sendings,
    ...waits,
    ...visitors,
    send(envelope, now) {
      revision += 1
      outbox.send(envelope, now)
    },
    wait(entry) {
      revision += 1
      waiting.wait(entry)
    },
    had: (claw, key) =>
      db.get<{ hash: string }>('SELECT hash FROM pool_keys WHERE claw = ? AND key = ?', [claw, key])?.hash,
    remember: (claw, key, hash) =>
      db.run('INSERT OR IGNORE INTO pool_keys (claw, key, hash) VALUES (?, ?, ?)', [claw, key, hash]),
    unremember: (claw, key) => db.run('DELETE FROM pool_keys WHERE claw = ? AND key = ?', [claw, key]),
    presence: () =>
      db
        .all<PresenceRow>('SELECT claw, instance, at, status, name, own FROM pool_presence ORDER BY claw')
        .map(({ claw, instance, at, status, name, own }) => ({
          claw,
          instance,
          at,
          status: status === 'stopping' ? 'stopping' : 'active',
          ...(name === null ? {} : { name }),
          own: own === 1,
          since: instances.since(claw, instance) ?? at,
        })),
    present({ claw, instance, at, status, name, own }) {
      const known = db.get<{ at: number; status: string }>(
        'SELECT at, status FROM pool_presence WHERE claw = ? AND instance = ?',
        [claw, instance],
      )
      if (known && known.at >= at) return false
      revision += 1
      const isBack = known?.status !== 'active' || at - known.at > poolKeep.activeMs
      instances.seen({ claw, instance, at, from: isBack ? undefined : known.at })
      db.run(
        `INSERT OR REPLACE INTO pool_presence (claw, instance, at, status, name, own) VALUES (?, ?, ?, ?, ?, ?)`,
        [claw, instance, at, status, name ?? null, own ? 1 : 0],
      )
      return true
    },
    own(claw) {
      const name = foldName(claw)
      db.run('INSERT OR IGNORE INTO pool_own (claw) VALUES (?)', [name])
      ownNames?.add(name)
    },
    isOwn(claw) {
      // Some may be written as no claw is now.
      ownNames ??= new Set(
        db.all<{ claw: string }>('SELECT claw FROM pool_own').map((one) => foldName(one.claw)),
      )
      return ownNames.has(foldName(claw))
    },
    proposed: () =>
      db
        .all<{ claw: string; key: string }>(
          `SELECT claw, key FROM pool_keys WHERE claw IN (SELECT claw FROM pool_own) AND key > ? AND key < ?
           ORDER BY n DESC LIMIT ?`,
          [proposalKeys, `${proposalKeys}\uffff`, poolKeep.proposed],
        )
        .map(({ claw, key }) => ({ claw, proposal: key.slice(proposalKeys.length) })),
    gone(kind, id) {
      if (kind !== 'pool_proposal') return silenceRecord(kind, id)
      proposalsGone += 1
      for (const proposal of new Set([...proposals(), ...abouts()]))
        if (recordIds.proposal(proposal) === id) counted.silence(proposal)
    },
    silence(proposal) {
      revision += 1
      outbox.silence(proposal)
      stopWaitingFor(proposal)
    },
    prune(now, carriers) {
      db.run('DELETE FROM pool_keys WHERE n <= (SELECT max(n) FROM pool_keys) - ?', [poolKeep.keys])
      db.run('DELETE FROM pool_presence WHERE at < ?', [now - poolKeep.presenceMs])
      instances.prune(now - poolKeep.presenceMs)
      audit.pruneAudit(formatTime(now - poolKeep.auditDays * 86_400_000))
      outbox.pruneOutbox(now - poolKeep.outboxDays * 86_400_000, carriers)
    },
  }
  return counted
}

/** Since when each instance has been there, as far as this start of the engine knows. */
function createInstances() {
  const spans = new Map<string, { since: number; at: number }>()
  const keyOf = (claw: string, instance: string) => JSON.stringify([claw, instance])
  return {
    since: (claw: string, instance: string) => spans.get(keyOf(claw, instance))?.since,
    /** `from`: when it was last heard of before, unless it was away between. */
    seen({
      claw,
      instance,
      at,
      from,
    }: Pick<PresenceRow, 'claw' | 'instance' | 'at'> & { from: number | undefined }) {
      const key = keyOf(claw, instance)
      const since = from === undefined ? at : (spans.get(key)?.since ?? from)
      spans.set(key, { since, at })
    },
    prune(before: number) {
      for (const [key, { at }] of spans) if (at < before) spans.delete(key)
    },
  }
}

/** Who asks in, and what is disputed. In memory: whoever is still there says so again, and the audit has what came of it. */
function createVisitors() {
  const applicants = new Map<string, PoolApplicant>()
  let disputes: PoolDispute[] = []
  return {
    applicants: () => [...applicants.values()].toReversed(),
    applied(one: PoolApplicant) {
      const key = JSON.stringify([one.claw, one.key])
      const before = applicants.get(key)
      applicants.delete(key)
      applicants.set(key, { ...before, ...one })
      if (applicants.size > poolKeep.applicants) applicants.delete(applicants.keys().next().value ?? '')
    },
    answered(claw: string) {
      for (const [key, one] of applicants) if (one.claw === claw) applicants.delete(key)
    },
    dispute(one: PoolDispute) {
      if (disputes.length < poolKeep.disputes) disputes.push(one)
    },
    disputes() {
      const since = disputes
      disputes = []
      return since
    },
  }
}
