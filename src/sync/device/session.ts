// The device's half of sync: rounds of one request and one answer, until the device has sent everything and the mirror has
// nothing more for it. Invariant: the device commits what it asks, and what an answer brought, before the next step, so a
// cut anywhere loses nothing.
import { type AbortSignalLike, checkAborted, orAborted } from '../../core/abort.ts'
import type { SyncDirection, SyncResult, SyncState } from '../../core/capability/status.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { Carrier, Clock } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import { rename, startOver, takeIn, takeResults } from './intake.ts'
import { nextRequest, type SyncSelection } from './outbox.ts'
import { parseSyncResponse, schemaNumber, type SyncRequest, type SyncResponse } from '../wire/protocol.ts'
import { giveUpLimits, isOverLimits } from '../wire/request-limit.ts'
import { beginReread, resyncing } from './reread.ts'
import { createSharedSignal, type SharedSignal } from './shared-signal.ts'

export interface SyncSessionOptions {
  readonly store: BookStore
  readonly carrier: Carrier
  readonly clock: Clock
  /** Which kinds are sent and fetched, and who wins conflicts in them; all, and as each kind says. */
  readonly selection?: SyncSelection
  /** Called for each record that a sync changed, after its commit. */
  readonly onChange: (id: string, kind: string) => void
  /** The name of the book at the mirror. */
  readonly name?: string
  /** Called when a sync begins, after each of its rounds, and at its end, then with the result if there is one. */
  readonly onState: (state: SyncState, result?: SyncResult) => void
}

export interface SyncSession {
  /**
   * Runs rounds until the device has sent everything and the mirror has nothing more. A call during a run shares it, and
   * the run asks once more for it; a run ends early, with `aborted`, only when all of its callers have aborted.
   * `push` sends and takes over nothing but the answers to what it sent; `pull` sends nothing. A call in another direction
   * than the run's waits for a run of its own.
   */
  sync(signal: AbortSignalLike, direction?: SyncDirection): Promise<SyncResult>
  state(): SyncState
  isRunning(): boolean
}

/** How often one run starts over before it gives up: a mirror that is never content is broken. */
const restartLimit = 3

interface Tally {
  readonly direction: SyncDirection
  pulled: number
  pushed: number
  conflicts: number
  restarts: number
}

/** A request that the device sent before it took over the answer to the one before. */
interface Ahead {
  readonly text: string
  readonly answer: Promise<unknown>
}

interface Round {
  readonly done: boolean
  readonly ahead?: Ahead | undefined
}

/** The setting that says by which name the book was synced last. */
export const mirrorName = 'mirror_name'

interface Run {
  readonly direction: SyncDirection
  readonly signal: SharedSignal
  /** What it has brought so far. */
  readonly tally: Tally
  readonly result: Promise<SyncResult>
}

