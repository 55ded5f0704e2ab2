// Logs the recalls and contexts of this copy of the book, with their questions and hits. Entries are written with the
// next commit, or after `flushMs`.
// Invariant: no call waits for the log, the log never leaves this copy, and, except under `warn` and `off` of the
// option `secrets`, it contains no secret of known form.
import {
  type ActivityNote,
  activityKeep,
  type ActivityPort,
  type ActivityQuery,
} from '../../core/capability/activity.ts'
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { CallPort } from '../../core/capability/context.ts'
import type { Service } from '../../core/capability/chapter.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import type { Ports } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'
import { resealBatch } from '../../store/activity/activity-log.ts'
import { type ActivityReader, createActivityReader } from '../../store/activity/activity-page.ts'
import type { BookStore } from '../../store/book-store.ts'
import { accessorOf } from './access-audit.ts'
import type { Sealing } from './sealing.ts'

/** The parts of a call that are logged. */
export interface ActivityCall {
  readonly capability: Pick<AnyCapability, 'id' | 'uses'>
  readonly port: Pick<CallPort, 'caller' | 'scope' | 'now'>
  /** The capability's note of its question and its answer. */
  readonly activity: { readonly note?: ActivityNote }
}

export interface ActivityParts extends Pick<Ports, 'clock' | 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'db' | 'activity' | 'access' | 'writes' | 'newer'>
  readonly sealing: Pick<Sealing, 'begin'>
  readonly secrets: { maskInput(words: Json): Json; maskName(name: string): string }
  /** False: no new entries are logged. */
  readonly isLogged: boolean
  /** Ids of the capabilities with the effect `write`: the list shows their calls from the access log. */
  readonly writes: readonly string[]
  /** Sends the event `activity`. */
  readonly tell: (detail: { readonly count: number }) => void
}

/** Entries that no commit has written after this time get a commit of their own. */
export const flushMs = 500
/** With this many waiting entries, a commit is made without delay. */
export const flushCount = 50
/** With this many, within the call that adds one: calls that follow each other at once give a commit no turn. */
const flushAtOnceCount = 500
/** For this time after a failed commit, as on a full disk, the log makes no commit of its own for new entries. */
const restMs = 60_000
/** Pause between two removals of old entries. */
const sweepEveryMs = 3_600_000

export class Activity implements Service {
  readonly name = 'activity'
  readonly port: ActivityPort = {
    page: async (query: ActivityQuery) => (await this.#ready()).page(query),
    get: async (n) => (await this.#ready()).get(n),
    ofRecord: async (id) => (await this.#ready()).activityOfRecord(id),
  }
  readonly #parts: ActivityParts
  readonly #reader: ActivityReader | undefined
  #cancel: (() => void) | undefined
  #closed = false
  #sweptMs = -Infinity
  #restsUntilMs = -Infinity
  /** The key under which every entry is sealed. */
  #sealedWith: string | undefined

  constructor(parts: ActivityParts) {
    const { db, activity } = parts.store
    this.#parts = parts
    this.#reader = activity && createActivityReader(db, activity.texts, parts.writes)
    if (activity) activity.onWritten = (count) => parts.tell({ count })
  }

  /** Starts the entry of a call. Returns a function to call after the answer; undefined if the call is not logged. */
  begin({ capability, port, activity }: ActivityCall, purpose: string | undefined): (() => void) | undefined {
    const { store, clock, secrets, isLogged } = this.#parts
    // Absent at a mirror, and in a book that a newer Daybook wrote.
    const log = store.activity
    if (!log || !isLogged || capability.uses?.includes('recall') !== true) return undefined
    // If a record is purged before the entry is written, the entry is stored without texts.
    const erasureCount = log.erasureCount()
    const beganMs = clock.now()
    return () => {
      // The capability noted nothing: this call made no recall.
      if (!activity.note) return
      const accessor = accessorOf(port.caller, port.scope.agent)
      log.enqueue({
        accessor: { ...accessor, caller: secrets.maskName(accessor.caller) },
        at: port.now,
        capability: capability.id,
        purpose: purpose === undefined ? undefined : this.#masked(purpose),
        durationMs: clock.now() - beganMs,
        note: this.#maskedNote(activity.note),
        erasureCount,
      })
      this.#flushSoon()
    }
  }

  #masked<Words extends Json>(words: Words): Words {
    return this.#parts.secrets.maskInput(words) as Words
  }

  #maskedNote(note: ActivityNote): ActivityNote {
    const { question, context } = note
    return {
      ...note,
      question: this.#masked(question),
      ...(context ? { context: { ...context, text: this.#masked(context.text) } } : {}),
    }
  }

  async #flush(): Promise<void> {
    const { activity, access, writes } = this.#parts.store
    this.#cancel?.()
    this.#cancel = undefined
    const pending = (activity?.queueLength() ?? 0) + (access?.queueLength() ?? 0)
    if (pending > 0) await writes.write(() => undefined)
  }

  #flushQuietly(): void {
    const { clock, log } = this.#parts
    this.#flush().catch((error: unknown) => {
      this.#restsUntilMs = clock.now() + restMs
      if (!this.#closed) log.warn('Activity waits to be written.', { code: toDaybookError(error).code })
    })
  }

  #flushSoon(): void {
    const { store, clock, scheduler } = this.#parts
    if (this.#closed || clock.now() < this.#restsUntilMs) return
    const length = store.activity?.queueLength() ?? 0
    if (length >= flushAtOnceCount) return store.writes.commitTogether(() => this.#flushQuietly())
    if (length >= flushCount) return this.#flushQuietly()
    this.#cancel ??= scheduler.later(flushMs, () => {
      this.#cancel = undefined
      this.#flushQuietly()
    })
  }

  async #ready(): Promise<ActivityReader> {
    const { store, sealing } = this.#parts
    if (!this.#reader)
      throw store.newer?.error() ?? new DaybookError('internal', 'A mirror keeps no activity.')
    // On a full disk the log stays readable: pending entries are written later.
    await this.#flush().catch(() => undefined)
    // `begin` reads the keys of the book.
    if (this.#reader.hasSealed()) await sealing.begin()
    return this.#reader
  }

  idle(): void {
    const { store, clock, log } = this.#parts
    const { activity, writes } = store
    if (!activity || this.#closed) return
    // Names the current key; undefined without a key.
    const key = activity.texts.sealedPrefix()
    const isDue = clock.now() - this.#sweptMs >= sweepEveryMs
    if (!isDue && (key === undefined || key === this.#sealedWith)) return
    if (isDue) this.#sweptMs = clock.now()
    const since = formatTime(clock.now() - activityKeep.ms)
    writes
      .write(() => {
        if (isDue) activity.prune(since)
        return activity.reseal(resealBatch)
      })
      .then((count) => {
        // After a full batch, more entries may have to be sealed.
        if (count < resealBatch) this.#sealedWith = key
      })
      .catch((error: unknown) => {
        if (!this.#closed) log.warn('Activity waits to be swept.', { code: toDaybookError(error).code })
      })
  }

  /** The write queue closes later, and commits pending entries. */
  close(): void {
    void this.#flush().catch(() => undefined)
    this.#closed = true
  }
}
