// The edge's half of sync: one request, one transaction, in which ops are admitted in order and changes read.
// Invariant: an op takes effect once. Its answer is stored with its effect and given again to whoever sends it again.
import { DaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { textKey } from '../../core/text/text-key.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import { seenWithinMs, type StoredAnswer } from '../../store/record/device-log.ts'
import { admitOp, type Answer } from './admit.ts'
import { readChanges } from './change-page.ts'
import { rangeEnds, toDigest } from '../wire/digest.ts'
import { dropMarks, giveMark, knowsMark } from '../wire/mark.ts'
import {
  mirrorLimits,
  parseSyncRequest,
  readJson,
  schemaNumber,
  type SyncRequest,
  type SyncResponse,
  type WireChange,
  type WireOp,
  type WireResult,
  wireVersion,
} from '../wire/protocol.ts'
import { shownTo } from './guest-link.ts'
import { admitGuestOp, guestId } from './guest-op.ts'
import { type SyncReach, withinReach } from '../wire/sync-reach.ts'
import { toChange } from '../wire/wire-op.ts'

export interface MirrorOptions {
  readonly store: BookStore
  readonly clock: Clock
  readonly random: Random
  /** When a book of this name was erased, where this one was begun anew after that. */
  readonly erasedAt?: string | undefined
}

/** A mirror keeps tombstones, and its answers to devices that stay away, at least this long. */
export const keepMs = 90 * 86_400_000

export interface MirrorAnswer {
  /** A `SyncResponse` as it travels. */
  readonly text: string
  /** Whom it answers, how far he has read then, and whether there is more. */
  readonly device: string
  readonly cursor: number
  readonly more: boolean
}

/** Ops of a request: of which kinds, and how many. */
interface OpTally {
  readonly kinds: readonly string[]
  readonly count: number
}

/** What of a request is taken for the first time, and what is refused then, by the code of its error. */
export interface TakenOps extends OpTally {
  readonly refused: readonly (OpTally & { readonly code: string })[]
}

export interface Mirror {
  /** Takes away tombstones and stored answers that nobody can need any more; answers how many tombstones. */
  tidy(): Promise<number>
  /**
   * Answers one request of a device, which is JSON, or throws `DaybookError`; then nothing of the request took effect. With
   * a `reach`, the mirror takes and gives only kinds within it. `taken` hears what it took, inside the transaction.
   */
  exchange(request: string, reach?: SyncReach, taken?: (ops: TakenOps) => void): Promise<MirrorAnswer>
}

/** One request while it is answered. */
interface Exchange {
  readonly request: SyncRequest
  readonly reach: SyncReach | undefined
  readonly nowMs: number
  /** The answers that this request brought into being, by the number of their op. */
  readonly fresh: Map<number, StoredAnswer>
}

/** What tells whether an op was answered before: the highest number taken from its device, and a key of its bytes. */
interface Sent {
  readonly lastMid: number
  readonly hash: string
}

/** The mirror over `store`, which was opened with the role `mirror`. */
export function createMirror({ store, clock, random, erasedAt }: MirrorOptions): Mirror {
  const { records, settings, devices, sums } = store
  const { begin, check: checkLife } = createLife(settings, random, erasedAt)
  store.db.transaction(() => {
    if (settings.get('epoch') === undefined) begin()
  })

  /** True when a device of this epoch has what this mirror has no memory of: it was set back to an earlier state. */
  const isSetBack = ({ device, epoch, pull, ackedMid, mark }: SyncRequest) => {
    if (epoch === null || epoch !== settings.get('epoch')) return false
    const isAhead = pull.cursor > settings.getNumber('head') || ackedMid > devices.lastMid(device)
    return isAhead || (mark !== undefined && !knowsMark(settings, mark))
  }

  /** Refuses a device whose idea of this mirror is not of this mirror: it must start over before it may push. */
  const checkPlace = ({ epoch: theirs, pull, ackedMid, ops }: SyncRequest, lastMid: number) => {
    const floor = settings.getNumber('floor')
    const isStrange =
      theirs === null ? pull.cursor > 0 || ackedMid > lastMid : theirs !== settings.get('epoch')
    if (isStrange) throw startOver()
    if (theirs === null || pull.cursor >= floor || (pull.resync && ops.length === 0)) return
    throw new DaybookError('resync-required', undefined, { details: { reason: 'floor' } })
  }

  /** What stood against an op when it was first answered, after its tombstone was collected: no more than that. */
  const collectedOf = ({ kind, id, stamp, at, agent }: WireOp): WireChange => {
    const place = { seq: settings.getNumber('floor'), ver: settings.getNumber('collected_ver') }
    return { op: 'forget', kind, id, stamp, at, agent, by: store.device, ...place }
  }

  const complete = (op: WireOp, answer: Answer, reach?: SyncReach): WireResult => {
    if (answer.s === 'rejected')
      return { mid: op.mid, s: 'rejected', error: { ...answer.error, details: { ...answer.error.details } } }
    const row = records.row(reach ? guestId(store, op, reach) : op.id)
    const isHidden = reach && !(reach.mayPull(op.kind) && (!row || records.isCarried(row, reach.pulled)))
    // The mirror does not show what stands there to somebody who may not fetch it.
    if (answer.s === 'conflict' && isHidden) {
      const { details, ...error } = new DaybookError('conflict').toJSON()
      return { mid: op.mid, s: 'rejected', error: { ...error, details: { ...details } } }
    }
    if (answer.s === 'ok') return { mid: op.mid, ...answer }
    // Of a purged record the mirror remembers no more than that, once tombstones of its time were collected.
    const seq = row && (row.place === 0 ? settings.getNumber('floor') : row.place)
    const current =
      row && seq !== undefined
        ? { ...shownTo(store, row.kind, toChange(row, store.device), reach), seq, id: op.id }
        : collectedOf(op)
    const { policy, met: ver, logged = false } = answer
    const conflict = { mid: op.mid, s: 'conflict', policy, current } as const
    if (ver === undefined || ver === row?.ver) return conflict
    const said = row && records.contentAt(row, ver)
    const shown = said && shownTo(store, op.kind, said, reach)
    return { ...conflict, met: { ver, logged, ...(shown ? { said: shown } : {}) } }
  }

  /** The answer that was stored with the op's effect, or, when it comes for the first time, the one that it gets now. */
  const answerOnce = ({ request, reach, nowMs, fresh }: Exchange, op: WireOp, sent: Sent): Answer => {
    const { device } = request
    const { lastMid, hash } = sent
    if (op.mid <= lastMid) {
      const stored = fresh.get(op.mid) ?? devices.answer(device, op.mid)
      const { of, ...answer } = JSON.parse(stored?.result ?? '{}') as Answer & { of?: string }
      if (stored?.hash === hash) return ownAnswer(op, answer as Answer)
      const isInstead = op.instead === true && of === op.id
      if (!isInstead) throw new DaybookError('device-forked', undefined, { details: { mid: op.mid } })
      return answer as Answer
    }
    const sender = { device, newer: request.schema > schemaNumber(store.kinds) }
    const answer = reach
      ? admitGuestOp(store, op, { ...sender, reach }, nowMs)
      : admitOp(store, op, sender, nowMs)
    fresh.set(op.mid, { mid: op.mid, hash, result: JSON.stringify({ ...answer, of: op.id }) })
    return ownAnswer(op, answer)
  }

  const respond = (request: SyncRequest, hashes: readonly string[], reach?: SyncReach) => {
    const nowMs = clock.now()
    const { device, ackedMid, ops, pull } = request
    let lastMid = devices.lastMid(device)
    checkPlace(request, lastMid)
    devices.drop(device, ackedMid)
    const results: WireResult[] = []
    const fresh = new Map<number, StoredAnswer>()
    const exchange: Exchange = { request, reach, nowMs, fresh }
    answering(store, exchange, () => {
      for (const [i, op] of ops.entries()) {
        if (op.mid > lastMid + 1) break
        const answer = answerOnce(exchange, op, { lastMid, hash: hashes[i] ?? '' })
        results.push(complete(op, answer, reach))
        lastMid = Math.max(lastMid, op.mid)
      }
    })
    devices.store(device, [...fresh.values()])
    devices.note(device, { lastMid, cursor: pull.cursor, atMs: nowMs })
    const known = new Set(results.flatMap((result) => (result.s === 'ok' ? [result.seq] : [])))
    if (request.check) sums.rebuild()
    const { changes, cursor, more } = readChanges(store, pull, known, reach)
    const head: Omit<SyncResponse, 'changes'> = {
      p: wireVersion,
      epoch: settings.get('epoch') ?? '',
      serverTime: formatTime(nowMs),
      lastMid,
      results,
      cursor,
      more,
      floor: settings.getNumber('floor'),
      ...(more ? {} : { digest: toDigest(sums.current(pull.kinds, reach?.pulled), cursor) }),
      limits: mirrorLimits,
      mark: giveMark(settings, random, cursor),
      ...(request.check ? { ranges: sumRanges(settings.getNumber('head'), pull.kinds, reach) } : {}),
    }
    const text = `${JSON.stringify(head).slice(0, -1)},"changes":[${changes.join(',')}]}`
    return { text, device, cursor, more, tally: tallyOf(ops, results, fresh) }
  }

  const sumRanges = (head: number, kinds: readonly string[] | undefined, reach?: SyncReach) => {
    let from = 0
    return rangeEnds(head).map((to) => {
      const digest = toDigest(sums.add({ from, to, kinds, carried: reach?.pulled }), to)
      from = to
      return digest
    })
  }

  /** How far every device has read that was here within the time that tombstones are kept; undefined when none was. */
  const leastRead = () => devices.leastCursor(formatTime(clock.now() - keepMs - seenWithinMs))

  /**
   * The highest place up to which tombstones may go: they are old enough, and every device that was here meanwhile has
   * read beyond them.
   */
  const nextFloor = (since: string) => {
    const young = records.firstTombstone(since)
    const read = leastRead() ?? Number.MAX_SAFE_INTEGER
    return Math.min(read, young === undefined ? settings.getNumber('head') : young - 1)
  }

  return {
    tidy() {
      return store.writes.write(() => {
        const since = formatTime(clock.now() - keepMs)
        dropMarks(settings, leastRead() ?? settings.getNumber('head'))
        const floor = nextFloor(since)
        if (floor <= settings.getNumber('floor')) return 0
        const collected = records.collect(floor)
        if (collected > 0) settings.set('floor', floor)
        return collected
      })
    },
    async exchange(text, reach, taken) {
      const raw = readJson(text)
      const asked = parseSyncRequest(raw)
      const request = reach ? withinReach(asked, reach) : asked
      const hashes = (raw as { readonly ops: readonly unknown[] }).ops.map(keyOf)
      if (reach) store.guests.begin()
      const answer = await store.writes.write(() => {
        checkLife(request)
        if (reach && request.ops.length > 0) store.guests.enter(reach.payer)
        if (!isSetBack(request)) {
          const { tally, ...answered } = store.purge.together(() => respond(request, hashes, reach))
          taken?.(tally)
          return answered
        }
        // All must start over, also those who can't tell. On a guest's word alone nobody else does.
        if (!reach) begin()
        return undefined
      })
      if (!answer) throw startOver()
      return answer
    },
  }
}

/** Runs `work` on the ops of a request; what a guest edits by them counts for it. */
function answering({ settings, guests }: BookStore, { request, reach }: Exchange, work: () => void): void {
  settings.holding(() => (reach && request.ops.length > 0 ? guests.noting(reach.payer, work) : work()))
}

/** The answer to `op` where it took effect itself: a device that withdrew bytes can't know which the mirror took. */
function ownAnswer(op: WireOp, answer: Answer): Answer {
  return op.instead === true && answer.s === 'ok' ? { ...answer, instead: true } : answer
}

/** What of a request was taken for the first time. */
function tallyOf(
  ops: readonly WireOp[],
  results: readonly WireResult[],
  fresh: ReadonlyMap<number, unknown>,
): TakenOps {
  const first = ops.map((op, i) => ({ op, result: results[i] })).filter(({ op }) => fresh.has(op.mid))
  const tally = (outcome: string): OpTally => {
    const those = first.filter(({ result }) => outcomeOf(result) === outcome)
    return { kinds: [...new Set(those.map(({ op }) => op.kind))], count: those.length }
  }
  const codes = new Set(first.flatMap(({ result }) => (result?.s === 'rejected' ? result.error.code : [])))
  return { ...tally('ok'), refused: [...codes].map((code) => ({ code, ...tally(code) })) }
}

function outcomeOf(result: WireResult | undefined): string | undefined {
  return result?.s === 'rejected' ? result.error.code : result?.s
}

function startOver(): DaybookError {
  return new DaybookError('resync-required', undefined, { details: { reason: 'epoch' } })
}

/** A key of the bytes of an op, before anything of it was read: tells a resent op from another one. */
function keyOf(op: unknown): string {
  const text = JSON.stringify(op)
  return `${text.length}-${textKey([text]).toString(36)}`
}

/** The epochs that a mirror has had. Of a book that was begun anew after an erasure they are its life, and no other counts. */
function createLife(settings: BookStore['settings'], random: Random, erasedAt: string | undefined) {
  const known = () => {
    const kept = settings.get('life')
    return kept === undefined ? [settings.get('epoch') ?? ''] : (JSON.parse(kept) as string[])
  }
  return {
    /** A new epoch. */
    begin() {
      const epoch = `e_${toHex(random.bytes(16))}`
      if (erasedAt !== undefined && settings.get('epoch') !== undefined)
        settings.set('life', JSON.stringify([...known(), epoch]))
      settings.set('epoch', epoch)
    },
    /** Refuses a device that had the book which was erased: what it has comes back by nobody's mere sync. */
    check({ epoch, formerEpoch }: SyncRequest) {
      const named = epoch ?? formerEpoch
      if (erasedAt === undefined || named === undefined || known().includes(named)) return
      throw new DaybookError('book-erased', undefined, { details: { at: erasedAt } })
    },
  }
}
