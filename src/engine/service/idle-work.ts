// What the engine does when no call came for a moment: derived rows are filled in, texts are taken into memory.
// Invariant: a step is short, so that a call that comes in the middle waits a few milliseconds at most.
import type { Service } from '../../core/capability/service.ts'
import { toDaybookError } from '../../core/errors.ts'
import type { Ports } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'

/** Requests of a sync come to a mirror one after another: between them is no time for this. */
const idleMs = { device: 60, mirror: 1000 } as const
/** Who opens a book calls it next, and is not to wait for postings that are being read. */
const openedMs = 300
const stepMs = 4
/** After a disk that failed: it may have room again by then. */
const retryMs = 5000
const batch = 100
/** Texts are taken into memory in smaller portions, several at once while that takes less than this long. */
const textBatch = 20
const textSliceMs = 6
const textBatches = 25

/** No more records than this wait for an idle moment, or for the first read: some 12 seconds of work, done in slices. */
export const lagLimit = 50_000

export interface IdleWorkParts extends Pick<Ports, 'clock' | 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'role' | 'newer' | 'textIndex' | 'projection' | 'purge'>
  /** Called each time when there is nothing left to do. */
  readonly onIdle: () => void
  /** While this answers true, the work waits. */
  readonly isBusy: () => boolean
  readonly lag?: number | undefined
  readonly isScarce?: (() => boolean) | undefined
}

/** So many wait on a disk that is nearly full: what is derived must find room, or nothing could be read. */
const scarceLag = 50

/** Scrubbing takes at most this share of the time. */
const scrubShare = 1 / 20

/**
 * Begins a while after the book was opened, and once nothing was written for 60 ms on a device and for 1 s at a mirror. After
 * a commit it has the writer wait for what is too much to be left.
 */
export function createIdleWork(parts: IdleWorkParts): Service {
  const { store, clock, scheduler, log, onIdle, isBusy, lag = lagLimit, isScarce } = parts
  const waitMs = idleMs[store.role]
  let stopped = false
  let cancel: (() => void) | undefined
  /** The next scrub comes no sooner. */
  let scrubAt = -Infinity
  /** The milliseconds until the scrub that is due may begin; undefined where none is. */
  const scrub = (): number | undefined => {
    if (!store.purge.isDue()) return undefined
    const began = clock.now()
    if (began < scrubAt) return scrubAt - began
    store.purge.scrub()
    scrubAt = clock.now() + (clock.now() - began) / scrubShare
    return undefined
  }
  const takeTexts = () => {
    const began = clock.now()
    for (let i = 0; i < textBatches; i++) {
      if (!store.textIndex?.step(textBatch)) return false
      if (clock.now() - began >= textSliceMs) break
    }
    return true
  }
  const workIn = (delayMs: number) => {
    cancel?.()
    cancel = scheduler.later(delayMs, () => {
      if (stopped) return
      if (isBusy()) return workIn(waitMs)
      try {
        if (store.projection.step(batch) || takeTexts()) workIn(stepMs)
        else {
          const waits = scrub()
          if (waits !== undefined) workIn(waits)
          onIdle()
        }
      } catch (error) {
        // Nobody called, so nobody can be told; whoever needs what is missing fills it in, and is told then.
        log.warn('Work in an idle moment failed and is tried again.', { code: toDaybookError(error).code })
        workIn(retryMs)
      }
    })
  }
  // A book that can't be written has nothing to be filled in.
  if (!store.newer) workIn(Math.max(openedMs, waitMs))
  return {
    name: 'idle work',
    committed() {
      try {
        store.projection.keepUp(isScarce?.() === true ? Math.min(lag, scarceLag) : lag)
      } catch (error) {
        // The write is committed whatever happens here, and what is behind stays behind.
        log.warn('Indexing behind a write failed and is tried again.', { code: toDaybookError(error).code })
      }
      workIn(waitMs)
    },
    close() {
      stopped = true
      cancel?.()
    },
  }
}
