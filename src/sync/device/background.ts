// Sync with no engine running: the book leaves what the mirror has not acknowledged as final bytes in a place outside of
// itself, a service worker sends them, and the book takes over the answers when it is next open.
// Invariant: handing over changes nothing but the place of bytes. The book goes on sending the same ones itself.
import type { Clock, Scheduler, SpillPlace } from '../../core/ports.ts'
import type { SyncState } from '../../core/capability/status.ts'
import { isDaybookError } from '../../core/errors.ts'
import { formatTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { SyncSelection } from './outbox.ts'
import { parseSyncRequest, parseSyncResponse, type SyncRequest } from '../wire/protocol.ts'
import { spillRequests, takeLate } from './spill.ts'

export interface BackgroundOptions {
  readonly store: BookStore
  readonly place: SpillPlace
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly selection: SyncSelection
  /** True when the book syncs by itself. Otherwise it hands over only what somebody has asked it to send. */
  readonly isAutomatic: boolean
  /** Called for each record that a late answer changed, after its commit. */
  readonly onChange: (id: string, kind: string) => void
  /** Called when `state` may say something new. */
  readonly onState: () => void
}

export interface Background {
  /** Whether a service worker is there to send what the book hands over. Until somebody says so, there is none. */
  allow(isAllowed: boolean): void
  /** Hands over what the mirror has not acknowledged; true when something is there now. Call it before the engine may end. */
  spill(): Promise<boolean>
  /** Replaces what was handed over and withdrawn since. Settles once nothing of it is there. */
  renew(): Promise<unknown>
  /** Somebody wrote while this engine can send nothing. */
  acted(): void
  /** A sync failed; a service worker may bring later what it did not. */
  failed(): void
  /** A sync came to its end. */
  done(): void
  state(): NonNullable<SyncState['background']>
  close(): void
}

/** The book hands over together what somebody wrote within this long. */
const spillDelayMs = 500

export function createBackground(options: BackgroundOptions): Background {
  const { store, place, clock, scheduler, selection, isAutomatic, onChange, onState } = options
  let isAllowed = false
  let isHanded = false
  let closed = false
  let cancel: (() => void) | undefined

  /** What an engine left there may be of another version of this code, or altered: then it is of no use. */
  const takeAnswer = async (request: string, answer: string) => {
    try {
      const asked: unknown = JSON.parse(request)
      parseSyncRequest(asked)
      const came = parseSyncResponse(JSON.parse(answer))
      const at = formatTime(clock.now())
      const answered = { request: asked as SyncRequest, response: came, now: at, selection }
      return (await store.writes.write(() => takeLate(store, answered)))?.changed ?? []
    } catch (error) {
      if (error instanceof SyntaxError || isDaybookError(error, 'invalid-input')) return []
      if (isDaybookError(error, 'protocol-error')) return []
      throw error
    }
  }

  const takeOver = async () => {
    const changed = new Map<string, string>()
    for (const { request, answer } of await place.read()) {
      if (answer === undefined) continue
      for (const { id, kind } of await takeAnswer(request, answer)) changed.set(id, kind)
    }
    for (const [id, kind] of changed) onChange(id, kind)
    if (changed.size > 0) onState()
    // The book has committed the answers, and sends what had none itself.
    await place.clear()
  }

  const handOver = async () => {
    if (!isAllowed) return false
    const requests = await store.writes.write(() => spillRequests(store, selection, isAutomatic))
    const before = isHanded
    isHanded = requests.length > 0
    if (isHanded) await place.put(requests.map((request) => JSON.stringify(request)))
    else if (before) await place.clear()
    if (isHanded || before) onState()
    return isHanded
  }

  /** One after another; what fails here is no failure of the book, which has everything and sends it itself. */
  let last: Promise<unknown> = takeOver().catch(() => undefined)
  const next = (work: () => Promise<boolean>) => {
    const result = last.then(() => (closed ? false : work().catch(() => false)))
    last = result
    return result
  }
  const now = () => {
    cancel?.()
    cancel = undefined
    return next(handOver)
  }
  const soon = () => void (cancel ??= scheduler.later(spillDelayMs, () => void now()))

  return {
    allow(allowed) {
      if (allowed === isAllowed) return
      isAllowed = allowed
      onState()
    },
    spill: now,
    renew: () =>
      next(async () => {
        if (!isHanded) return false
        // First nothing, so that a failure of the next step leaves nothing either.
        await place.clear()
        return handOver()
      }),
    acted: soon,
    failed: soon,
    done() {
      if (isHanded) void now()
    },
    state: () => (isAllowed ? (isHanded ? 'handed' : 'ready') : 'missing'),
    close() {
      closed = true
      cancel?.()
    },
  }
}
