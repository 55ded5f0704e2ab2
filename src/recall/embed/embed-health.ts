// The health of an embedder, shared by its callers: after a failure they pause.
import { toDaybookError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { formatTime } from '../../core/time.ts'

export interface EmbedHealth {
  failed(error: unknown): void
  succeeded(): void
  /** Milliseconds until the next call; 0 for now. */
  restMs(): number
  lastError(): { readonly code: string; readonly message: string; readonly at: string } | undefined
}

/** The first pause, doubled with each failure in a row. Without a retry, the longest. */
const firstRestMs = 1000
const longestRestMs = 300_000

/** `onChange`: called when it fails or recovers. */
export function createEmbedHealth(clock: Clock, onChange: () => void): EmbedHealth {
  let failures = 0
  let restUntil = 0
  let last: { code: string; message: string; at: string } | undefined
  return {
    failed(thrown) {
      const error = toDaybookError(thrown)
      const now = clock.now()
      const { retryAfterMs } = error.details
      const least = typeof retryAfterMs === 'number' ? retryAfterMs : 0
      const rest = error.retry ? firstRestMs * 2 ** Math.min(failures, 10) : longestRestMs
      failures += 1
      restUntil = now + Math.max(least, Math.min(rest, longestRestMs))
      last = { code: error.code, message: error.message, at: formatTime(now) }
      onChange()
    },
    succeeded() {
      failures = 0
      restUntil = 0
      if (!last) return
      last = undefined
      onChange()
    },
    restMs: () => Math.max(0, restUntil - clock.now()),
    lastError: () => last,
  }
}