export function createSyncSession({
  store,
  carrier,
  clock,
  selection,
  onChange,
  onState,
  name,
}: SyncSessionOptions): SyncSession {
  let current: Run | undefined
  /** Somebody called after the last request was made: another round is due. */
  let asked = false
  let failure: DaybookError | undefined

  const state = (): SyncState => {
    const lastSyncedAt = store.settings.get('synced_at')
    const error = failure ?? store.ops.refusal()
    return {
      configured: true,
      device: store.device,
      phase: current ? 'running' : failure?.code === 'offline' ? 'offline' : 'idle',
      running: current !== undefined,
      pending: store.ops.pendingCount(),
      refused: store.ops.refusedCount(),
      ...(current ? { progress: resultOf(current.tally) } : {}),
      repairs: store.settings.getNumber('repairs'),
      conflicts: store.conflicts.count(),
      ...(lastSyncedAt === undefined ? {} : { lastSyncedAt }),
      ...(error ? { lastError: { code: error.code, message: error.message } } : {}),
    }
  }

  const prepare = (ahead: Ahead | undefined, direction: SyncDirection) =>
    store.writes.write(() => {
      retryAfterUpdate(store)
      widen(store, selection?.pull)
      if (direction === 'push') checkMayPush(store)
      const request = nextRequest(store, selection, direction)
      const answer = ahead?.text === JSON.stringify(request) ? ahead.answer : undefined
      // What went ahead may have been answered before somebody called: he is owed a round after it.
      if (!answer) asked = false
      return { request, answer }
    })

  const takeOver = (request: SyncRequest, response: SyncResponse, direction: SyncDirection) =>
    store.writes.write(() => {
      const now = formatTime(clock.now())
      const take = direction === 'push' ? takeResults : takeIn
      const intake = take(store, { request, response, now, selection })
      const isResyncing = intake.differs || store.settings.get(resyncing) !== undefined
      const isSent = !store.ops.hasUnsent(selection?.push) && store.ops.sent().length === 0
      const isFetched = !response.more && !isResyncing
      const done = (direction === 'pull' || isSent) && (direction === 'push' || isFetched)
      if (name !== undefined && store.settings.get(mirrorName) !== name) store.settings.set(mirrorName, name)
      if (done && direction === 'both') store.settings.set('synced_at', now)
      return { ...intake, done }
    })

  /** Asks for the next page before the device takes over this one. It carries no ops, so nobody misses it if it is of no use. */
  const askAhead = (request: SyncRequest, response: SyncResponse, signal: SharedSignal) => {
    if (!response.more || request.ops.length > 0 || signal.aborted) return undefined
    asked = false
    const next = pageAfter(request, response)
    const answer = carrier.exchange(next, signal)
    answer.catch(() => undefined)
    return { text: JSON.stringify(next), answer }
  }

  /** The mirror's answer, or undefined when this device had to begin anew first. */
  const ask = async (
    { request, answer }: { request: SyncRequest; answer: Promise<unknown> | undefined },
    signal: SharedSignal,
    mayRestart: boolean,
  ) => {
    try {
      return parseSyncResponse(await (answer ?? carrier.exchange(request, signal)))
    } catch (error) {
      const begin = isDaybookError(error) && beginOf(error, request, selection?.pull)
      if (!begin || !mayRestart) throw error
      await store.writes.write(() => begin(store))
      return undefined
    }
  }

  /** One request and what came of it: whether nothing is left to do, and what was asked ahead. */
  const round = async (tally: Tally, signal: SharedSignal, before?: Ahead): Promise<Round> => {
    checkAborted(signal)
    const { direction } = tally
    const asking = await prepare(before, direction)
    const { request } = asking
    const response = await ask(asking, signal, tally.restarts < restartLimit)
    if (!response) {
      tally.restarts += 1
      return { done: false }
    }
    const ahead = direction === 'push' ? undefined : askAhead(request, response, signal)
    await receiveKeys(store, response)
    const intake = await takeOver(request, response, direction)
    const { pulled, pushed, conflicts, changed, differs, done } = intake
    tally.pulled += pulled
    tally.pushed += pushed
    tally.conflicts += conflicts
    for (const { id, kind } of changed) onChange(id, kind)
    if (differs && ++tally.restarts > restartLimit * 2) {
      throw new DaybookError('protocol-error', 'The mirror and this device do not come to have the same.')
    }
    if (!done) onState(state())
    return { done, ahead }
  }

  const run = async (signal: SharedSignal, tally: Tally): Promise<SyncResult> => {
    try {
      checkName(store, name)
      let last: Round = { done: false }
      while (!last.done || asked) last = await round(tally, signal, last.ahead)
      // Nothing is awaited since the last look at `asked`: no call can fall in between.
      leave(signal)
      failure = undefined
      const result = resultOf(tally)
      onState(state(), result)
      return result
    } catch (error) {
      leave(signal)
      const why = toDaybookError(error)
      if (why.code !== 'aborted') failure = why
      if (why.code !== 'book-closed') onState(state())
      throw why
    }
  }

  const leave = (signal: SharedSignal) => {
    if (current?.signal === signal) current = undefined
  }

  const join = (signal: AbortSignalLike, direction: SyncDirection): Run => {
    if (current && !current.signal.aborted && current.direction === direction) {
      current.signal.join(signal)
      return current
    }
    const shared = createSharedSignal()
    shared.join(signal)
    // A run that its callers gave up, or one in another direction, may not have ended yet: two at once would send the same ops.
    const given = current?.result.catch(() => undefined)
    const tally = { direction, pulled: 0, pushed: 0, conflicts: 0, restarts: 0 }
    const result = given ? given.then(() => run(shared, tally)) : run(shared, tally)
    current = { direction, signal: shared, tally, result }
    onState(state())
    return current
  }

  return {
    state,
    isRunning: () => current !== undefined,
    sync(signal, direction = 'both') {
      if (signal.aborted)
        return Promise.reject(new DaybookError('aborted', undefined, { cause: signal.reason }))
      asked = true
      return orAborted(join(signal, direction).result, signal)
    },
  }
}

