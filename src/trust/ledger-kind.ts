// What the kinds have in common on which access to a book rests: tokens, keys of devices, access keys.
import type { Kind } from '../core/kind.ts'

/** Never found or shown as a memory, sent ahead of all else; the mirror's word counts, and what was forgotten stays so. */
export const ledgerKind = {
  text: [],
  policy: 'remote_wins',
  urgent: true,
  guests: 'none',
  recallable: () => false,
} as const satisfies Partial<Kind>
