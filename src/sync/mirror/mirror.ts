// The mirror's side of sync. One request is one transaction: it admits ops in order and reads changes. Settings: `head`
// is the highest place of a change; tombstones at places up to `floor` are collected.
// Invariant: an op takes effect once. The answer is stored with the effect, and a repeated op gets it again.
// `mid`: the device's number of an op, from 1. `base`: the mirror's version that the op changes. `pull`: the page of
// changes that the device requests. `s`: the status of an answer. `ackedMid`: the device has the answers up to it.
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import { toHex } from '../../core/ids.ts'
import type { Clock, Random } from '../../core/ports.ts'
import { textKey } from '../../core/text/text-key.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import { seenPrecisionMs, type StoredAnswer } from '../../store/record/device-log.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { admitOp, type OpAnswer } from './admit.ts'
import {
  rangeEnds,
  toDigest,
  removeWaymarksBelow,
  readOrCreateWaymark,
  knowsWaymark,
} from '../wire/agreement.ts'
import {
  mirrorLimits,
  parseSyncRequest,
  parseJsonText,
  schemaNumber,
  type SyncRequest,
  type SyncResponse,
  type WireChange,
  type WireDigest,
  type WireOp,
  type WireResult,
  wireVersion,
} from '../wire/protocol.ts'
import { withoutHiddenLinks, type SyncReach, withinReach, encodeVisibleChange } from './sync-reach.ts'
import { admitGuestOp, recordIdForGuest } from './guest-op.ts'
import { toWireChange } from '../wire/wire-op.ts'
import { utf8Length } from '../../core/text/utf8.ts'

interface MirrorOptions {
  readonly store: BookStore
  readonly clock: Clock
  readonly random: Random
  /** Time of the erasure of an earlier book with this name. */
  readonly erasedAt?: string | undefined
}

/** Minimum time that a mirror keeps tombstones and stored answers for absent devices. */
export const retentionMs = 90 * 86_400_000

interface MirrorAnswer {
  /** The encoded `SyncResponse`. */
  readonly text: string
  /** The device, its cursor after the answer, and whether more pages follow. */
  readonly device: string
  readonly cursor: number
  readonly more: boolean
}

/** Number and kinds of some ops. */
interface OpCount {
  readonly kinds: readonly string[]
  readonly count: number
}

/** New ops of a request: those that were taken, and the refused ones by error code. Repeated ops are excluded. */
export interface OpCounts extends OpCount {
  readonly refused: readonly (OpCount & { readonly code: string })[]
}

/** The exchange of one request. */
interface Exchange {
  readonly request: SyncRequest
  /** A hash of the bytes of each op. */
  readonly hashes: readonly string[]
  readonly reach: SyncReach | undefined
  readonly nowMs: number
  /** New answers by `mid`. */
  readonly newAnswers: Map<number, StoredAnswer>
}

/**
 * Data that shows whether an op was answered before: the device's highest `mid` so far, and a hash of the op's bytes.
 */
interface OpIdentity {
  readonly lastMid: number
  readonly hash: string
}

/** A mirror over a store that was opened with the role `mirror`. */
export class SyncMirror {
  readonly #store: BookStore
  readonly #clock: Clock
  readonly #random: Random
  readonly #epochs: EpochHistory

  constructor({ store, clock, random, erasedAt }: MirrorOptions) {
    this.#store = store
    this.#clock = clock
    this.#random = random
    this.#epochs = new EpochHistory(store.settings, random, erasedAt)
    store.db.transaction(() => {
      if (store.settings.get('epoch') === undefined) this.#epochs.begin()
    })
  }

