// Checks that a device and its mirror have the same records. A digest sums up the places of all records, or
// of a range; unequal digests show where the two differ. A waymark (`mark` in SPEC.md and on the wire) is a
// random word that the mirror creates at a place of its sequence and sends to the devices that have read up
// to this place.
// Invariant: a mirror knows its waymarks. A mirror that doesn't know a device's waymark was set back to an
// earlier state, so its later changes differ from those of the device.
import type { PlaceSum } from '../../store/record/place-sum.ts'
import type { WireDigest, SyncRequest, SyncResponse } from './protocol.ts'
import { toHex } from '../../core/ids.ts'
import type { Random } from '../../core/ports.ts'
import type { Settings } from '../../store/schema/settings.ts'

/** The mirror divides its sequence into at most this many ranges when a device searches for a difference. */
export const maxRanges = 64

/**
 * Returns a sum for the wire. `n`: number of records; `sum` and `squares`: of their places. `seq`: the last
 * place in the sum.
 */
export function toDigest({ n, sum, squares }: PlaceSum, seq: number): WireDigest {
  return { seq, n, x: `${sum.toString(36)}.${squares.toString(36)}` }
}

/** Returns the upper ends of at most `maxRanges` ranges of equal width that cover the places up to `head`. */
export function rangeEnds(head: number): number[] {
  const width = Math.max(1, Math.ceil(head / maxRanges))
  return Array.from({ length: Math.ceil(head / width) }, (_, i) => Math.min(head, (i + 1) * width))
}

export function digestsEqual(one: WireDigest, other: WireDigest): boolean {
  return one.seq === other.seq && one.n === other.n && one.x === other.x
}

type Waymark = NonNullable<SyncRequest['mark']>

/** Setting: the place below which waymarks were removed. One from below it counts as known. */
const oldestWaymarkKey = 'marks_from'
/** The setting of the waymark at `place`. The digits are padded, so that settings sort by place. */
const waymarkKey = (place: number) => `mark:${String(place).padStart(16, '0')}`

/** At the mirror: returns the waymark at `place`; creates it at the first call. */
export function readOrCreateWaymark(settings: Settings, random: Random, place: number): string {
  const key = waymarkKey(place)
  const stored = settings.get(key)
  if (stored !== undefined) return stored
  const waymark = toHex(random.bytes(8))
  settings.set(key, waymark)
  return waymark
}

/**
 * At the mirror: false for a waymark that it did not create. True for all below the oldest, which were
 * removed.
 */
export function knowsWaymark(settings: Settings, { seq, x }: Waymark): boolean {
  return seq < settings.getNumber(oldestWaymarkKey) || settings.get(waymarkKey(seq)) === x
}

/** At the mirror: removes the waymarks below `place`. */
export function removeWaymarksBelow(settings: Settings, place: number): void {
  if (place <= settings.getNumber(oldestWaymarkKey)) return
  settings.removeRange('mark:', waymarkKey(place))
  settings.set(oldestWaymarkKey, place)
}

/**
 * On a device: returns the waymark with the highest place. The setting has the place, a space and the word.
 */
export function readWaymark(settings: Settings): Waymark | undefined {
  const [seq, x] = (settings.get('mark') ?? '').split(' ')
  return seq && x ? { seq: Number(seq), x } : undefined
}

/** On a device: stores the waymark of an answer, unless the device has one with a higher place. */
export function storeWaymark(settings: Settings, { mark, cursor }: SyncResponse): void {
  if (mark === undefined || cursor < (readWaymark(settings)?.seq ?? 0)) return
  const text = `${cursor} ${mark}`
  if (settings.get('mark') !== text) settings.set('mark', text)
}

/** On a device: removes the waymark, because the device leaves this sequence. */
export function removeWaymark(settings: Settings): void {
  settings.remove('mark')
}
