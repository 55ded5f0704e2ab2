// Puts a book away that may be another process's: its pages come through whoever holds it, and are put away by this process,
// with the credentials that were given to it. Invariant: an export that is not read to its end is given up.
import { randomBytes } from 'node:crypto'
import type { CapabilityInput, CapabilityOutput, Daybook } from '../../../../book/daybook.ts'
import { removeExpired, putArchive, type Removal, type Retention } from '../../../../bundle/put-archive.ts'
import type { ArchiveStore } from '../../../../core/capability/port/archive-port.ts'
import type { Progress } from '../../../../core/capability/progress.ts'

type Wish = Pick<
  CapabilityInput<'bundle:export'>,
  'kinds' | 'from' | 'to' | 'passphrase' | 'sign' | 'include_sensitive'
>
type Page = CapabilityOutput<'bundle:export'>

export interface ArchiveAsked {
  /** The name of the book. */
  readonly name: string
  readonly wish: Wish
  readonly retention: Retention
  readonly signal: AbortSignal
  tell(step: Progress): void
}

export type Archived = Removal & {
  readonly key: string
  readonly bytes: number
  readonly checksum: string
  readonly records: number
  readonly sealed?: number | undefined
}

export async function archiveBook(
  book: Daybook,
  store: ArchiveStore,
  { name, wish, retention, signal, tell }: ArchiveAsked,
): Promise<Archived> {
  const first = await book.bundles.export(wish, { signal })
  let last: Page = first
  async function* texts(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) {
        tell({ done: last.done, total: last.total, what: 'Archived' })
        yield last.text
        if (last.cursor === undefined) return
        last = await book.bundles.export({ cursor: last.cursor }, { signal })
      }
    } finally {
      if (last.cursor !== undefined)
        await book.bundles.export({ cursor: last.cursor, cancel: true }).catch(() => undefined)
    }
  }
  const now = new Date().toISOString()
  const exportedAt = first.exported_at ?? now
  const suffix = randomBytes(4).toString('hex')
  const { key, bytes } = await putArchive(store, { book: name, exportedAt, suffix }, texts(), signal)
  const removal = await removeExpired(store, retention, { book: name, own: key, now, signal })
  const { done: records, checksum = '', sealed } = last
  return { key, bytes, checksum, records, ...(sealed === undefined ? {} : { sealed }), ...removal }
}
