// Keeps recalls and contexts as they were asked of this copy of the book. Invariant: nobody waits for it, nothing of it leaves
// this copy, and no secret of known form is in it; what was asked is written with the next commit, or `flushMs` later.
import {
  type ActivityNote,
  type ActivityPage,
  activityKeep,
  type ActivityPort,
} from '../../core/capability/activity.ts'
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { CallPort } from '../../core/capability/context.ts'
import type { Service } from '../../core/capability/service.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Ports } from '../../core/ports.ts'
import type { Json } from '../../core/json/path.ts'
import { formatTime } from '../../core/time.ts'
import { createActivityReader } from '../../store/activity/activity-page.ts'
import type { BookStore } from '../../store/book-store.ts'
import { accessorOf } from './access-audit.ts'
import type { Sealing } from './sealing.ts'

/** What of a call is kept beside its question. */
export interface ActivityCall {
  readonly capability: Pick<AnyCapability, 'id' | 'uses'>
  readonly port: Pick<CallPort, 'caller' | 'scope' | 'now'>
  /** What its capability notes while it answers. */
  readonly kept: { readonly note?: ActivityNote }
}

export interface Activity extends Service {
  /** A call begins; what comes back is called once it is answered. Undefined where nothing of it is kept. */
  begin(call: ActivityCall, purpose: string | undefined): (() => void) | undefined
  readonly port: ActivityPort
}

export interface ActivityParts extends Pick<Ports, 'clock' | 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'db' | 'activity' | 'access' | 'writes' | 'newer'>
  readonly sealing: Pick<Sealing, 'begin'>
  readonly secrets: { maskInput(words: Json): Json; maskName(name: string): string }
  /** False: nothing more is kept. */
  readonly isKept: boolean
  /** The capabilities that change a book. */
  readonly writes: readonly string[]
  readonly tell: (detail: { readonly count: number }) => void
}

/** What was not written by a commit until then is written by one of its own. */
export const flushMs = 500
/** So many are not left to wait for it. */
export const flushCount = 50
/** After a commit that failed, as on a full disk: meanwhile only the commits of others take along what waits. */
const restMs = 60_000
const sweepEveryMs = 3_600_000
const sealAtOnce = 100

export function createActivity(parts: ActivityParts): Activity {
  const { store, clock, scheduler, log, sealing } = parts
  const { activity, writes } = store
  const reader = activity && createActivityReader(store.db, activity.words, parts.writes)
  let cancel: (() => void) | undefined
  let closed = false
  let sweptMs = -Infinity
  let restsUntilMs = -Infinity
  /** With which key everything is sealed. */
  let sealedWith: string | undefined
  if (activity) activity.onWritten = (count) => parts.tell({ count })

  const masked = <Words extends Json>(words: Words): Words => parts.secrets.maskInput(words) as Words
  const maskedNote = (note: ActivityNote): ActivityNote => ({
    ...note,
    asked: masked(note.asked),
    ...(note.packed ? { packed: { ...note.packed, text: masked(note.packed.text) } } : {}),
  })
  const flush = async () => {
    cancel?.()
    cancel = undefined
    const waits = (activity?.waiting() ?? 0) + (store.access?.waiting() ?? 0)
    if (waits > 0) await writes.write(() => undefined)
  }
  const flushQuietly = () => {
    flush().catch((error: unknown) => {
      restsUntilMs = clock.now() + restMs
      if (!closed) log.warn('Activity waits to be written.', { code: toDaybookError(error).code })
    })
  }
  const flushSoon = () => {
    if (closed || clock.now() < restsUntilMs) return
    if ((activity?.waiting() ?? 0) >= flushCount) return flushQuietly()
    cancel ??= scheduler.later(flushMs, () => {
      cancel = undefined
      flushQuietly()
    })
  }
  const ready = async () => {
    if (!reader) throw store.newer?.error() ?? new DaybookError('internal', 'A mirror keeps no activity.')
    // What can’t be written now is shown when it was; a full book stays readable.
    await flush().catch(() => undefined)
    if (reader.hasSealed()) await sealing.begin()
    return reader
  }

  return {
    name: 'activity',
    begin({ capability, port, kept }, purpose) {
      if (!activity || !parts.isKept || capability.uses?.includes('recall') !== true) return undefined
      const covered = activity.covered()
      const beganMs = clock.now()
      return () => {
        if (!kept.note) return
        const accessor = accessorOf(port.caller, port.scope.agent)
        activity.gather({
          accessor: { ...accessor, caller: parts.secrets.maskName(accessor.caller) },
          at: port.now,
          capability: capability.id,
          purpose: purpose === undefined ? undefined : masked(purpose),
          took: clock.now() - beganMs,
          note: maskedNote(kept.note),
          covered,
        })
        flushSoon()
      }
    },
    port: {
      page: async (query): Promise<ActivityPage> => (await ready()).page(query),
      get: async (n) => (await ready()).get(n),
      ofRecord: async (id) => (await ready()).ofRecord(id),
    },
    idle() {
      if (!activity || closed) return
      const prefix = activity.words.sealedPrefix()
      const isDue = clock.now() - sweptMs >= sweepEveryMs
      if (!isDue && (prefix === undefined || prefix === sealedWith)) return
      if (isDue) sweptMs = clock.now()
      const since = formatTime(clock.now() - activityKeep.ms)
      writes
        .write(() => {
          if (isDue) activity.sweep(since)
          return activity.sealAgain(sealAtOnce)
        })
        .then((found) => {
          // There may be more of them.
          if (found < sealAtOnce) sealedWith = prefix
        })
        .catch((error: unknown) => {
          if (!closed) log.warn('Activity waits to be swept.', { code: toDaybookError(error).code })
        })
    },
    close() {
      // The write queue is closed after this, and commits what waits.
      void flush().catch(() => undefined)
      closed = true
    },
  }
}
