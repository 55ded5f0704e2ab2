// The ids of other records in what a guest's device fetches and sends. Invariants: it is given the ids of records of kinds that
// it may fetch, and of no others; and what it was not given stays where it is when the device sends the record back.
import type { JsonObject } from '../../core/json/path.ts'
import { withHiddenLinks, withShownLinks } from '../../core/record-link.ts'
import { sealedOf } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import type { WireOp } from '../wire/protocol.ts'
import type { SyncReach } from '../wire/sync-reach.ts'
import { encodeChange, toChange } from '../wire/wire-op.ts'

type LinkStore = Pick<BookStore, 'records' | 'kinds' | 'device'>

const isShownTo =
  ({ records }: LinkStore, reach: SyncReach) =>
  (id: string) => {
    const row = records.row(id)
    return row !== undefined && records.isCarried(row, reach.pulled)
  }

/** `said`, a change or one side of it, as the device may have it. The owner's have all of it. */
export function shownTo<Said extends object>(
  store: LinkStore,
  kind: string,
  said: Said,
  reach: SyncReach | undefined,
): Said {
  const { body } = said as { readonly body?: JsonObject }
  if (!reach || !body) return said
  const shown = withShownLinks(store.kinds.get(kind), body, isShownTo(store, reach))
  return shown === body ? said : { ...said, body: shown }
}

/** A change as it travels to the device. */
export function encodeShown(store: LinkStore, row: RecordRow, reach: SyncReach | undefined): string {
  const hasLinks = store.kinds.get(row.kind)?.links !== undefined
  if (!reach || !hasLinks || row.deleted || sealedOf(row.body)) return encodeChange(row, store.device)
  return JSON.stringify(shownTo(store, row.kind, toChange(row, store.device), reach))
}

/** An op of a guest, with what it was not given of the record in `row`. */
export function withKeptLinks(
  store: LinkStore,
  op: WireOp,
  row: RecordRow | undefined,
  reach: SyncReach,
): WireOp {
  const kind = store.kinds.get(op.kind)
  if (op.op !== 'put' || !op.body || !kind?.links) return op
  if (!row || row.deleted || row.kind !== op.kind || sealedOf(row.body)) return op
  const stands = JSON.parse(row.body) as JsonObject
  return { ...op, body: withHiddenLinks(kind, op.body, stands, isShownTo(store, reach)) }
}
