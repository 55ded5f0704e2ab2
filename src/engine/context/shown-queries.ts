// A guest's queries and snapshots, with records as the guest is shown them.
// Invariant: no record in an answer has the id of a record that the guest may not see.
import type { Guest } from '../../core/capability/caller.ts'
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { type Kinds, withoutOwnerPaths } from '../../core/kind.ts'
import { linkedIds, withShownLinks } from '../../core/record-link.ts'
import type { BookStore } from '../../store/book-store.ts'
import { SeenRecords, type SeenRecordsStore } from './seen-records.ts'

type Queries = BookStore['queries']

/** `records` without the ids of records that `queries` does not find; one look-up for all ids. */
export function shownRecords<One extends JsonObject & { readonly kind: string }>(
  records: readonly One[],
  kinds: Kinds,
  queries: Pick<Queries, 'findVisibleIds'>,
): readonly One[] {
  const ids = new Set(records.flatMap((record) => linkedIds(kinds.get(record.kind), record)))
  if (ids.size === 0) return records
  const visible = queries.findVisibleIds([...ids])
  return records.map((record) => withShownLinks(kinds.get(record.kind), record, (id) => visible.has(id)))
}

/** `queries` without ids of hidden records in the answers. `queries` must be bounded by the reach of a guest. */
export function shownQueries(queries: Queries, kinds: Kinds): Queries {
  return {
    ...queries,
    query(query) {
      const page = queries.query(query)
      return { ...page, records: [...shownRecords(page.records, kinds, queries)] }
    },
    search(query) {
      const hits = queries.search(query)
      const found = hits.map(({ record }) => record)
      const records = shownRecords(found, kinds, queries)
      return hits.map((hit, i) => ({ ...hit, record: records[i] ?? hit.record }))
    },
    read(seqs) {
      const found = [...queries.read(seqs)]
      const all = found.map(([, record]) => record)
      const records = shownRecords(all, kinds, queries)
      return new Map(found.map(([seq, record], i) => [seq, records[i] ?? record]))
    },
    citing: (id) => (queries.findVisibleIds([id]).has(id) ? queries.citing(id) : []),
  }
}

/**
 * The snapshot of a guest's export. Each page follows the policies and the receipt at the time of its read, which may
 * be long after the export began. `renew` returns the guest at that time, and throws once the guest's receipt has
 * ended.
 */
export function shownSnapshot(
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
      // Policies and sources may have changed since the snapshot.
      const needsCheck = kind?.byPolicy === true || kind?.madeFrom !== undefined
      const seen = new SeenRecords(store, guest)
      const live = needsCheck ? page.records.filter(({ id }) => seen.live(id) !== undefined) : page.records
      const records = live.map((record) => withoutOwnerPaths(kind, record))
      const shown = shownRecords(records, store.kinds, store.queries.within(guest.reach))
      return { ...page, records: [...shown] }
    },
  }
}
