// How the view of a kind looks: what the pane of the open record shows, and what stands there while there is none.
import type { ComponentChildren } from 'preact'
import type { BookRecord } from '../../kind/record-kind.ts'

export interface Face<Item extends BookRecord = BookRecord> {
  /** The parts of the open record, above its links and history. */
  Sections(props: { record: Item }): ComponentChildren
  /** The whole view while there are none: what would be there, and how to make it. */
  Empty(): ComponentChildren
  /** Acts on the kind as a whole, beside the filters, such as granting a token. */
  Tools?(): ComponentChildren
  /** What can be done with the open record, in its bar. */
  Acts?(props: { record: Item }): ComponentChildren
}
