// Opens a record from anywhere: in the view of its kind, or in place where any kind may be open.
import { kindNamed } from '../../kind/kind-table.ts'
import type { BookRecord } from '../../kind/record-kind.ts'
import { address, go, listedKind } from '../address.ts'
import { focusDetail } from './focus.ts'
import { isOfRecall, isView } from '../../kind/view.ts'

export function openRecord({ id, kind }: Pick<BookRecord, 'id' | 'kind'>): void {
  const home = kindNamed(kind)?.view ?? ''
  const isInPlace = isOfRecall(address.peek().view) || listedKind.peek()?.name === kind
  if (isInPlace) go({ id })
  // The list of its kind, whole: filters that were left there could hide it.
  else if (isView(home)) go({ view: home, search: '', chips: [], id })
  focusDetail()
}
