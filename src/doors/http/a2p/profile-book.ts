// Which book a DID of a user stands for, and back. Invariant: one book has one DID, its own local one unless the deployment maps
// another to it, so that nobody comes to a book by two names.
import { isBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import { isDid, lacksNamespace, readA2pDid } from '../../../shape/a2p-did.ts'

const local = (book: string) => `did:a2p:user:local:${book}`

/** Users' DIDs and the books that they stand for, as `DAYBOOK_DID` says: `did:a2p:user:example:alice=alice …`. */
export function readProfileBooks(text = ''): ReadonlyMap<string, string> {
  const books = new Map<string, string>()
  for (const pair of text.split(/[\s,]+/).filter((one) => one !== '')) {
    const [did = '', book = '', ...more] = pair.split('=')
    const isNew = !books.has(did) && ![...books.values()].includes(book)
    if (more.length > 0 || !isDid(did) || !isBookName(book) || !isNew)
      throw new DaybookError(
        'internal',
        'DAYBOOK_DID is not like `did:a2p:user:example:alice=alice`: a DID and its book, each once.',
      )
    books.set(did, book)
  }
  return books
}

/** The error for a DID that is none. */
export const invalidDid = (path: string) =>
  new DaybookError('invalid-input', `\`${path}\`: It is not a DID, such as did:a2p:user:local:alice.`, {
    details: { path, reason: 'Invalid DID' },
  })

const noProfile = () =>
  new DaybookError('not-found', 'There is no profile of this DID here.', { details: { path: 'did' } })

/** `did` as it stands in an address: `not-found` without a namespace, as nobody has such a profile; else a DID. */
export function checkProfileDid(did: string): string {
  if (lacksNamespace(did)) throw noProfile()
  if (!isDid(did)) throw invalidDid('did')
  return did
}

/** The book that a user's DID stands for; `not-found` when it stands for none of this edge. */
export function bookOfDid(did: string, mapped: ReadonlyMap<string, string>): string {
  const book = mapped.get(did)
  if (book !== undefined) return book
  const { sort, namespace, name = '' } = readA2pDid(did) ?? {}
  const isOwn = sort === 'user' && namespace === 'local' && isBookName(name)
  // A book that has another DID is not found by this one.
  if (!isOwn || [...mapped.values()].includes(name)) throw noProfile()
  return name
}

/** The DID of the user whose book it is. */
export function didOfBook(book: string, mapped: ReadonlyMap<string, string>): string {
  return [...mapped].find(([, one]) => one === book)?.[0] ?? local(book)
}
