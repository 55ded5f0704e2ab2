// Work in idle moments: derived rows are filled in, texts are read into memory, the checkpoint follows.
// Invariant: a step is short, so that a call in the middle of it waits a few milliseconds at most.
import type { Service } from '../../core/capability/chapter.ts'
import { isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { Ports, Scheduler } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Checkpoint } from '../../store/repair/checkpoint.ts'

/** A mirror gets the requests of a sync one after another, and must not work between them. */
const idleMs = { device: 60, mirror: 1000 } as const
/** The first call after an opening does not wait for texts to be read. */
const openedMs = 300
const stepMs = 4
/** After a failed disk: it may have space again by then. */
const retryMs = 5000
const batch = 100
/** Texts are read in smaller batches, several in a row while that takes less than this long. */
const textBatch = 20
const textSliceMs = 6
const textBatches = 25

/**
 * At most so many records wait for an idle moment, or for the first read: some 12 seconds of work, done in slices.
 */
export const lagLimit = 50_000
/** The same on a disk that is nearly full: derived rows must find space, or nothing could be read. */
const scarceLag = 50
/** Scrubbing takes at most this share of the time. */
const scrubShare = 1 / 20

export interface IdleWorkParts extends Pick<Ports, 'clock' | 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'role' | 'newer' | 'textIndex' | 'projection' | 'purge'>
  /** Called each time when no work is left. */
  readonly onIdle: () => void
  /** True: the work waits. */
  readonly isBusy: () => boolean
  readonly lag?: number | undefined
  readonly isScarce?: (() => boolean) | undefined
}

/**
 * Begins a while after the book was opened, and once nothing was written for 60 ms on a device or 1 s at a mirror.
 * After a commit, the writer waits for work beyond the permitted lag.
 */
export function createIdleWork(parts: IdleWorkParts): Service {
  const { store, clock, scheduler, log, onIdle, isBusy, lag = lagLimit, isScarce } = parts
  const waitMs = idleMs[store.role]
  let stopped = false
  let cancel: (() => void) | undefined
  let scrubAt = -Infinity
  /** Scrubs if that is due; answers the milliseconds to wait if it may not begin yet. */
  const scrub = (): number | undefined => {
    if (!store.purge.isDue()) return undefined
    const began = clock.now()
    if (began < scrubAt) return scrubAt - began
    store.purge.scrub()
    scrubAt = clock.now() + (clock.now() - began) / scrubShare
    return undefined
  }
  const readTexts = () => {
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
        if (store.projection.step(batch) || readTexts()) workIn(stepMs)
        else {
          const waits = scrub()
          if (waits !== undefined) workIn(waits)
          onIdle()
        }
      } catch (error) {
        // There is no call to report to; a call that needs the work does it, and gets the error.
        log.warn('Work in an idle moment failed and is tried again.', { code: toDaybookError(error).code })
        workIn(retryMs)
      }
    })
  }
  // A read-only book has nothing to fill in.
  if (!store.newer) workIn(Math.max(openedMs, waitMs))
  return {
    name: 'idle work',
    committed() {
      try {
        store.projection.keepUp(isScarce?.() === true ? Math.min(lag, scarceLag) : lag)
      } catch (error) {
        // The write is committed all the same, and the work stays pending.
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

/** Callers are busy after an opening, and a record is often changed again within this time. */
const checkpointQuietMs = 5000
const checkpointStepMs = 8
const checkpointBatch = 40

export interface CheckpointWorkParts {
  readonly checkpoint: Pick<Checkpoint, 'step' | 'giveUp' | 'close'>
  readonly scheduler: Pick<Scheduler, 'later'>
  /** Called with a fault of the book that is copied. */
  readonly onFault: (error: unknown) => void
  /** Called when the checkpoint was removed because a call found the disk full. */
  readonly onGivenUp: (() => void) | undefined
}

/** Updates the checkpoint, a few records at a time, and removes it on a full disk. */
export function createCheckpointWork(parts: CheckpointWorkParts): Service {
  const { checkpoint, scheduler, onFault, onGivenUp } = parts
  let cancel: (() => void) | undefined
  let closed = false
  const workIn = (delayMs: number) => {
    cancel = scheduler.later(delayMs, () => {
      cancel = undefined
      if (closed) return
      try {
        if (checkpoint.step(checkpointBatch)) workIn(checkpointStepMs)
      } catch (error) {
        onFault(error)
      }
    })
  }
  return {
    name: 'checkpoint work',
    idle() {
      if (!closed && !cancel) workIn(checkpointQuietMs)
    },
    failed(error) {
      if (isDaybookError(error, 'storage-full') && checkpoint.giveUp()) onGivenUp?.()
    },
    close() {
      closed = true
      cancel?.()
      checkpoint.close()
    },
  }
}
