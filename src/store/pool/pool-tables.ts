// The tables of the knowledge pool in this copy of a book: keys of received envelopes, audit, outbox, waiting
// envelopes, presence.
// Invariant: changes commit with the write that makes them. Each table has a limit. No sync includes them.
import {
  type PoolApplicant,
  type PoolDispute,
  poolKeep,
  type PoolPort,
  type PoolWaiting,
  type PoolWriter,
} from '../../core/pool.ts'
import { recordIds } from '../../core/text/name-id.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { foldName } from '../../core/text/fold.ts'
import { formatTime } from '../../core/time.ts'
import { createPoolAudit } from './pool-audit.ts'
import { createPoolOutbox } from './pool-outbox.ts'

/** Times are milliseconds since 1970 UTC. `own`: 1 for a claw of this book. */
type PresenceRow = {
  readonly claw: string
  readonly instance: string
  readonly at: number
  readonly status: string
  readonly name: string | null
  readonly own: number
}

/** Prefix of the keys of envelopes with proposals. */
const proposalKeyPrefix = 'knowledge:proposal:'

/** Reads and writes of the state of the pool: envelopes, audit, presence. `takeNewDisputes` also clears its list. */
type PoolTables = PoolWriter & Pick<PoolPort, 'takeNewDisputes'>

export function createPoolTables(db: SqlDatabase): PoolTables {
  const audit = createPoolAudit(db)
  const outbox = createPoolOutbox(db)
  const waiting = createPoolWaiting(db)
  /** Counts changes that other code caches by: an equal number means an equal state. */
  let revision = 0
  /** Counts proposals that were forgotten or sealed since the start of the engine. */
  let removedProposals = 0
  const { prunePresence, ...presence } = createPresence(db, () => void (revision += 1))
  const { stopWaitingFor, subjects, ...waitingMethods } = waiting
  const { clearEnvelopesOfRecord, proposalIds, ...outboxMethods } = outbox
  const dropProposalWords = (proposal: string) => {
    revision += 1
    outbox.dropProposalWords(proposal)
    stopWaitingFor(proposal)
  }
  return {
    get revision() {
      return revision
    },
    get removedProposals() {
      return removedProposals
    },
    ...audit,
    ...outboxMethods,
    ...waitingMethods,
    ...createApplicantsAndDisputes(),
    ...presence,
    ...createSeenKeys(db),
    dropProposalWords,
    send(envelope, now) {
      revision += 1
      outbox.send(envelope, now)
    },
    wait(entry) {
      revision += 1
      waiting.wait(entry)
    },
    dropRecordWords(kind, id) {
      if (kind !== 'pool_proposal') return clearEnvelopesOfRecord(kind, id)
      removedProposals += 1
      for (const proposal of new Set([...proposalIds(), ...subjects()]))
        if (recordIds.proposal(proposal) === id) dropProposalWords(proposal)
    },
    prune(now, carriers) {
      db.run('DELETE FROM pool_keys WHERE n <= (SELECT max(n) FROM pool_keys) - ?', [poolKeep.keys])
      prunePresence(now - poolKeep.presenceMs)
      audit.pruneAudit(formatTime(now - poolKeep.auditDays * 86_400_000))
      outbox.pruneOutbox(now - poolKeep.outboxDays * 86_400_000, carriers)
    },
  }
}

/** The keys of received envelopes, each with the hash of its envelope. */
function createSeenKeys(
  db: SqlDatabase,
): Pick<PoolTables, 'receivedHash' | 'remember' | 'unremember' | 'proposed'> {
  return {
    receivedHash: (claw, key) =>
      db.get<{ hash: string }>('SELECT hash FROM pool_keys WHERE claw = ? AND key = ?', [claw, key])?.hash,
    remember: (claw, key, hash) =>
      db.run('INSERT OR IGNORE INTO pool_keys (claw, key, hash) VALUES (?, ?, ?)', [claw, key, hash]),
    unremember: (claw, key) => db.run('DELETE FROM pool_keys WHERE claw = ? AND key = ?', [claw, key]),
    proposed: () =>
      db
        .all<{ claw: string; key: string }>(
          `SELECT claw, key FROM pool_keys WHERE claw IN (SELECT claw FROM pool_own) AND key > ? AND key < ?
           ORDER BY n DESC LIMIT ?`,
          [proposalKeyPrefix, `${proposalKeyPrefix}\uffff`, poolKeep.proposed],
        )
        .map(({ claw, key }) => ({ claw, proposal: key.slice(proposalKeyPrefix.length) })),
  }
}

type Presence = Pick<PoolTables, 'presence' | 'present' | 'own' | 'isOwn'> & {
  prunePresence(before: number): void
}

