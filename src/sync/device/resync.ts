// Resync: reads the mirror again from a place in its sequence, because it collected tombstones that this device never
// read or because the two differ. Or starts over with another mirror.
// Invariant: a resync removes records that the mirror no longer has, unless this device changed them.
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import type { SyncResponse, WireChange } from '../wire/protocol.ts'
import { removeLimits } from './request-limit.ts'
import { removeWaymark, digestsEqual, toDigest } from '../wire/agreement.ts'

/**
 * Setting that is present during a resync, and its value while places above the cursor are read again. Another value:
 * the device starts over with a mirror that may lack its records.
 */
export const resyncingKey = 'resyncing'
const rereadingValue = 'reread'

/** Setting: the last epoch, from starting over until a mirror answers. */
export const formerEpochKey = 'former_epoch'

/**
 * Starts to fetch all changes above place `from` again. The device sends nothing until it has read them. Records whose
 * place is cleared and not confirmed by then are gone at the mirror: see `removeUnread`.
 */
export function beginResync(store: BookStore, from: number, kinds?: readonly string[]): void {
  store.records.clearMirrorPlaces(from, kinds)
  store.settings.set('cursor', from)
  store.settings.set(resyncingKey, rereadingValue)
}

export function isRereading({ settings }: Pick<BookStore, 'settings'>): boolean {
  return settings.get(resyncingKey) === rereadingValue
}

/** Confirms that `row` already has `change`, maybe with a pending edit on top. False: the change is new. */
export function confirmReread(store: BookStore, row: RecordRow, { ver, seq, by }: WireChange): boolean {
  if (row.op === null && row.ver !== ver) return false
  store.records.confirmVersion(row.seq, { ver: row.ver, place: seq, device: by })
  return true
}

/** After the last page: removes records that the mirror no longer has. Returns the changed records. */
export function removeUnread(
  store: BookStore,
  { lastMid, now, kinds }: { lastMid: number; now: string; kinds?: readonly string[] | undefined },
): { id: string; kind: string }[] {
  // The mirror never took the ops with a higher `mid`.
  store.ops.makeUnsentAbove(lastMid)
  return store.records.withoutMirrorPlace(kinds).flatMap((row) => {
    const { id, kind, deleted } = row
    if (deleted) return []
    // A pending edit: the mirror knows whether the record was forgotten or purged, and decides.
    if (row.op !== null) {
      store.ops.retry([id])
      return []
    }
    const { agent, stamp, ver, device } = row
    store.records.applyFromMirror(
      { op: 'forget', kind, id, at: now, stamp, agent },
      { ver, place: 0, device: device ?? store.device },
    )
    // The record may have been purged: remove earlier versions and losing edits, too.
    store.purge.purge(id, row.seq)
    return [{ id, kind }]
  })
}

/**
 * Compares the sums of device and mirror when both should be equal. On a difference, the next request asks for sums
 * by range, and the device reads again from the first different range. True: they differ.
 */
export function compareDigest(
  store: BookStore,
  { digest, ranges, more }: SyncResponse,
  kinds?: readonly string[],
): boolean {
  const { settings, sums } = store
  const isIdle = !more && settings.get(resyncingKey) === undefined && store.ops.pendingCount() === 0
  if (!digest || !isIdle) return false
  // `agreed`: the last digest that was equal; the same one needs no second check.
  const key = JSON.stringify(digest)
  if (settings.get('agreed') === key) return false
  if (digestsEqual(toDigest(sums.sumRange({ from: 0, to: digest.seq, kinds }), digest.seq), digest)) {
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
    if (!digestsEqual(toDigest(sums.sumRange({ from, to: range.seq, kinds }), range.seq), range)) break
    from = range.seq
  }
  settings.remove('differs')
  settings.set('repairs', 1 + settings.getNumber('repairs'))
  beginResync(store, from, kinds)
  return true
}

/**
 * Starts over with a mirror that this device doesn't know. No local record is lost: the device sends again what that
 * mirror lacks. Until the mirror answers, requests contain the former epoch, so that an erased book doesn't come
 * back.
 */
export function startOver(store: BookStore): void {
  const epoch = store.settings.get('epoch')
  if (epoch !== undefined) store.settings.set(formerEpochKey, epoch)
  renameDevice(store, 0)
  store.records.clearMirrorVersions()
  store.settings.remove('epoch')
  store.settings.set('cursor', 0)
  store.settings.set(resyncingKey, 1)
  store.settings.remove('floor')
  removeLimits(store.settings)
  removeWaymark(store.settings)
}

/**
 * Gives this copy a new device id, because another copy syncs with the old one. `base`: the mirror's version that all
 * pending ops build on from now on; absent: unchanged.
 */
export function renameDevice(store: BookStore, base?: number): void {
  store.renameDevice()
  store.ops.resetMids(base)
}
