// One page of what changed at the mirror after a place in its sequence.
// Invariant: the cursor is the place of the last record looked at, so that no change is ever passed over.
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { SyncRequest } from '../wire/protocol.ts'
import type { SyncReach } from '../wire/sync-reach.ts'
import { encodeShown } from './guest-link.ts'

export interface ChangePage {
  /** Each as it travels. */
  readonly changes: readonly string[]
  readonly cursor: number
  readonly more: boolean
}

/** Rows read at once: bodies are large, and what does not fit the page is read for nothing. */
const chunk = 32

/**
 * Changes after `pull.cursor`, without those at the places in `known`, which the device learns from its results. `reach`: that of
 * a guest's device.
 */
export function readChanges(
  store: Pick<BookStore, 'records' | 'settings' | 'device' | 'kinds'>,
  pull: SyncRequest['pull'],
  known: ReadonlySet<number>,
  reach?: SyncReach,
): ChangePage {
  const { records, settings } = store
  const changes: string[] = []
  let cursor = pull.cursor
  let bytes = 0
  for (;;) {
    const rows = records.changedAfter(cursor, chunk, pull.kinds, reach?.pulled)
    for (const row of rows) {
      if (!known.has(row.place)) {
        const change = encodeShown(store, row, reach)
        bytes += utf8Length(change)
        const full = changes.length === pull.limit || (changes.length > 0 && bytes > pull.maxBytes)
        if (full) return { changes, cursor, more: true }
        changes.push(change)
      }
      cursor = row.place
    }
    if (rows.length < chunk) return { changes, cursor: settings.getNumber('head'), more: false }
  }
}
