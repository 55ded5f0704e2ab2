// Opens a record from anywhere: in its own room, or in place where records of any kind may be open.
import { roomOfKind } from '../../kind/room-table.ts'
import type { BookRecord } from '../../kind/room.ts'
import { address, go, room } from '../address.ts'
import { focusDetail } from '../focus.ts'
import { isOfRecall, isView } from '../../kind/view.ts'

export function openRecord({ id, kind }: Pick<BookRecord, 'id' | 'kind'>): void {
  const home = roomOfKind(kind)?.view ?? ''
  const isInPlace = isOfRecall(address.peek().view) || room.peek()?.kind === kind
  if (isInPlace) go({ id })
  // The list of its room, whole: filters that were left there could hide it.
  else if (isView(home)) go({ view: home, search: '', chips: [], id })
  focusDetail()
}
