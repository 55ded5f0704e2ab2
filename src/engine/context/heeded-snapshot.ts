// The snapshot of a guest's export, which may be read for longer than what it was begun under holds.
// Invariant: a page has no record that policies, or the receipt it was begun with, keep from the guest when the page is read,
// and no id of a record that the guest may not see then.
import type { Guest } from '../../core/capability/caller.ts'
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import { withoutOwnerPaths } from '../../core/kind.ts'
import { createSeenRecords, type SeenRecordsStore } from './seen-records.ts'
import { shownRecords } from './shown-queries.ts'

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
      const isHeeded = kind?.byPolicy === true || kind?.madeFrom !== undefined
      const { live } = createSeenRecords(store, guest)
      const records = isHeeded
        ? page.records
            .filter(({ id }) => live(id) !== undefined)
            .map((record) => withoutOwnerPaths(kind, record))
        : page.records
      const shown = shownRecords(records, store.kinds, store.queries.within(guest.reach))
      return { ...page, records: [...shown] }
    },
  }
}
