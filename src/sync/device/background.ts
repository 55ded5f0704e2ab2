// Sync without a running engine: the book stores requests with its unacknowledged ops outside its database, a service
// worker sends them, and the book applies the answers when it next opens.
// Invariant: the requests have the bytes that the book itself sends, so the sender and the number of sends don't
// matter. The book ignores answers to withdrawn bytes.
import type { Clock, Scheduler, SpillPlace } from '../../core/ports.ts'
import type { SyncState } from '../../core/capability/status.ts'
import { isDaybookError } from '../../core/errors.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import {
  type SyncSelection,
  assignMids,
  nextRequest,
  rewriteWithdrawn,
  smallestPage,
  splitOps,
} from './outbox.ts'
import {
  parseSyncRequest,
  parseSyncResponse,
  type RequestLimits,
  type SyncRequest,
  type WireOp,
  wireLimits,
} from '../wire/protocol.ts'
import type { SentOp } from '../../store/record/op-log.ts'
import { type ReceivedAnswer, type AnswerEffects, applyAnswer } from './intake.ts'
import { requestLimits, slowBytes } from './request-limit.ts'
import { resyncingKey } from './resync.ts'

interface BackgroundSyncOptions {
  readonly store: BookStore
  /** Storage outside the database, from which the service worker takes requests and where it puts answers. */
  readonly place: SpillPlace
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly selection: SyncSelection
  /** True if the book syncs automatically. False: it hands over only ops that were sent before. */
  readonly isAutomatic: boolean
  /** Called after the commit, for each record that a late answer changed. */
  readonly onChange: (id: string, kind: string) => void
  /** Called when `state()` may have changed. */
  readonly onState: () => void
}

/** Writes within this time share one handover. */
const handoverDelayMs = 500

/** Hands pending ops to a service worker, which sends them while no engine runs. */
export class BackgroundSync {
  readonly #options: BackgroundSyncOptions
  #isAllowed = false
  /** True while the service worker has requests. */
  #isHandedOver = false
  /** True until the requests of the last opening are removed: they may have text that is purged now. */
  #mayHaveOldRequests = true
  /** True after a final refusal; see `rest`. */
  #isResting = false
  #isClosed = false
  #cancelTimer: (() => void) | undefined
  /**
   * Steps run one after another. A failed step is ignored, because the book still has the ops and sends them itself.
   */
  #lastStep: Promise<unknown>

  constructor(options: BackgroundSyncOptions) {
    this.#options = options
    this.#lastStep = this.#applyStoredAnswers().catch(() => undefined)
  }

  /** Sets whether a service worker can send for the book. Default: false. */
  allow(isAllowed: boolean): void {
    if (isAllowed === this.#isAllowed) return
    this.#isAllowed = isAllowed
    this.#options.onState()
  }

  /** Hands over unacknowledged ops. True: there were some. Call it before the engine may end. */
  handOver(): Promise<boolean> {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    return this.#enqueue(() => this.#handOver())
  }

  /**
   * Replaces handed-over requests with ops that were withdrawn since. Resolves after the old bytes are removed, or after
   * that failed; never rejects.
   */
  replaceWithdrawn(): Promise<unknown> {
    return this.#enqueue(async () => {
      if (!this.#isHandedOver && !this.#mayHaveOldRequests) return false
      // Clear first, so that the old bytes are removed even if the next step fails.
      await this.#clear()
      return this.#handOver()
    })
  }

  /** Call it after a write while this engine can't send. */
  recordWritten(): void {
    this.#handOverSoon()
  }

  /** Call it after a failed sync. */
  syncFailed(): void {
    this.#handOverSoon()
  }

