// What the cases of the contract are given: books to open, and the error a promise ends with.
import { type DaybookError, isDaybookError } from '../../src/core/errors.ts'
import type { Daybook, Live, LiveSnapshot } from '../../src/book/daybook.ts'
import type { SecretMode } from '../../src/core/secret/stored-secrets.ts'
import type { EmbedderOptions } from '../../src/recall/embed/embedder-options.ts'

/** What a test wants beside the defaults. */
export interface BookOptions {
  readonly embedder?: EmbedderOptions
  readonly passphrase?: string
  readonly secrets?: SecretMode
  readonly activity?: boolean
  /** Default UTC, wherever the test runs. */
  readonly timeZone?: string
}

/** Gives each test a book of its own and closes it afterwards. */
export interface BookCase {
  book(options?: BookOptions): Promise<Daybook>
  reopen(book: Daybook, options?: BookOptions): Promise<Daybook>
  /** Closes the book, runs SQL in its database behind its back, and opens it again. */
  alter(book: Daybook, statements: readonly string[]): Promise<Daybook>
}

/** The error a promise rejects with; fails when it resolves. */
export async function failure(promise: Promise<unknown>): Promise<DaybookError> {
  const error = await promise.then(
    () => new Error('expected a rejection'),
    (reason: unknown) => reason,
  )
  if (!isDaybookError(error)) throw error
  return error
}

/** Of calls that run at the same time. Each is caught at once: one that fails before its turn would be nobody's. */
export const failures = (calls: readonly Promise<unknown>[]): Promise<DaybookError[]> =>
  Promise.all(calls.map(failure))

/** Resolves with the first snapshot that `isIt` takes, the one there is included. Listens until then. */
export function snapshotOf<T>(
  live: Live<T>,
  isIt: (snapshot: LiveSnapshot<T>) => boolean,
): Promise<LiveSnapshot<T>> {
  return new Promise((resolve) => {
    const look = () => {
      const snapshot = live.getSnapshot()
      if (!isIt(snapshot)) return
      off()
      resolve(snapshot)
    }
    const off = live.subscribe(look)
    look()
  })
}

/** The first answer there is from now on; rejects with the error in its place. */
export async function answerOf<T>(live: Live<T>): Promise<T> {
  const { data, error } = await snapshotOf(live, ({ status }) => status !== 'loading')
  if (error) throw error
  return data as T
}
