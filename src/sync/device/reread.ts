// Reading the mirror anew, from a place in its sequence: after it has collected tombstones that this device never saw,
// or where the two were found to differ. Invariant: what the mirror no longer has goes, unless it was changed here.
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import type { SyncResponse, WireChange } from '../wire/protocol.ts'
import { sameDigest, toDigest } from '../wire/digest.ts'

/** The setting that says so, and its value while everything above some place is read anew. */
export const resyncing = 'resyncing'
const rereading = 'reread'

/** The last epoch that this device knew, from when it starts over until a mirror has answered it. */
export const formerEpoch = 'former_epoch'

/** From here on the device asks again for the changes above place `from`, and sends nothing until it has read them all. */
export function beginReread(store: BookStore, from: number, kinds?: readonly string[]): void {
  store.records.clearMirrorPlaces(from, kinds)
  store.settings.set('cursor', from)
  store.settings.set(resyncing, rereading)
}

export function isRereading({ settings }: Pick<BookStore, 'settings'>): boolean {
  return settings.get(resyncing) === rereading
}

/** Finds `change` again in `row`, which has it already or has an edit on top of it; false when it is new here. */
export function findAgain(store: BookStore, row: RecordRow, { ver, seq, by }: WireChange): boolean {
  if (row.op === null && row.ver !== ver) return false
  store.records.confirm(row.seq, { ver: row.ver, place: seq, device: by })
  return true
}

/** After the last page: the mirror no longer has what the device did not find again. Answers what changed here. */
export function endReread(
  store: BookStore,
  { lastMid, now, kinds }: { lastMid: number; now: string; kinds?: readonly string[] | undefined },
): { id: string; kind: string }[] {
  store.ops.unsend(lastMid)
  return store.records.withoutMirrorPlace(kinds).flatMap((row) => {
    const { id, kind, deleted } = row
    if (deleted) return []
    // The mirror knows whether it was forgotten or purged, and decides; so it does of an edit that it could not take before.
    if (row.op !== null) {
      store.ops.retry([id])
      return []
    }
    const { agent, stamp, ver, device } = row
    store.records.accept(
      { op: 'forget', kind, id, at: now, stamp, agent },
      { ver, place: 0, device: device ?? store.device },
    )
    // Nobody says any more whether it was purged: earlier versions and lost edits go as if it was.
    store.purge.purge(id, row.seq)
    return [{ id, kind }]
  })
}

/**
 * Holds this device's sum against the mirror's once both should have the same. On a difference the next request asks
 * where it is, and the device reads everything anew from there. True when they differ.
 */
export function checkDigest(
  store: BookStore,
  { digest, ranges, more }: SyncResponse,
  kinds?: readonly string[],
): boolean {
  const { settings, sums } = store
  const isAtRest = !more && settings.get(resyncing) === undefined && store.ops.pendingCount() === 0
  if (!digest || !isAtRest) return false
  const key = JSON.stringify(digest)
  if (settings.get('agreed') === key) return false
  if (sameDigest(toDigest(sums.add({ from: 0, to: digest.seq, kinds }), digest.seq), digest)) {
    settings.set('agreed', key)
    settings.remove('differs')
    return false
  }
  if (!ranges) {
    settings.set('differs', 1)
    return true
  }
  let from = 0
  for (const range of ranges) {
    if (!sameDigest(toDigest(sums.add({ from, to: range.seq, kinds }), range.seq), range)) break
    from = range.seq
  }
  settings.remove('differs')
  settings.set('repairs', 1 + settings.getNumber('repairs'))
  beginReread(store, from, kinds)
  return true
}
