// The device's side of sync: rounds of one request and one answer, until the device has sent everything and the
// mirror has no more changes.
// Invariant: ops are numbered in a commit before they are sent, and an answer's effects are committed before the next
// ops. Only a request without ops may be sent earlier. An interruption loses nothing.
import { type AbortSignalLike, checkAborted, createAbort, orAborted } from '../../core/abort.ts'
import type { SyncDirection, SyncResult, SyncState } from '../../core/capability/status.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import { type Json, sameJson } from '../../core/json/path.ts'
import type { Carrier, Clock } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import { applyAnswer, applyResults } from './intake.ts'
import { nextRequest, type SyncSelection } from './outbox.ts'
import { fallBackToMinimum, isOverLimits, sendLess, sendMore } from './request-limit.ts'
import { parseSyncResponse, schemaNumber, type SyncRequest, type SyncResponse } from '../wire/protocol.ts'
import { beginResync, renameDevice, resyncingKey, startOver } from './resync.ts'

export interface SyncSessionOptions {
  readonly store: BookStore
  readonly carrier: Carrier
  readonly clock: Clock
  /** Kinds to send and fetch (default: all), and conflict policies (default: the kind's). */
  readonly selection?: SyncSelection
  /** Called after the commit, for each changed record. */
  readonly onChange: (id: string, kind: string) => void
  /** Name of the book at the mirror. */
  readonly name?: string
  /** Called when a sync begins, after each round, and at the end; with `result` after a success. */
  readonly onState: (state: SyncState, result?: SyncResult) => void
}

/** Maximum of restarts, and of repairs, in one run. */
const maxRestarts = 3
const maxRepairs = 6

/** A request that was sent before the previous answer was applied. */
interface AheadRequest {
  readonly request: SyncRequest
  readonly answer: Promise<unknown>
  /** In ms since 1970. */
  readonly sentAt: number
}

interface Round {
  /** True: nothing is left to send or to fetch, as far as the direction of the run requires. */
  readonly done: boolean
  /** The request for the next page, if it was sent already. */
  readonly ahead?: AheadRequest | undefined
}

/** Setting: name under which the book was last synced. */
export const mirrorNameKey = 'mirror_name'

/** A run and its counts up to now. */
interface SyncRun {
  readonly direction: SyncDirection
  /** Aborts the run when all its callers have aborted. */
  readonly callers: SharedSignal
  /** True if a call came after the last request: another round must follow. */
  isRoundDue: boolean
  pulled: number
  pushed: number
  conflicts: number
  restarts: number
  repairs: number
}

/** Runs the syncs of one book, one at a time. */
export class SyncSession {
  readonly #options: SyncSessionOptions
  readonly #store: BookStore
  #current: { readonly run: SyncRun; readonly result: Promise<SyncResult> } | undefined
  /** The error of the last run; undefined after a success. */
  #failure: DaybookError | undefined

  constructor(options: SyncSessionOptions) {
    this.#options = options
    this.#store = options.store
  }

  /**
   * Runs rounds until the device has sent everything and the mirror has no more changes. `push` sends, and applies
   * only results of its ops; `pull` sends no ops. A call during a run of the same direction joins the run, which then
   * makes one more request. A call in another direction gets its own run after it. A run ends with `aborted` only
   * when all its callers have aborted.
   */
  async sync(signal: AbortSignalLike, direction: SyncDirection = 'both'): Promise<SyncResult> {
    checkAborted(signal)
    return orAborted(this.#joinRun(signal, direction), signal)
  }

  isRunning(): boolean {
    return this.#current !== undefined
  }

  state(): SyncState {
    const { settings, ops, conflicts, device } = this.#store
    const run = this.#current?.run
    const lastSyncedAt = settings.get('synced_at')
    const error = this.#failure ?? ops.oldestRefusal()
    return {
      configured: true,
      device,
      phase: run ? 'running' : this.#failure?.code === 'offline' ? 'offline' : 'idle',
      running: run !== undefined,
      pending: ops.pendingCount(),
      refused: ops.refusedCount(),
      ...(run ? { progress: resultOf(run) } : {}),
      repairs: settings.getNumber('repairs'),
      conflicts: conflicts.undecidedCount(),
      ...defined({ lastSyncedAt }),
      ...(error ? { lastError: { code: error.code, message: error.message } } : {}),
    }
  }

  #joinRun(caller: AbortSignalLike, direction: SyncDirection): Promise<SyncResult> {
    const current = this.#current
    if (current && !current.run.callers.signal.aborted && current.run.direction === direction) {
      current.run.callers.add(caller)
      current.run.isRoundDue = true
      return current.result
    }
    const callers = new SharedSignal()
    callers.add(caller)
    const run = {
      direction,
      callers,
      isRoundDue: true,
      pulled: 0,
      pushed: 0,
      conflicts: 0,
      restarts: 0,
      repairs: 0,
    }
    // An aborted run, or a run in another direction, may still be active. Wait: two runs would send the same ops.
    const previous = current?.result.catch(() => undefined)
    const result = previous ? previous.then(() => this.#run(run)) : this.#run(run)
    this.#current = { run, result }
    this.#options.onState(this.state())
    return result
  }

  async #run(run: SyncRun): Promise<SyncResult> {
    const { onState } = this.#options
    try {
      let last: Round = { done: false }
      while (!last.done || run.isRoundDue) last = await this.#round(run, last.ahead)
      // No `await` since the last check of `isRoundDue`, so no call can come in between.
      this.#endRun(run)
      this.#failure = undefined
      const result = resultOf(run)
      onState(this.state(), result)
      return result
    } catch (error) {
      this.#endRun(run)
      const failure = toDaybookError(error)
      if (failure.code !== 'aborted') this.#failure = failure
      if (failure.code !== 'book-closed') onState(this.state())
      throw failure
    }
  }

