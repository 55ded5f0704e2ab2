// Maps users' DIDs to books and back.
// Invariant: a book has one DID: its local DID, or the DID that the deployment maps to the book.
import { isBookName } from '../../../core/book.ts'
import { DaybookError, invalidInput } from '../../../core/errors.ts'
import { isDid, lacksNamespace, readA2pDid } from '../../../shape/did.ts'

const localDid = (book: string) => `did:a2p:user:local:${book}`

/**
 * Parses `DAYBOOK_DID`, such as `did:a2p:user:example:alice=alice …`: users' DIDs and their books. Throws `internal`
 * for a malformed setting, or a repeated DID or book.
 */
export function parseProfileBooks(text = ''): ReadonlyMap<string, string> {
  const books = new Map<string, string>()
  for (const pair of text.split(/[\s,]+/).filter((one) => one !== '')) {
    const [did = '', book = '', ...more] = pair.split('=')
    const isNew = !books.has(did) && ![...books.values()].includes(book)
    if (more.length > 0 || !isDid(did) || !isBookName(book) || !isNew)
      throw new DaybookError(
        'internal',
        '`DAYBOOK_DID` must look like `did:a2p:user:example:alice=alice`: a DID and its book, each once.',
      )
    books.set(did, book)
  }
  return books
}

/** Creates the error of an invalid DID. `path`: the parameter with the DID. */
export const invalidDidError = (path: string) =>
  invalidInput(path, `It is not a DID, such as did:a2p:user:local:alice`, { reason: 'Invalid DID' })

const noProfileError = () =>
  new DaybookError('not-found', 'There is no profile with this DID here.', { details: { path: 'did' } })

/**
 * Returns the DID of an address. Throws `invalid-input` for an invalid DID, and `not-found` for a DID without a
 * namespace, because no profile has such a DID.
 */
export function checkedProfileDid(did: string): string {
  if (lacksNamespace(did)) throw noProfileError()
  if (!isDid(did)) throw invalidDidError('did')
  return did
}

/** Returns the book of a user's DID. Throws `not-found` for another DID. */
export function bookOfDid(did: string, mappedBooks: ReadonlyMap<string, string>): string {
  const book = mappedBooks.get(did)
  if (book !== undefined) return book
  const { sort, namespace, name = '' } = readA2pDid(did) ?? {}
  const isLocalBook = sort === 'user' && namespace === 'local' && isBookName(name)
  // A mapped book has no local DID.
  if (!isLocalBook || [...mappedBooks.values()].includes(name)) throw noProfileError()
  return name
}

/** Returns the DID of the book's user. */
export function didOfBook(book: string, mappedBooks: ReadonlyMap<string, string>): string {
  return [...mappedBooks].find(([, one]) => one === book)?.[0] ?? localDid(book)
}