  /** Removes tombstones that no device needs. Returns their number. */
  collectTombstones(): Promise<number> {
    const { settings, records, writes } = this.#store
    return writes.write(() => {
      const since = formatTime(this.#clock.now() - retentionMs)
      removeWaymarksBelow(settings, this.#lowestCursor() ?? settings.getNumber('head'))
      const floor = this.#nextFloor(since)
      if (floor <= settings.getNumber('floor')) return 0
      const collected = records.collectTombstones(floor)
      if (collected > 0) settings.set('floor', floor)
      return collected
    })
  }

  /**
   * Answers one JSON request of a device. Throws `DaybookError`; then nothing of the request took effect. `reach`
   * limits the kinds that the mirror accepts and sends; absent for the owner. Calls `onOps` in the transaction.
   */
  async exchange(text: string, reach?: SyncReach, onOps?: (ops: OpCounts) => void): Promise<MirrorAnswer> {
    const store = this.#store
    const raw = parseJsonText(text)
    const parsed = parseSyncRequest(raw)
    const request = reach ? withinReach(parsed, reach) : parsed
    const hashes = (raw as { readonly ops: readonly unknown[] }).ops.map(hashOfOp)
    // Only a book with guests has the table of quotas; it can't be made inside a transaction.
    if (reach) store.guests.createTable()
    const answer = await store.writes.write(() => {
      this.#epochs.check(request)
      if (reach && request.ops.length > 0) store.guests.addPayer(reach.payer)
      if (!this.#isSetBack(request)) {
        const { tally, ...rest } = store.purge.purgeTogether(() => this.#respond(request, hashes, reach))
        onOps?.(tally)
        return rest
      }
      // All devices must start over, also those that can't detect the loss. A guest's request alone must not cause
      // that.
      if (!reach) this.#epochs.begin()
      return undefined
    })
    if (!answer) throw startOverError()
    return answer
  }

  /** True if a device of this epoch has state that this mirror lost, because the mirror was set back. */
  #isSetBack({ device, epoch, pull, ackedMid, mark }: SyncRequest): boolean {
    const { settings, devices } = this.#store
    if (epoch === null || epoch !== settings.get('epoch')) return false
    const isAhead = pull.cursor > settings.getNumber('head') || ackedMid > devices.lastMid(device)
    return isAhead || (mark !== undefined && !knowsWaymark(settings, mark))
  }

  /** Throws `resync-required` for a device that synced with another mirror or epoch, or that missed tombstones. */
  #assertCanRead({ epoch: theirs, pull, ackedMid, ops }: SyncRequest, lastMid: number): void {
    const { settings } = this.#store
    const floor = settings.getNumber('floor')
    const isOfOtherSequence =
      theirs === null ? pull.cursor > 0 || ackedMid > lastMid : theirs !== settings.get('epoch')
    if (isOfOtherSequence) throw startOverError()
    if (theirs === null || pull.cursor >= floor || (pull.resync && ops.length === 0)) return
    throw new DaybookError('resync-required', undefined, { details: { reason: 'floor' } })
  }

  #respond(request: SyncRequest, hashes: readonly string[], reach?: SyncReach) {
    const store = this.#store
    const { settings, devices, sums } = store
    const nowMs = this.#clock.now()
    const { device, ops, pull } = request
    const before = devices.lastMid(device)
    this.#assertCanRead(request, before)
    devices.dropAnswers(device, request.ackedMid)
    const newAnswers = new Map<number, StoredAnswer>()
    const { results, lastMid } = this.#answerOps({ request, hashes, reach, nowMs, newAnswers }, before)
    devices.storeAnswers(device, [...newAnswers.values()])
    devices.storeSeen(device, { lastMid, cursor: pull.cursor, atMs: nowMs })
    const ownPlaces = new Set(results.flatMap((result) => (result.s === 'ok' ? [result.seq] : [])))
    if (request.check) sums.rebuild()
    const { changes, cursor, more } = readChanges(store, pull, ownPlaces, reach)
    const head: Omit<SyncResponse, 'changes'> = {
      p: wireVersion,
      epoch: settings.get('epoch') ?? '',
      serverTime: formatTime(nowMs),
      lastMid,
      results,
      cursor,
      more,
      floor: settings.getNumber('floor'),
      ...(more ? {} : { digest: toDigest(sums.currentSum(pull.kinds, reach?.fetchableKinds), cursor) }),
      ...(more || !reach ? {} : defined({ kinds: pull.kinds })),
      limits: mirrorLimits,
      mark: readOrCreateWaymark(settings, this.#random, cursor),
      ...(request.check ? { ranges: this.#sumRanges(pull.kinds, reach) } : {}),
    }
    const text = `${JSON.stringify(head).slice(0, -1)},"changes":[${changes.join(',')}]}`
    return { text, device, cursor, more, tally: countOps(ops, results, newAnswers) }
  }

  /** Answers the ops of a request in order, up to the first gap in `mid`. Edits of a guest count for its quota. */
  #answerOps(exchange: Exchange, before: number): { results: WireResult[]; lastMid: number } {
    const { settings, guests } = this.#store
    const { request, hashes, reach } = exchange
    const results: WireResult[] = []
    let lastMid = before
    const work = () => {
      for (const [i, op] of request.ops.entries()) {
        if (op.mid > lastMid + 1) break
        const answer = this.#answerOnce(exchange, op, { lastMid, hash: hashes[i] ?? '' })
        results.push(this.#toWireResult(op, answer, reach))
        lastMid = Math.max(lastMid, op.mid)
      }
    }
    settings.batchWrites(() =>
      reach && request.ops.length > 0 ? guests.trackEdits(reach.payer, work) : work(),
    )
    return { results, lastMid }
  }

  /** Returns the stored answer of a repeated op, or the answer of a new op. */
  #answerOnce(
    { request, reach, nowMs, newAnswers }: Exchange,
    op: WireOp,
    { lastMid, hash }: OpIdentity,
  ): OpAnswer {
    const store = this.#store
    const { device } = request
    if (op.mid <= lastMid) {
      const stored = newAnswers.get(op.mid) ?? store.devices.answer(device, op.mid)
      // `of`: the id of the record that the answered op named.
      const { of, ...answer } = JSON.parse(stored?.result ?? '{}') as OpAnswer & { of?: string }
      if (stored?.hash === hash) return withInsteadMark(op, answer as OpAnswer)
      // Other bytes under one `mid`: allowed only in place of withdrawn bytes of the same record.
      const isInstead = op.instead === true && of === op.id
      if (!isInstead) throw new DaybookError('device-forked', undefined, { details: { mid: op.mid } })
      return answer as OpAnswer
    }
    const sender = { device, newer: request.schema > schemaNumber(store.kinds) }
    const answer = reach
      ? admitGuestOp(store, op, { ...sender, reach }, nowMs)
      : admitOp(store, op, sender, nowMs)
    newAnswers.set(op.mid, { mid: op.mid, hash, result: JSON.stringify({ ...answer, of: op.id }) })
    return withInsteadMark(op, answer)
  }

  /** Returns the answer for the wire. A conflict includes the current record. */
  #toWireResult(op: WireOp, answer: OpAnswer, reach?: SyncReach): WireResult {
    const { mid } = op
    const store = this.#store
    const { records } = store
    if (answer.s === 'rejected')
      return { mid, s: 'rejected', error: { ...answer.error, details: { ...answer.error.details } } }
    if (answer.s === 'ok') return { mid, ...answer }
    const row = records.row(reach ? recordIdForGuest(store, op, reach) : op.id)
    // A guest without the right to fetch the record must not see it.
    if (reach && !(reach.mayPull(op.kind) && (!row || records.isFetchable(row, reach.fetchableKinds)))) {
      const { details, ...error } = new DaybookError('conflict').toJSON()
      return { mid, s: 'rejected', error: { ...error, details: { ...details } } }
    }
    const current = this.#currentChange(op, row, reach)
    const { policy, met: ver, logged = false } = answer
    const conflict = { mid, s: 'conflict', policy, current } as const
    if (ver === undefined || ver === row?.ver) return conflict
    const content = row && records.earlierContent(row, ver)
    const shown = content && withoutHiddenLinks(store, op.kind, content, reach)
    return { ...conflict, met: { ver, logged, ...(shown ? { said: shown } : {}) } }
  }

  #currentChange(op: WireOp, row: RecordRow | undefined, reach?: SyncReach): WireChange {
    const store = this.#store
    const { settings } = store
    if (row) {
      // After collection, only the purge of a purged record is stored, without its place.
      const seq = row.place === 0 ? settings.getNumber('floor') : row.place
      return {
        ...withoutHiddenLinks(store, row.kind, toWireChange(row, store.device), reach),
        seq,
        id: op.id,
      }
    }
    // The tombstone was collected. Only the fact of the forget is known. `collected_ver`: the highest version
    // of a collected tombstone.
    const { kind, id, stamp, at, agent } = op
    const place = { seq: settings.getNumber('floor'), ver: settings.getNumber('collected_ver') }
    return { op: 'forget', kind, id, stamp, at, agent, by: store.device, ...place }
  }

