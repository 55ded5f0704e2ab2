// Common fields of the kinds that control access to a book: all kinds of the chapter of trust.
import type { Kind } from '../core/kind.ts'

/**
 * Such records are never found or shown as memories (`text: []`, `recallable`), and no guest reaches them
 * (`guests`). Sync sends them before all others (`urgent`), the mirror's version wins (`policy`), and
 * forgetting is final (no `laterEditRevives`).
 */
export const ledgerKind = {
  text: [],
  policy: 'remote_wins',
  urgent: true,
  guests: 'none',
  recallable: false,
} as const satisfies Partial<Kind>