  #endRun(run: SyncRun): void {
    run.callers.end()
    if (this.#current?.run === run) this.#current = undefined
  }

  /** Runs one request and its answer. */
  async #round(run: SyncRun, previousAhead?: AheadRequest): Promise<Round> {
    const { signal } = run.callers
    checkAborted(signal)
    const { clock, onChange, onState } = this.#options
    const prepared = await this.#prepare(run, previousAhead)
    const { request } = prepared
    const sentAt = prepared.ahead?.sentAt ?? clock.now()
    const response = await this.#exchange(prepared, signal, run.restarts < maxRestarts)
    const tookMs = clock.now() - sentAt
    if (!response) {
      run.restarts += 1
      return { done: false }
    }
    const ahead = run.direction === 'push' ? undefined : this.#requestAhead(run, request, response)
    await fetchKeys(this.#store, response)
    const applied = await this.#apply(request, response, { direction: run.direction, tookMs })
    run.pulled += applied.pulled
    run.pushed += applied.pushed
    run.conflicts += applied.conflicts
    for (const { id, kind } of applied.changed) onChange(id, kind)
    if (applied.differs && ++run.repairs > maxRepairs) {
      throw new DaybookError('protocol-error', 'Device and mirror still differ after several repairs.')
    }
    if (!applied.done) onState(this.state())
    return { done: applied.done, ahead }
  }

  #prepare(run: SyncRun, ahead: AheadRequest | undefined) {
    const store = this.#store
    const { selection, name } = this.#options
    return store.writes.write(() => {
      assertName(store, name)
      retryAfterUpdate(store)
      resyncForNewKinds(store, selection?.pull)
      if (run.direction === 'push') assertMayPush(store)
      const request = nextRequest(store, selection, run.direction)
      const sent = ahead && isSameRequest(ahead.request, request) ? ahead : undefined
      // A request that was sent ahead may have been answered before the last call, which then needs another round.
      if (!sent) run.isRoundDue = false
      return { request, ahead: sent }
    })
  }

  /** Returns the mirror's answer; undefined if this device had to start over. */
  async #exchange(
    { request, ahead }: { request: SyncRequest; ahead: AheadRequest | undefined },
    signal: AbortSignalLike,
    mayRestart: boolean,
  ): Promise<SyncResponse | undefined> {
    const { carrier, selection } = this.#options
    try {
      return parseSyncResponse(await (ahead?.answer ?? carrier.exchange(request, signal)))
    } catch (error) {
      const { writes, settings } = this.#store
      if (isDaybookError(error, 'offline') && error.details['deadlineMs'] !== undefined)
        await writes.write(() => sendLess(settings, request))
      const restart = isDaybookError(error) && restartAfter(error, request, selection?.pull)
      if (!restart || !mayRestart) throw error
      await this.#store.writes.write(() => restart(this.#store))
      return undefined
    }
  }

  /** Requests the next page before this page is applied. The request contains no ops, so it can be dropped. */
  #requestAhead(run: SyncRun, request: SyncRequest, response: SyncResponse): AheadRequest | undefined {
    const { signal } = run.callers
    const { carrier, clock } = this.#options
    if (!response.more || request.ops.length > 0 || signal.aborted) return undefined
    run.isRoundDue = false
    const next = pageAfter(request, response)
    const answer = carrier.exchange(next, signal)
    // The run may end before it reads the answer: a failure must not become an unhandled rejection.
    answer.catch(() => undefined)
    return { request: next, answer, sentAt: clock.now() }
  }

  #apply(
    request: SyncRequest,
    response: SyncResponse,
    { direction, tookMs }: { direction: SyncDirection; tookMs: number },
  ) {
    const store = this.#store
    const { clock, selection, name } = this.#options
    return store.writes.write(() => {
      const now = formatTime(clock.now())
      const apply = direction === 'push' ? applyResults : applyAnswer
      const effects = apply(store, { request, response, now, selection })
      sendMore(store.settings, request, response, tookMs)
      const isResyncing = effects.differs || store.settings.get(resyncingKey) !== undefined
      const isSent = !store.ops.hasUnsent(selection?.push) && store.ops.sentOps().length === 0
      const isFetched = !response.more && !isResyncing
      const done = (direction === 'pull' || isSent) && (direction === 'push' || isFetched)
      if (name !== undefined && store.settings.get(mirrorNameKey) !== name)
        store.settings.set(mirrorNameKey, name)
      if (done && direction === 'both') store.settings.set('synced_at', now)
      return { ...effects, done }
    })
  }
}

