// The questions of a guest, answered with records as the guest is shown them. Invariant: no record that they answer has the id
// of one that the guest may not see.
import type { JsonObject } from '../../core/json/path.ts'
import type { Kinds } from '../../core/kind.ts'
import { linkedIds, withShownLinks } from '../../core/record-link.ts'
import type { BookStore } from '../../store/book-store.ts'

type Queries = BookStore['queries']

/** `records` without the ids that `queries` does not hold; asked once for all of them. */
export function shownRecords<One extends JsonObject & { readonly kind: string }>(
  records: readonly One[],
  kinds: Kinds,
  queries: Pick<Queries, 'held'>,
): readonly One[] {
  const ids = new Set(records.flatMap((record) => linkedIds(kinds.get(record.kind), record)))
  if (ids.size === 0) return records
  const held = queries.held([...ids])
  return records.map((record) => withShownLinks(kinds.get(record.kind), record, (id) => held.has(id)))
}

/** `queries`, which are bounded by the reach of a guest. */
export function shownQueries(queries: Queries, kinds: Kinds): Queries {
  return {
    ...queries,
    query(query) {
      const page = queries.query(query)
      return { ...page, records: [...shownRecords(page.records, kinds, queries)] }
    },
    search(query) {
      const hits = queries.search(query)
      const records = shownRecords(
        hits.map(({ record }) => record),
        kinds,
        queries,
      )
      return hits.map((hit, i) => ({ ...hit, record: records[i] ?? hit.record }))
    },
    read(seqs) {
      const found = [...queries.read(seqs)]
      const records = shownRecords(
        found.map(([, record]) => record),
        kinds,
        queries,
      )
      return new Map(found.map(([seq, record], i) => [seq, records[i] ?? record]))
    },
    citing: (id) => (queries.held([id]).has(id) ? queries.citing(id) : []),
  }
}
