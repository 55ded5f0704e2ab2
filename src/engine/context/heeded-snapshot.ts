// The snapshot of a guest's export, which may be read for longer than what it was begun under holds.
// Invariant: a page has no record that policies, or the receipt it was begun with, keep from the guest when the page is read.
import type { Guest } from '../../core/capability/caller.ts'
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import { withoutOwnerPaths } from '../../core/kind.ts'
import { createSeenRecords, type SeenRecordsStore } from './seen-records.ts'

/** `renew` is the guest as it stands now; it throws when its receipt is over. */
export function heedPolicies(
  snapshot: RecordSnapshot,
  store: SeenRecordsStore,
  renew: () => Guest,
): RecordSnapshot {
  return {
    ...snapshot,
    read(kindName, from, length) {
      const guest = renew()
      const page = snapshot.read(kindName, from, length)
      const kind = store.kinds.get(kindName)
      if (kind?.byPolicy !== true && !kind?.madeFrom) return page
      const { live } = createSeenRecords(store, guest)
      const records = page.records
        .filter(({ id }) => live(id) !== undefined)
        .map((record) => withoutOwnerPaths(kind, record))
      return { ...page, records }
    },
  }
}
