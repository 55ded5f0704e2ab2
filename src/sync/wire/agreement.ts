// Checks that a device and its mirror agree. Digests are sums over places, of all or by range; they show where the
// two differ. Marks are random words that the mirror creates at places of its sequence and sends to devices at that
// place.
// Invariant: a mirror knows its marks. A mirror that doesn't know a device's mark was set back to an earlier state,
// so its later changes differ from those of the device.
import type { PlaceSum } from '../../store/record/place-sum.ts'
import type { WireDigest, SyncRequest, SyncResponse } from './protocol.ts'
import { toHex } from '../../core/ids.ts'
import type { Random } from '../../core/ports.ts'
import type { Settings } from '../../store/schema/settings.ts'

/** Maximum of ranges into which the mirror divides its sequence when a device searches for a difference. */
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

type Mark = NonNullable<SyncRequest['mark']>

/** Setting: the place below which marks were removed. An older mark counts as known. */
const oldestMarkKey = 'marks_from'
/** Returns the setting of a mark. Settings sort by place. */
const markKey = (place: number) => `mark:${String(place).padStart(16, '0')}`

/** At the mirror: returns the mark at `place`; creates it at the first call. */
export function readOrCreateMark(settings: Settings, random: Random, place: number): string {
  const key = markKey(place)
  const stored = settings.get(key)
  if (stored !== undefined) return stored
  const mark = toHex(random.bytes(8))
  settings.set(key, mark)
  return mark
}

/** At the mirror: false for a mark that this mirror did not create. */
export function knowsMark(settings: Settings, { seq, x }: Mark): boolean {
  return seq < settings.getNumber(oldestMarkKey) || settings.get(markKey(seq)) === x
}

/** At the mirror: removes marks below `place`. */
export function removeMarksBelow(settings: Settings, place: number): void {
  if (place <= settings.getNumber(oldestMarkKey)) return
  settings.removeRange('mark:', markKey(place))
  settings.set(oldestMarkKey, place)
}

/** On a device: returns the mark with the highest place. */
export function readMark(settings: Settings): Mark | undefined {
  const [seq, x] = (settings.get('mark') ?? '').split(' ')
  return seq && x ? { seq: Number(seq), x } : undefined
}

/** On a device: stores the mark of an answer. */
export function storeMark(settings: Settings, { mark, cursor }: SyncResponse): void {
  if (mark === undefined || cursor < (readMark(settings)?.seq ?? 0)) return
  const text = `${cursor} ${mark}`
  if (settings.get('mark') !== text) settings.set('mark', text)
}

/** On a device: removes the mark, because the device leaves this sequence. */
export function removeMark(settings: Settings): void {
  settings.remove('mark')
}
