// How the view of a kind looks: what stands there while there is none, and what its open record shows.
import type { ComponentChildren } from 'preact'
import type { BookRecord } from '../../kind/record-kind.ts'

export interface Face {
  /** The whole view while there are none: what would be there, and how to make it. */
  Empty(): ComponentChildren
  /** Acts on the kind as a whole, beside the filters, such as granting a token. */
  Tools?(): ComponentChildren
}

export interface DetailFace<Item extends BookRecord = BookRecord> {
  /** The parts of the open record, above its links and history. */
  Sections(props: { record: Item }): ComponentChildren
  /** What can be done with the open record, in its bar. */
  Acts?(props: { record: Item }): ComponentChildren
}
