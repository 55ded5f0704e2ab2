// What the engine does when no call came for a moment: derived rows are filled in, texts are taken into memory.
// Invariant: a step is short, so that a call that comes in the middle waits a few milliseconds at most.
import type { Ports } from './core/ports.ts'
import type { BookStore } from './store/book-store.ts'

const idleMs = 60
const stepMs = 4
const batch = 100
/** Texts are taken into memory in smaller portions, several at once while that takes less than this long. */
const textBatch = 20
const textSliceMs = 6
const textBatches = 25

export interface IdleWork {
  /** Begins once nothing was asked for since, for 60 ms. */
  soon(): void
  stop(): void
}

/** `after` is called each time when there is nothing left to do. */
export function createIdleWork({
  store,
  clock,
  scheduler,
  after,
}: Pick<Ports, 'clock' | 'scheduler'> & { readonly store: BookStore; readonly after: () => void }): IdleWork {
  let stopped = false
  let cancel: (() => void) | undefined
  const takeTexts = () => {
    const began = clock.now()
    for (let i = 0; i < textBatches; i++) {
      if (!store.textLeg?.step(textBatch)) return false
      if (clock.now() - began >= textSliceMs) break
    }
    return true
  }
  const workIn = (delayMs: number) => {
    cancel?.()
    cancel = scheduler.later(delayMs, () => {
      if (stopped) return
      if (store.projection.step(batch) || takeTexts()) workIn(stepMs)
      else after()
    })
  }
  return {
    soon: () => workIn(idleMs),
    stop() {
      stopped = true
      cancel?.()
    },
  }
}
