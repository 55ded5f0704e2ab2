// Erases a book: first at the mirror, then here.
// Invariant: nothing is erased here before the mirror confirms. A crash between both erasures leaves the whole book
// here: its next sync reports the erasure at the mirror, and a second erasure finishes the work.
import type { AbortSignalLike } from '../core/abort.ts'
import { checkConfirmed } from '../core/book.ts'
import type { EndPort } from '../core/capability/context.ts'
import { DaybookError } from '../core/errors.ts'
import type { BookEventFeed } from './service/book-events.ts'
import type { BookSync } from './service/book-sync.ts'
import type { EngineOptions } from './engine-options.ts'

export interface EndOfBookParts {
  readonly options: Pick<EngineOptions, 'name' | 'eraseHere'>
  readonly sync: Pick<BookSync, 'end' | 'sync'> | undefined
  readonly events: Pick<BookEventFeed, 'endsBy'>
}

export type EndOfBook = (signal: AbortSignalLike) => EndPort

/** `sync` undefined: the book has no mirror, or a newer Daybook wrote it. */
export function createEndOfBook({ options, sync, events }: EndOfBookParts): EndOfBook {
  const { name, eraseHere } = options
  return (signal) => ({
    async erase({ confirm, mirror }) {
      checkConfirmed(confirm, name)
      if (!eraseHere) throw new DaybookError('storage-unavailable', 'This host can’t erase its books.')
      if (mirror) {
        if (!sync) throw new DaybookError('sync-off')
        await sync.end.erase(confirm, signal)
      }
      // `eraseHere` closes the engine, which then sends `closed` with this error.
      events.endsBy(new DaybookError('book-erased'))
      try {
        await eraseHere()
      } catch (error) {
        events.endsBy(undefined)
        throw error
      }
      return { erased: true, name, mirror }
    },
    async startOver({ confirm }) {
      checkConfirmed(confirm, name)
      if (!sync) throw new DaybookError('sync-off')
      const begun = await sync.end.beginAgain(confirm, signal)
      return { begun, ...(await sync.sync(signal)) }
    },
  })
}
