// A command, and the list that commands about records act on.
import type { View } from '../../kind/view.ts'
import { address, listedKind } from '../address.ts'

export interface Command {
  readonly name: string
  readonly key?: string
  readonly run: () => void
}

/** The current view of records, or that of traces. */
export function listView(): View {
  return listedKind.peek() ? address.peek().view : 'traces'
}
