// One page of what changed at the mirror after a place in its sequence.
// Invariant: the cursor is the place of the last record looked at, so that no change is ever passed over.
import { utf8Length } from '../core/utf8.ts'
import type { BookStore } from '../store/book-store.ts'
import type { SyncRequest, SyncResponse, WireChange } from './protocol.ts'
import { toChange } from './wire-op.ts'

/** Rows read at once: bodies are large, and what does not fit the page is read for nothing. */
const chunk = 32
/** What a change takes on the wire beside its body, roughly. */
const headBytes = 300

/** Changes after `pull.cursor`, without those at the places in `known`, which the device learns from its results. */
export function readChanges(
  { records, settings, device }: Pick<BookStore, 'records' | 'settings' | 'device'>,
  pull: SyncRequest['pull'],
  known: ReadonlySet<number>,
): Pick<SyncResponse, 'changes' | 'cursor' | 'more'> {
  const changes: WireChange[] = []
  let cursor = pull.cursor
  let bytes = 0
  for (;;) {
    const rows = records.changedAfter(cursor, chunk, pull.kinds)
    for (const row of rows) {
      if (!known.has(row.place)) {
        bytes += utf8Length(row.body) + headBytes
        const full = changes.length === pull.limit || (changes.length > 0 && bytes > pull.maxBytes)
        if (full) return { changes, cursor, more: true }
        changes.push(toChange(row, device))
      }
      cursor = row.place
    }
    if (rows.length < chunk) return { changes, cursor: settings.getNumber('head'), more: false }
  }
}
