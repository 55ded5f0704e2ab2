// Brings the checkpoint up to date in idle moments, a few records at a time, and gives it up where the disk is full.
// Invariant: who has just opened a book, or writes to it, is not kept waiting for it.
import type { Service } from '../../core/capability/service.ts'
import { isDaybookError } from '../../core/errors.ts'
import type { Scheduler } from '../../core/ports.ts'
import type { Checkpoint } from '../../store/repair/checkpoint.ts'

/** Who has just opened a book has something to do; and what is written is often changed again within this. */
const quietMs = 5000
const stepMs = 8
const batch = 40

export interface CheckpointWorkParts {
  readonly checkpoint: Pick<Checkpoint, 'step' | 'giveUp' | 'close'>
  readonly scheduler: Pick<Scheduler, 'later'>
  /** Called with what is wrong with the book that is copied. */
  readonly onFault: (error: unknown) => void
  /** Called when the copy was removed because a call found no room for its own. */
  readonly onGivenUp: (() => void) | undefined
}

export function createCheckpointWork(parts: CheckpointWorkParts): Service {
  const { checkpoint, scheduler, onFault, onGivenUp } = parts
  let cancel: (() => void) | undefined
  let closed = false
  const workIn = (delayMs: number) => {
    cancel = scheduler.later(delayMs, () => {
      cancel = undefined
      if (closed) return
      try {
        if (checkpoint.step(batch)) workIn(stepMs)
      } catch (error) {
        onFault(error)
      }
    })
  }
  return {
    name: 'checkpoint work',
    idle() {
      if (!closed && !cancel) workIn(quietMs)
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
