// The health of an embedder, shared by its callers: after a failure they pause.
import { toDaybookError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'

export interface EmbedHealth {
  recordFailure(error: unknown): void
  recordSuccess(): void
  /** Milliseconds until the next call; 0 for now. */
  pauseLeftMs(): number
  lastError(): { readonly code: string; readonly message: string; readonly at: string } | undefined
}

/** The first pause, doubled with each failure in a row. Without a retry, the longest. */
const firstPauseMs = 1000
const maxPauseMs = 300_000

/** `onChange`: called when it fails or recovers. */
export function createEmbedHealth(clock: Clock, onChange: () => void): EmbedHealth {
  let failures = 0
  let pausedUntilMs = 0
  let lastError: { code: string; message: string; at: string } | undefined
  return {
    recordFailure(thrown) {
      const error = toDaybookError(thrown)
      const now = clock.now()
      const { retryAfterMs } = error.details
      const minPauseMs = typeof retryAfterMs === 'number' ? retryAfterMs : 0
      const pauseMs = error.retry ? firstPauseMs * 2 ** Math.min(failures, 10) : maxPauseMs
      failures += 1
      pausedUntilMs = now + Math.max(minPauseMs, Math.min(pauseMs, maxPauseMs))
      lastError = { code: error.code, message: error.message, at: formatTime(now) }
      onChange()
    },
    recordSuccess() {
      failures = 0
      pausedUntilMs = 0
      if (!lastError) return
      lastError = undefined
      onChange()
    },
    pauseLeftMs: () => Math.max(0, pausedUntilMs - clock.now()),
    lastError: () => lastError,
  }
}