  #sumRanges(kinds: readonly string[] | undefined, reach?: SyncReach): WireDigest[] {
    const { settings, sums } = this.#store
    let from = 0
    return rangeEnds(settings.getNumber('head')).map((to) => {
      const digest = toDigest(sums.sumRange({ from, to, kinds, fetchableKinds: reach?.fetchableKinds }), to)
      from = to
      return digest
    })
  }

  /** Returns the lowest cursor of all devices that synced while tombstones are kept; undefined without devices. */
  #lowestCursor(): number | undefined {
    return this.#store.devices.lowestCursor(formatTime(this.#clock.now() - retentionMs - seenPrecisionMs))
  }

  /** Returns the place up to which tombstones may be collected: old enough, and read by every active device. */
  #nextFloor(since: string): number {
    const { records, settings } = this.#store
    const firstYoung = records.firstTombstone(since)
    const read = this.#lowestCursor() ?? Number.MAX_SAFE_INTEGER
    return Math.min(read, firstYoung === undefined ? settings.getNumber('head') : firstYoung - 1)
  }
}

/**
 * Marks the answer of an `instead` op that took effect, because the device can't know which bytes the mirror took.
 */
function withInsteadMark(op: WireOp, answer: OpAnswer): OpAnswer {
  return op.instead === true && answer.s === 'ok' ? { ...answer, instead: true } : answer
}

