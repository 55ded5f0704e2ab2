// Writes a bundle as a stream of texts, list by list.
// Invariant: memory holds one page of records.
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import { type Kind, pluralOf } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { RunningDigest } from '../../core/ports.ts'
import {
  type BundleHead,
  closingText,
  inBundleOrder,
  type Integrity,
  openingText,
  recordText,
  BundleTally,
} from './bundle-shape.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'

/** Characters of record bodies in a page. */
const pageLength = 100_000

export interface BundleParts {
  readonly head: BundleHead
  /** The kinds that get a list, empty or not. */
  readonly kinds: readonly Kind[]
  readonly snapshot: RecordSnapshot
  readonly digest: RunningDigest
  /** Returns the integrity of the content: its checksum, and a signature if wanted. */
  seal(checksum: string): Promise<Integrity>
  /** Called after each page. `done`: the records written so far. */
  onRecords(done: number): void
}

/** The text of the bundle, in pieces. */
export async function* writeBundle(parts: BundleParts): AsyncGenerator<string, void, undefined> {
  const { head, kinds, snapshot, digest } = parts
  const tally = new BundleTally()
  const opening = openingText(head)
  digest.update(opening.hashed)
  yield opening.file
  let done = 0
  for (const [i, kind] of inBundleOrder(kinds).entries()) {
    tally.open(kind)
    let piece = `${i === 0 ? '' : ','}${canonicalText(pluralOf(kind))}:[`
    let separator = ''
    for (let next: number | undefined = 0; next !== undefined;) {
      const page = snapshot.read(kind.name, next, pageLength)
      for (const record of page.records) {
        tally.add(kind, record)
        piece += separator + recordText(record)
        separator = ','
      }
      done += page.records.length
      next = page.next
      if (next === undefined) piece += ']'
      digest.update(piece)
      yield piece
      parts.onRecords(done)
      piece = ''
    }
  }
  const closing = closingText(canonicalText(tally.schemasUsed()), canonicalText(tally.statistics()))
  digest.update(closing.hashed)
  const integrity = await parts.seal(`sha256:${digest.hex()}`)
  yield `${closing.file},"integrity":${canonicalText(integrity as JsonObject)}}`
}