/** What arrived at the mirror sealed to the book's public key has keys of its own, which a conflict is decided with. */
async function receiveKeys({ bodies: { sealer } }: BookStore, { results, changes }: SyncResponse) {
  const current = results.flatMap((result) => (result.s === 'conflict' ? [result.current] : []))
  for (const change of [...current, ...changes])
    if (change.op === 'put' && change.enc) sealer.want?.(change.enc)
  await sealer.receive?.()
}

/** The request that comes after `response`, if nothing happens meanwhile. */
function pageAfter(
  { mark: held, formerEpoch: _former, ...request }: SyncRequest,
  { epoch, cursor, mark }: SyncResponse,
): SyncRequest {
  const next = mark === undefined || cursor < (held?.seq ?? 0) ? held : { seq: cursor, x: mark }
  return { ...request, epoch, pull: { ...request.pull, cursor }, ...(next ? { mark: next } : {}) }
}

function resultOf({ pulled, pushed, conflicts }: Tally): SyncResult {
  return { pulled, pushed, conflicts }
}

/** How a device tries anew after what the mirror said; undefined when that can't help. */
function beginOf(
  error: DaybookError,
  request: SyncRequest,
  kinds: readonly string[] | undefined,
): ((store: BookStore) => void) | undefined {
  const { code, details } = error
  if (isOverLimits(error, request)) return ({ settings }) => giveUpLimits(settings)
  if (code === 'device-forked') return rename
  if (code !== 'resync-required') return undefined
  return details['reason'] === 'floor' ? (store) => beginReread(store, 0, kinds) : startOver
}

/**
 * A book that was synced as another one is not sent to this one: its file may have been put in the place of the book's, or the name
 * be a slip.
 */
function checkName({ settings }: BookStore, name: string | undefined): void {
  const synced = settings.get(mirrorName)
  if (name === undefined || synced === undefined || synced === name) return
  throw new DaybookError(
    'conflict',
    `This file was synced as the book \`${synced}\`, and nothing was sent to \`${name}\`. Sync it as \`${synced}\`, or put the right file in its place. To bring its memory to \`${name}\`, export it and import that there.`,
    { details: { path: 'name', reason: 'other-book', synced } },
  )
}

/** A device that must read anew what the mirror has can't know yet what to send. */
function checkMayPush({ settings }: BookStore): void {
  if (settings.get(resyncing) === undefined) return
  throw new DaybookError(
    'resync-required',
    'This device has to read anew what the mirror has before it sends: sync once in both directions.',
    { details: { path: 'direction' }, retry: false },
  )
}

/** The mirror may take now what it refused when this was another version of Daybook. */
function retryAfterUpdate(store: BookStore): void {
  const before = store.settings.getNumber('schema')
  const now = schemaNumber(store.kinds)
  if (before === now) return
  store.settings.set('schema', now)
  if (before > 0) store.ops.retry()
}

/** Kinds that the device fetches from now on and did not before: what the mirror has of them lies behind the cursor. */
function widen(store: BookStore, pull: readonly string[] | undefined): void {
  const { settings } = store
  const text = pull ? JSON.stringify(pull.toSorted()) : undefined
  const before = settings.get('pull_kinds')
  if (text === before) return
  if (text === undefined) settings.remove('pull_kinds')
  else settings.set('pull_kinds', text)
  const known = before === undefined ? undefined : (JSON.parse(before) as string[])
  const isWider = known !== undefined && (pull === undefined || pull.some((kind) => !known.includes(kind)))
  if (isWider && settings.get('epoch') !== undefined) beginReread(store, 0, pull)
}