  /** Hands over nothing until `syncSucceeded`, and takes back what was handed over. Call it after a final refusal. */
  rest(): void {
    this.#isResting = true
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    void this.#enqueue(async () => {
      if (!this.#isHandedOver && !this.#mayHaveOldRequests) return false
      await this.#clear()
      this.#isHandedOver = false
      this.#options.onState()
      return false
    })
  }

  /** Call it after a successful sync. */
  syncSucceeded(): void {
    this.#isResting = false
    if (this.#isHandedOver || this.#mayHaveOldRequests) void this.handOver()
  }

  state(): NonNullable<SyncState['background']> {
    return this.#isAllowed ? (this.#isHandedOver ? 'handed' : 'ready') : 'missing'
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer?.()
  }

  #handOverSoon(): void {
    if (this.#isClosed) return
    this.#cancelTimer ??= this.#options.scheduler.later(handoverDelayMs, () => void this.handOver())
  }

  #enqueue(work: () => Promise<boolean>): Promise<boolean> {
    const result = this.#lastStep.then(() => (this.#isClosed ? false : work().catch(() => false)))
    this.#lastStep = result
    return result
  }

  async #handOver(): Promise<boolean> {
    const { store, place, selection, isAutomatic, onState } = this.#options
    if (!this.#isAllowed || this.#isResting) return false
    const requests = await store.writes.write(() => pendingRequests(store, selection, isAutomatic))
    const before = this.#isHandedOver
    this.#isHandedOver = requests.length > 0
    if (this.#isHandedOver) await place.put(requests.map((request) => JSON.stringify(request)))
    else if (before || this.#mayHaveOldRequests) await this.#clear()
    if (this.#isHandedOver || before) onState()
    return this.#isHandedOver
  }

  /** Applies answers that a service worker got. Runs once, at the start. */
  async #applyStoredAnswers(): Promise<void> {
    const { place, onChange, onState } = this.#options
    const changed = new Map<string, string>()
    for (const { request, answer } of await place.read()) {
      if (answer === undefined) continue
      for (const { id, kind } of await this.#applyAnswer(request, answer)) changed.set(id, kind)
    }
    for (const [id, kind] of changed) onChange(id, kind)
    if (changed.size > 0) onState()
    // The answers are committed. The book itself sends the unanswered requests.
    await this.#clear()
  }

  async #clear(): Promise<void> {
    await this.#options.place.clear()
    this.#mayHaveOldRequests = false
  }

  /** Applies one answer. Ignores texts that were altered or that another version of this code wrote. */
  async #applyAnswer(request: string, answer: string): Promise<AnswerEffects['changed']> {
    const { store, clock, selection } = this.#options
    try {
      const sent: unknown = JSON.parse(request)
      parseSyncRequest(sent)
      const response = parseSyncResponse(JSON.parse(answer))
      const now = formatTime(clock.now())
      const answered = { request: sent as SyncRequest, response, now, selection }
      return (await store.writes.write(() => applyLateAnswer(store, answered)))?.changed ?? []
    } catch (error) {
      if (error instanceof SyntaxError || isDaybookError(error, 'invalid-input')) return []
      if (isDaybookError(error, 'protocol-error')) return []
      throw error
    }
  }
}

/** Maximum of handed-over requests: 1,000 ops or 7 MB. The book sends the rest when it next opens. */
const maxRequests = 10

/**
 * Returns requests with all unacknowledged ops, in sending order; empty during a resync. `includeUnsent: false`: only
 * ops that were sent before. Call it in a transaction: the ops count as sent.
 */
export function pendingRequests(
  store: BookStore,
  selection: SyncSelection,
  includeUnsent: boolean,
): SyncRequest[] {
  const { ops, settings } = store
  if (settings.get(resyncingKey) !== undefined) return []
  rewriteWithdrawn(store, selection)
  const limits = {
    ops: wireLimits.ops,
    requestBytes: Math.min(wireLimits.requestBytes, slowBytes(settings)),
    opBytes: requestLimits(settings).opBytes,
  }
  if (includeUnsent) assignMoreMids(store, selection, limits)
  const sent = splitOps(ops.sentOps(), limits).slice(0, maxRequests)
  if (sent.length === 0) return []
  const { pull, ...head } = nextRequest(store, selection)
  return sent.map((opBatch) => ({
    ...head,
    ops: opBatch.map(({ wire }) => JSON.parse(wire) as WireOp),
    // The book fetches changes itself.
    pull: { cursor: pull.cursor, ...smallestPage, ...(pull.kinds ? { kinds: pull.kinds } : {}) },
  }))
}

/** Freezes further ops. Skips later changes of a record with an unanswered op, because they depend on its answer. */
function assignMoreMids(store: BookStore, selection: SyncSelection, limits: RequestLimits): void {
  const numberedOps = new Map<number, SentOp>(store.ops.sentOps().map((op) => [op.seq, op]))
  while (splitOps([...numberedOps.values()], limits).length < maxRequests) {
    const added = assignMids(store, selection, limits, new Set(numberedOps.keys()))
    if (added.length === 0) return
    for (const op of added) numberedOps.set(op.seq, op)
  }
}

/**
 * Applies the results of a late answer to ops that still wait for one. Undefined: there is no such op. Call it in a
 * transaction.
 */
export function applyLateAnswer(store: BookStore, answered: ReceivedAnswer): AnswerEffects | undefined {
  const { request, response, selection } = answered
  const { settings, ops } = store
  const epoch = settings.get('epoch') ?? null
  const isOfThisMirror = epoch === null ? request.epoch === null : epoch === response.epoch
  if (request.device !== store.device || !isOfThisMirror || settings.get(resyncingKey) !== undefined)
    return undefined
  rewriteWithdrawn(store, selection)
  const waiting = new Map(ops.sentOps().map(({ mid, wire }) => [mid, JSON.stringify(JSON.parse(wire))]))
  const pending = request.ops.filter((op) => waiting.get(op.mid) === JSON.stringify(op))
  const mids = new Set(pending.map(({ mid }) => mid))
  const results = response.results.filter(({ mid }) => mids.has(mid))
  if (results.length === 0) return undefined
  // Takes the results only: the cursor may have moved since, and the next request fetches changes.
  const { digest: _digest, ranges: _ranges, mark: _mark, ...rest } = response
  const cursor = settings.getNumber('cursor')
  return applyAnswer(store, {
    ...answered,
    request: { ...request, ops: pending, pull: { ...request.pull, cursor } },
    // `floor: 0`: no tombstone is collected.
    response: { ...rest, results, changes: [], cursor, more: false, floor: 0 },
  })
}
