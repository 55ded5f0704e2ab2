// Common fields of the kinds that control access to a book: tokens, device keys, access keys.
import type { Kind } from '../core/kind.ts'

/**
 * Such records are never found or shown as memories. Sync sends them before all others, the mirror's version wins,
 * and forgetting is final.
 */
export const ledgerKind = {
  text: [],
  policy: 'remote_wins',
  urgent: true,
  guests: 'none',
  recallable: false,
} as const satisfies Partial<Kind>
