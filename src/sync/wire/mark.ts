// Marks: a random word that the mirror writes at a place of its sequence, and gives to each device that has read up to there.
// Invariant: a mirror knows the marks it gave. One that does not know the mark of a device was set back to an earlier state,
// and what it has written at those places since is not what the device has from there.
import { toHex } from '../../core/ids.ts'
import type { Random } from '../../core/ports.ts'
import type { Settings } from '../../store/schema/settings.ts'
import type { SyncRequest, SyncResponse } from './protocol.ts'

type Mark = NonNullable<SyncRequest['mark']>

const oldest = 'marks_from'
/** In the order of places. */
const keyOf = (place: number) => `mark:${String(place).padStart(16, '0')}`

/** At the mirror: the mark at `place`, made when it is first asked for. */
export function giveMark(settings: Settings, random: Random, place: number): string {
  const key = keyOf(place)
  const known = settings.get(key)
  if (known !== undefined) return known
  const mark = toHex(random.bytes(8))
  settings.set(key, mark)
  return mark
}

/** At the mirror: false for a mark that it would know if it had given it. */
export function knowsMark(settings: Settings, { seq, x }: Mark): boolean {
  return seq < settings.getNumber(oldest) || settings.get(keyOf(seq)) === x
}

/** At the mirror: takes away the marks below `place`. */
export function dropMarks(settings: Settings, place: number): void {
  if (place <= settings.getNumber(oldest)) return
  settings.removeRange('mark:', keyOf(place))
  settings.set(oldest, place)
}

/** On a device: the mark at the highest place for which a mirror gave it one. */
export function heldMark(settings: Settings): Mark | undefined {
  const [seq, x] = (settings.get('mark') ?? '').split(' ')
  return seq && x ? { seq: Number(seq), x } : undefined
}

/** On a device: keeps the mark that came with an answer. */
export function holdMark(settings: Settings, { mark, cursor }: SyncResponse): void {
  if (mark === undefined || cursor < (heldMark(settings)?.seq ?? 0)) return
  const text = `${cursor} ${mark}`
  if (settings.get('mark') !== text) settings.set('mark', text)
}

/** On a device: forgets the marks of a sequence that it leaves. */
export function dropMark(settings: Settings): void {
  settings.remove('mark')
}