/** Gets keys of records that were sealed to the book's public key. Settling conflicts needs them. */
async function fetchKeys({ bodies: { sealer } }: BookStore, { results, changes }: SyncResponse) {
  const current = results.flatMap((result) => (result.s === 'conflict' ? [result.current] : []))
  for (const change of [...current, ...changes])
    if (change.op === 'put' && change.enc) sealer.requestKey?.(change.enc)
  await sealer.receiveRequestedKeys?.()
}

/**
 * Returns the request that follows `response` if no write comes in between. An answer ends the former epoch.
 */
function pageAfter(
  { mark: requestMark, formerEpoch: _former, ...request }: SyncRequest,
  { epoch, cursor, mark }: SyncResponse,
): SyncRequest {
  const next = mark === undefined || cursor < (requestMark?.seq ?? 0) ? requestMark : { seq: cursor, x: mark }
  return { ...request, epoch, pull: { ...request.pull, cursor }, ...(next ? { mark: next } : {}) }
}

const isSameRequest = (one: SyncRequest, other: SyncRequest): boolean =>
  sameJson(one as unknown as Json, other as unknown as Json)

function resultOf({ pulled, pushed, conflicts }: SyncRun): SyncResult {
  return { pulled, pushed, conflicts }
}

/** Returns the step to take before a retry after `error`; undefined if no retry helps. */
function restartAfter(
  error: DaybookError,
  request: SyncRequest,
  kinds: readonly string[] | undefined,
): ((store: BookStore) => void) | undefined {
  const { code, details } = error
  if (isOverLimits(error, request)) return fallBackToMinimum
  if (code === 'device-forked') return renameDevice
  if (code !== 'resync-required') return undefined
  return details['reason'] === 'floor' ? (store) => beginResync(store, 0, kinds) : startOver
}

/** Throws `conflict` for a file that was synced under another name: it may be the wrong file, or the wrong name. */
function assertName({ settings }: BookStore, name: string | undefined): void {
  const synced = settings.get(mirrorNameKey)
  if (name === undefined || synced === undefined || synced === name) return
  throw new DaybookError(
    'conflict',
    `This file was synced as the book \`${synced}\`, and nothing was sent to \`${name}\`. Sync it as \`${synced}\`, or put the right file in its place. To bring its memory to \`${name}\`, export it and import that there.`,
    { details: { path: 'name', reason: 'other-book', synced } },
  )
}

/** Throws `resync-required` during a resync, because the device doesn't know yet what to send. */
function assertMayPush({ settings }: BookStore): void {
  if (settings.get(resyncingKey) === undefined) return
  throw new DaybookError(
    'resync-required',
    'This device must read the mirror again before it sends: sync once in both directions.',
    { details: { path: 'direction' }, retry: false },
  )
}

/** Queues refused ops again after an update of Daybook. */
function retryAfterUpdate(store: BookStore): void {
  // 0: the book was never synced.
  const before = store.settings.getNumber('schema')
  const now = schemaNumber(store.kinds)
  if (before === now) return
  store.settings.set('schema', now)
  if (before > 0) store.ops.retry()
}

/** Resyncs if the device now fetches more kinds, because their records are behind the cursor. */
function resyncForNewKinds(store: BookStore, pull: readonly string[] | undefined): void {
  const { settings } = store
  const text = pull ? JSON.stringify(pull.toSorted()) : undefined
  const before = settings.get('pull_kinds')
  if (text === before) return
  if (text === undefined) settings.remove('pull_kinds')
  else settings.set('pull_kinds', text)
  const former = before === undefined ? undefined : (JSON.parse(before) as string[])
  const isWider = former !== undefined && (pull === undefined || pull.some((kind) => !former.includes(kind)))
  if (isWider && settings.get('epoch') !== undefined) beginResync(store, 0, pull)
}

/** The signal of a shared run. It aborts when all callers have aborted. */
class SharedSignal {
  readonly #callers = new Set<AbortSignalLike>()
  readonly #source = createAbort()
  readonly signal = this.#source.signal
  readonly #check = () => {
    if ([...this.#callers].every(({ aborted }) => aborted)) this.#source.abort()
  }

  add(caller: AbortSignalLike): void {
    this.#callers.add(caller)
    caller.addEventListener('abort', this.#check, { once: true })
  }

  /** Removes the listeners from the callers' signals, which may live long. Call it when the run ends. */
  end(): void {
    for (const caller of this.#callers) caller.removeEventListener('abort', this.#check)
  }
}
