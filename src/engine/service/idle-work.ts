// Works in idle moments: derives pending rows, reads texts into the text index in memory, scrubs (clears
// deleted content from the text index and the files), and updates the checkpoint: the copy of the records in
// a second file, for when the book's file is damaged (store/repair/checkpoint.ts). The kind `checkpoint` is
// another thing.
// Invariant: a step is short: a call that arrives during a step waits a few milliseconds at most.
import type { Service } from '../../core/capability/chapter.ts'
import { isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { Ports, Scheduler } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { Checkpoint } from '../../store/repair/checkpoint.ts'

/**
 * Time without commits before idle work. A sync sends a mirror several requests, one after another; the
 * mirror must not do idle work between them.
 */
const idleMs = { device: 60, mirror: 1000 } as const
/** Delay after the opening: the first call does not wait for texts to be read. */
const openedMs = 300
/** Pause between two steps, for calls. */
const stepMs = 4
/** Delay after a failed step, as on a full disk. */
const retryMs = 5000
/** Records whose rows one step derives. */
const batch = 100
/** Texts in a batch. One step reads up to `textBatches` batches, and stops after `textSliceMs`. */
const textBatch = 20
const textSliceMs = 6
const textBatches = 25

/** Most records whose derived rows may be pending: some 12 seconds of work, done in slices. */
export const lagLimit = 50_000
/**
 * The limit when the disk is nearly full. Few rows may be pending then, because a read that finds no space to
 * derive them fails.
 */
const scarceLag = 50
/** Scrubbing takes at most this share of the time. */
const scrubShare = 1 / 20

export interface IdleWorkParts extends Pick<Ports, 'clock' | 'scheduler' | 'log'> {
  readonly store: Pick<BookStore, 'role' | 'newer' | 'textIndex' | 'projection' | 'purge'>
  /** Called each time no derived rows are pending and all texts are read. */
  readonly onIdle: () => void
  /** True while a sync with the mirror runs: the work waits. */
  readonly isBusy: () => boolean
  /** Most records that may be pending before writers wait. Default: `lagLimit`. */
  readonly lag?: number | undefined
  /** True while the disk is nearly full. Default: never. */
  readonly isScarce?: (() => boolean) | undefined
}

/**
 * Starts idle work after the opening (300 ms on a device, 1 s at a mirror), and once nothing was committed for 60 ms
 * on a device or 1 s at a mirror; while a write is on its way to its commit, it waits once more. After a commit with more than `lag` records pending, the writer waits while
 * slightly more rows are derived than it wrote, so the backlog doesn't grow.
 */
export function createIdleWork(parts: IdleWorkParts): Service {
  const { store, clock, scheduler, log, onIdle, isBusy, lag = lagLimit, isScarce } = parts
  const waitMs = idleMs[store.role]
  let stopped = false
  let cancel: (() => void) | undefined
  let scrubAt = -Infinity
  /** The delay of the waiting timer; infinite without one. */
  let delay = Infinity
  /** The last commit while the timer waited, in milliseconds; undefined: none. */
  let committedAt: number | undefined
  /** A write was called and may not be committed yet. A large one takes longer than `waitMs`. */
  let isWriting = false
  /** Scrubs if it is due. Returns the milliseconds to wait if it is too early; undefined otherwise. */
  const scrub = (): number | undefined => {
    if (!store.purge.isDue()) return undefined
    const began = clock.now()
    if (began < scrubAt) return scrubAt - began
    store.purge.scrub()
    scrubAt = clock.now() + (clock.now() - began) / scrubShare
    return undefined
  }
  /** True if texts may be left to read. */
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
    delay = delayMs
    committedAt = undefined
    cancel = scheduler.later(delayMs, () => {
      delay = Infinity
      if (stopped) return
      if (committedAt !== undefined)
        return workIn(Math.min(waitMs, Math.max(1, committedAt + waitMs - clock.now())))
      const isWaiting = isWriting
      isWriting = false
      if (isWaiting || isBusy()) return workIn(waitMs)
      try {
        if (store.projection.step(batch) || readTexts()) workIn(stepMs)
        else {
          const tooEarlyMs = scrub()
          // A scrub may empty the text index: then rows are pending again.
          if (store.projection.step(batch)) return workIn(stepMs)
          if (tooEarlyMs !== undefined) workIn(tooEarlyMs)
          onIdle()
        }
      } catch (error) {
        // No call waits for this work. A call that needs the derived rows derives them itself, and gets the error.
        log.warn('Work in an idle moment failed and is tried again.', { code: toDaybookError(error).code })
        workIn(retryMs)
      }
    })
  }
  // `newer`: a newer Daybook wrote the book, so it is read-only here and gets no derived rows.
  if (!store.newer) workIn(Math.max(openedMs, waitMs))
  return {
    name: 'idle work',
    called(effect) {
      isWriting ||= effect === 'write'
    },
    committed() {
      isWriting = false
      try {
        store.projection.keepUp(isScarce?.() === true ? Math.min(lag, scarceLag) : lag)
      } catch (error) {
        // The write is committed; only its derived rows stay pending.
        log.warn('Indexing behind a write failed and is tried again.', { code: toDaybookError(error).code })
      }
      // A new timer for each commit would cost more than the rest of this method.
      if (delay > waitMs) workIn(waitMs)
      else committedAt = clock.now()
    },
    close() {
      stopped = true
      cancel?.()
    },
  }
}

/**
 * Delay before the checkpoint: callers are busy after an opening, and often change a record again within this time.
 */
const checkpointQuietMs = 5000
const checkpointStepMs = 8
const checkpointBatch = 40
/** While the book is written, a step waits this long, at most `mostWaits` times: it would hold up each write. */
const checkpointWaitMs = 100
const mostWaits = 20

export interface CheckpointWorkParts {
  readonly checkpoint: Pick<Checkpoint, 'step' | 'removeForSpace' | 'close'>
  readonly scheduler: Pick<Scheduler, 'later'>
  /** Called with an error of a step, such as a fault of the book's file, which the checkpoint copies. */
  readonly onFault: (error: unknown) => void
  /** Called when the checkpoint was removed because a call found the disk full. */
  readonly onGivenUp: (() => void) | undefined
}

/** Updates the checkpoint, a few records at a time, and removes it on a full disk. */
export function createCheckpointWork(parts: CheckpointWorkParts): Service {
  const { checkpoint, scheduler, onFault, onGivenUp } = parts
  let cancel: (() => void) | undefined
  let closed = false
  let wasWritten = false
  let waits = 0
  const workIn = (delayMs: number) => {
    cancel = scheduler.later(delayMs, () => {
      cancel = undefined
      if (closed) return
      const mustWait = wasWritten && waits < mostWaits
      wasWritten = false
      waits = mustWait ? waits + 1 : 0
      if (mustWait) return workIn(checkpointWaitMs)
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
    committed() {
      wasWritten = true
    },
    failed(error) {
      if (isDaybookError(error, 'storage-full') && checkpoint.removeForSpace()) onGivenUp?.()
    },
    close() {
      closed = true
      cancel?.()
      checkpoint.close()
    },
  }
}
