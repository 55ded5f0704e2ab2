// Writes a bundle as a stream of texts, list by list.
// Invariant: memory holds one page of records.
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import { type Kind, pluralOf } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { RunningDigest } from '../../core/ports.ts'
import {
  type BundleHead,
  textAfterLists,
  sortInBundleOrder,
  type Integrity,
  textBeforeLists,
  recordText,
  BundleStatistics,
} from './bundle-shape.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'

/** Characters of record bodies in a page. */
const maxPageCharacters = 100_000

export interface BundleWriterInput {
  readonly head: BundleHead
  /** The kinds that get a list, empty or not. */
  readonly kinds: readonly Kind[]
  readonly snapshot: RecordSnapshot
  readonly digest: RunningDigest
  /** Returns the integrity of the content: its checksum, and a signature if wanted. */
  createIntegrity(checksum: string): Promise<Integrity>
  /** Called after each page. `done`: the records written so far. */
  onProgress(done: number): void
}

/** The text of the bundle, in pieces. */
export async function* writeBundle(input: BundleWriterInput): AsyncGenerator<string, void, undefined> {
  const { head, kinds, snapshot, digest } = input
  const statistics = new BundleStatistics()
  const opening = textBeforeLists(head)
  // The checksum is over members in order of name, so the hashed text differs from the file before and after
  // the lists.
  digest.update(opening.hashed)
  yield opening.file
  let done = 0
  for (const [i, kind] of sortInBundleOrder(kinds).entries()) {
    statistics.addKind(kind)
    let text = `${i === 0 ? '' : ','}${canonicalText(pluralOf(kind))}:[`
    let separator = ''
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page = snapshot.read(kind.name, offset, maxPageCharacters)
      for (const record of page.records) {
        statistics.addRecord(kind, record)
        text += separator + recordText(record)
        separator = ','
      }
      done += page.records.length
      offset = page.next
      if (offset === undefined) text += ']'
      digest.update(text)
      yield text
      input.onProgress(done)
      text = ''
    }
  }
  const closing = textAfterLists(
    canonicalText(statistics.schemasUsed()),
    canonicalText(statistics.statistics()),
  )
  digest.update(closing.hashed)
  const integrity = await input.createIntegrity(`sha256:${digest.hex()}`)
  yield `${closing.file},"integrity":${canonicalText(integrity as JsonObject)}}`
}