function countOps(
  ops: readonly WireOp[],
  results: readonly WireResult[],
  newAnswers: ReadonlyMap<number, unknown>,
): OpCounts {
  const first = ops.map((op, i) => ({ op, result: results[i] })).filter(({ op }) => newAnswers.has(op.mid))
  const tally = (outcome: string): OpCount => {
    const those = first.filter(({ result }) => outcomeOf(result) === outcome)
    return { kinds: [...new Set(those.map(({ op }) => op.kind))], count: those.length }
  }
  const codes = new Set(first.flatMap(({ result }) => (result?.s === 'rejected' ? result.error.code : [])))
  return { ...tally('ok'), refused: [...codes].map((code) => ({ code, ...tally(code) })) }
}

function outcomeOf(result: WireResult | undefined): string | undefined {
  return result?.s === 'rejected' ? result.error.code : result?.s
}

function startOverError(): DaybookError {
  return new DaybookError('resync-required', undefined, { details: { reason: 'epoch' } })
}

/** Returns a hash of an op before parsing. Distinguishes a repeated op from a different op. */
function hashOfOp(op: unknown): string {
  const text = JSON.stringify(op)
  return `${text.length}-${textKey([text]).toString(36)}`
}

/** The epochs of a mirror. After an erasure, only epochs of the new book are valid. */
class EpochHistory {
  /**
   * `epoch`: the present one. `life`: all epochs since the erasure; absent while there is only the present
   * one.
   */
  readonly #settings: BookStore['settings']
  readonly #random: Random
  readonly #erasedAt: string | undefined

  constructor(settings: BookStore['settings'], random: Random, erasedAt: string | undefined) {
    this.#settings = settings
    this.#random = random
    this.#erasedAt = erasedAt
  }

  begin(): void {
    const settings = this.#settings
    const epoch = `e_${toHex(this.#random.bytes(16))}`
    if (this.#erasedAt !== undefined && settings.get('epoch') !== undefined)
      settings.set('life', JSON.stringify([...this.#epochs(), epoch]))
    settings.set('epoch', epoch)
  }

  /** Throws `book-erased` for a device of the erased book, so that its sync doesn't bring the records back. */
  check({ epoch, formerEpoch }: SyncRequest): void {
    const named = epoch ?? formerEpoch
    if (this.#erasedAt === undefined || named === undefined || this.#epochs().includes(named)) return
    throw new DaybookError('book-erased', undefined, { details: { at: this.#erasedAt } })
  }

  #epochs(): string[] {
    const stored = this.#settings.get('life')
    return stored === undefined ? [this.#settings.get('epoch') ?? ''] : (JSON.parse(stored) as string[])
  }
}

interface ChangePage {
  /** Encoded changes. */
  readonly changes: readonly string[]
  readonly cursor: number
  readonly more: boolean
}

/** Rows per read. Small, because bodies are large and the next page reads unsent rows again. */
const readBatch = 32

/**
 * Returns one page of changes after `pull.cursor`, except those at `ownPlaces`, which the device gets as results.
 *
 * Invariant: the cursor is the place of the last examined record, so no change is skipped.
 */
function readChanges(
  store: Pick<BookStore, 'records' | 'settings' | 'device' | 'kinds'>,
  pull: SyncRequest['pull'],
  ownPlaces: ReadonlySet<number>,
  reach?: SyncReach,
): ChangePage {
  const { records, settings } = store
  const changes: string[] = []
  let cursor = pull.cursor
  let bytes = 0
  for (;;) {
    const rows = records.changedAfter(cursor, readBatch, pull.kinds, reach?.fetchableKinds)
    for (const row of rows) {
      if (!ownPlaces.has(row.place)) {
        const change = encodeVisibleChange(store, row, reach)
        bytes += utf8Length(change)
        const full = changes.length === pull.limit || (changes.length > 0 && bytes > pull.maxBytes)
        if (full) return { changes, cursor, more: true }
        changes.push(change)
      }
      cursor = row.place
    }
    if (rows.length < readBatch) return { changes, cursor: settings.getNumber('head'), more: false }
  }
}