/** The claws that are present, and the names of own claws. `onChange`: runs before a change. */
function createPresence(db: SqlDatabase, onChange: () => void): Presence {
  const instances = createPresenceSpans()
  let ownNames: Set<string> | undefined
  return {
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
      const last = db.get<{ at: number; status: string }>(
        'SELECT at, status FROM pool_presence WHERE claw = ? AND instance = ?',
        [claw, instance],
      )
      if (last && last.at >= at) return false
      onChange()
      // Its presence begins again after a stop, or after a silence that is too long.
      const isBack = last?.status !== 'active' || at - last.at > poolKeep.activeMs
      instances.seen({ claw, instance, at, from: isBack ? undefined : last.at })
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
      // Rows of an earlier Daybook may have unfolded names.
      ownNames ??= new Set(
        db.all<{ claw: string }>('SELECT claw FROM pool_own').map((row) => foldName(row.claw)),
      )
      return ownNames.has(foldName(claw))
    },
    prunePresence(before) {
      db.run('DELETE FROM pool_presence WHERE at < ?', [before])
      instances.prune(before)
    },
  }
}

/** Since when each instance is present, in memory: a new engine starts again. */
function createPresenceSpans() {
  const spans = new Map<string, { since: number; at: number }>()
  const keyOf = (claw: string, instance: string) => JSON.stringify([claw, instance])
  return {
    since: (claw: string, instance: string) => spans.get(keyOf(claw, instance))?.since,
    /** `from`: when the instance was last seen; undefined when it was away since. */
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

/** Applicants and disputes, in memory only: applicants apply again, and the audit has the outcomes. */
function createApplicantsAndDisputes() {
  const applicants = new Map<string, PoolApplicant>()
  let disputes: PoolDispute[] = []
  return {
    applicants: () => [...applicants.values()].toReversed(),
    addApplicant(applicant: PoolApplicant) {
      const key = JSON.stringify([applicant.claw, applicant.key])
      const before = applicants.get(key)
      applicants.delete(key)
      applicants.set(key, { ...before, ...applicant })
      if (applicants.size > poolKeep.applicants) applicants.delete(applicants.keys().next().value ?? '')
    },
    removeApplicant(claw: string) {
      for (const [key, applicant] of applicants) if (applicant.claw === claw) applicants.delete(key)
    },
    dispute(dispute: PoolDispute) {
      if (disputes.length < poolKeep.disputes) disputes.push(dispute)
    },
    /** The disputes that are new since the last call. */
    takeNewDisputes() {
      const pending = disputes
      disputes = []
      return pending
    },
  }
}

/**
 * A waiting envelope. `about`: id of the awaited proposal or fact. `key`: its idempotency key. `source`: the carrier
 * that delivered it. `at`: when it arrived, `due`: when it waits no longer, in milliseconds since 1970 UTC.
 */
type WaitingRow = {
  readonly n: number
  readonly type: string
  readonly about: string
  readonly claw: string
  readonly key: string
  readonly text: string
  readonly source: string | null
  readonly at: number
  readonly due: number
}

/**
 * Envelopes that wait for another envelope: a vote for its proposal, a fact for its decision.
 * Invariant: an envelope waits until it is judged or due. Beyond `poolKeep.waiting`, the oldest are due at once.
 */
type WaitingTable = Pick<PoolWriter, 'wait' | 'stopWaiting' | 'waiting' | 'nextDue'> & {
  /** The subjects that envelopes wait for. */
  subjects(): string[]
  /** Drops the envelopes that wait for the subject `about`. */
  stopWaitingFor(about: string): void
}

const waitingColumns = 'n, type, about, claw, key, text, source, at, due'

function createPoolWaiting(db: SqlDatabase): WaitingTable {
  return {
    wait({ type, about, claw, key, text, fromCarrier = null, at, due }) {
      db.run(
        'INSERT INTO pool_waiting (type, about, claw, key, text, source, at, due) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
        [type, about, claw, key, text, fromCarrier, at, due],
      )
      db.run('UPDATE pool_waiting SET due = 0 WHERE n <= (SELECT max(n) FROM pool_waiting) - ?', [
        poolKeep.waiting,
      ])
    },
    stopWaiting: (n) => db.run('DELETE FROM pool_waiting WHERE n = ?', [n]),
    subjects: () =>
      db.all<{ about: string }>('SELECT DISTINCT about FROM pool_waiting').map(({ about }) => about),
    stopWaitingFor: (about) => db.run('DELETE FROM pool_waiting WHERE about = ?', [about]),
    waiting({ about, due }) {
      const rows =
        about === undefined
          ? db.all<WaitingRow>(
              `SELECT ${waitingColumns} FROM pool_waiting WHERE due <= ? ORDER BY due, n LIMIT 1000`,
              [due ?? Number.MAX_SAFE_INTEGER],
            )
          : db.all<WaitingRow>(`SELECT ${waitingColumns} FROM pool_waiting WHERE about = ? ORDER BY n`, [
              about,
            ])
      return rows.map(toWaiting)
    },
    nextDue: () =>
      db.get<{ due: number | null }>('SELECT min(due) AS due FROM pool_waiting')?.due ?? undefined,
  }
}

function toWaiting({ source, type, ...row }: WaitingRow): PoolWaiting {
  return { ...row, type: type as PoolWaiting['type'], ...(source === null ? {} : { fromCarrier: source }) }
}
