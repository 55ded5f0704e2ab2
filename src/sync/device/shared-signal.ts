// One signal for callers that share a piece of work: aborted when each of them has given up.
import type { AbortSignalLike } from '../../core/abort.ts'

export interface SharedSignal extends AbortSignalLike {
  join(signal: AbortSignalLike): void
}

export function createSharedSignal(): SharedSignal {
  const callers = new Set<AbortSignalLike>()
  const listeners = new Set<() => void>()
  let aborted = false
  const check = () => {
    if (aborted || [...callers].some((caller) => !caller.aborted)) return
    aborted = true
    for (const listener of listeners) listener()
    listeners.clear()
  }
  return {
    get aborted() {
      return aborted
    },
    join(signal) {
      callers.add(signal)
      signal.addEventListener('abort', check, { once: true })
    },
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  }
}
