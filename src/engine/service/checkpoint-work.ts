// Brings the checkpoint up to date in idle moments, a few records at a time.
// Invariant: who has just opened a book, or writes to it, is not kept waiting for it.
import type { Scheduler } from '../../core/ports.ts'
import type { Checkpoint } from '../../store/repair/checkpoint.ts'

/** Who has just opened a book has something to do; and what is written is often changed again within this. */
const quietMs = 5000
const stepMs = 8
const batch = 40

export interface CheckpointWork {
  /** There is nothing else to do. */
  wake(): void
  close(): void
}

/** `onFault` is told what is wrong with the book that is copied. */
export function createCheckpointWork(
  checkpoint: Pick<Checkpoint, 'step' | 'close'>,
  scheduler: Scheduler,
  onFault: (error: unknown) => void,
): CheckpointWork {
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
    wake() {
      if (!closed && !cancel) workIn(quietMs)
    },
    close() {
      closed = true
      cancel?.()
      checkpoint.close()
    },
  }
}
