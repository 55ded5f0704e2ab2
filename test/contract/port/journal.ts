// The law of `Journal`, on one implementation.
import { describe, expect, it } from 'vitest'
import { extentBytes, type Journal, pageBytes, type PageChange } from '../../../src/core/journal.ts'
import { failure } from '../book-case.ts'

/** `open` opens the journal of a book; opening the same name again is opening what was kept. */
export function journalContract(name: string, open: (book: string) => Promise<Journal>): void {
  let serial = 0
  const newBook = () => `journal-${++serial}`
  const again = async (book: string, journal: Journal) => {
    journal.close()
    return open(book)
  }

  describe(`Journal: ${name}`, () => {
    it('is empty for a new book', async () => {
      const journal = await open(newBook())
      expect(journal.takeStored()).toMatchObject({ sizeBytes: 0, extents: [], changes: [] })
      journal.close()
    })

    it('gives back what was appended, in order', async () => {
      const book = newBook()
      const journal = await open(book)
      const changes = [change(3, [0, 2]), change(2, [1]), change(2, [])]
      for (const one of changes) await journal.append(one)
      const next = await again(book, journal)
      expect(next.takeStored().changes).toEqual(changes)
      await next.append(change(5, [4]))
      const last = await again(book, next)
      expect(last.takeStored().changes).toEqual([...changes, change(5, [4])])
      last.close()
    })

    it('puts a snapshot in place of what was appended before', async () => {
      const book = newBook()
      const journal = await open(book)
      await journal.append(change(3, [0, 1, 2]))
      const sizeBytes = extentBytes + pageBytes
      await journal.snapshot({
        sizeBytes,
        extents: [
          [0, extent(1)],
          [1, extent(2).slice(0, pageBytes)],
        ],
      })
      await journal.append(change(1, [0]))
      const next = await again(book, journal)
      expect(next.takeStored()).toEqual({
        sizeBytes,
        extents: [
          [0, extent(1)],
          [1, extent(2).slice(0, pageBytes)],
        ],
        changes: [change(1, [0])],
      })
      // It does not hold on to it.
      expect(next.takeStored()).toEqual({ sizeBytes: 0, extents: [], changes: [] })
      next.close()
    })

    it('keeps the extents that a snapshot does not name, and drops those behind its end', async () => {
      const book = newBook()
      const journal = await open(book)
      const count = 70
      const all = Array.from({ length: count }, (_, i) => [i, extent(i)] as const)
      await journal.snapshot({ sizeBytes: count * extentBytes, extents: all })
      await journal.snapshot({ sizeBytes: 66 * extentBytes, extents: [[1, extent(200)]] })
      const next = await again(book, journal)
      expect(next.takeStored().extents.map(([index, bytes]) => [index, bytes[0]])).toEqual(
        Array.from({ length: 66 }, (_, i) => [i, i === 1 ? 200 : i]),
      )
      next.close()
    })

    it('gives back each extent with its index, also after extents that were never stored', async () => {
      const book = newBook()
      const journal = await open(book)
      const indexes = [0, 3, ...Array.from({ length: 80 }, (_, i) => 10 + i)]
      const extents = indexes.map((index) => [index, extent(index)] as const)
      await journal.snapshot({ sizeBytes: 90 * extentBytes, extents })
      const next = await again(book, journal)
      expect(next.takeStored().extents.map(([index, bytes]) => [index, bytes[0]])).toEqual(
        indexes.map((index) => [index, index]),
      )
      next.close()
    })

    it('refuses a snapshot whose last extent is missing', async () => {
      const book = newBook()
      const journal = await open(book)
      await journal.snapshot({ sizeBytes: 2 * extentBytes, extents: [[0, extent(1)]] })
      journal.close()
      expect((await failure((async () => open(book))())).code).toBe('storage-failed')
    })

    it('keeps nothing more of who had the book before', async () => {
      const book = newBook()
      const earlier = await open(book)
      await earlier.append(change(1, [0]))
      const later = await open(book)
      expect((await failure(earlier.append(change(2, [1])))).code).toBe('open-elsewhere')
      expect((await failure(earlier.snapshot({ sizeBytes: 0, extents: [] }))).code).toBe('open-elsewhere')
      await later.append(change(3, [2]))
      const next = await again(book, later)
      expect(next.takeStored().changes).toEqual([change(1, [0]), change(3, [2])])
      next.close()
    })

    it('does not mix books', async () => {
      const [one, other] = [newBook(), newBook()]
      const first = await open(one)
      const second = await open(other)
      await first.append(change(1, [0]))
      const next = await again(other, second)
      expect(next.takeStored().changes).toEqual([])
      for (const journal of [first, next]) journal.close()
    })

    it('keeps nothing after it was closed', async () => {
      const book = newBook()
      const journal = await open(book)
      journal.close()
      await expect(journal.append(change(1, [0]))).rejects.toThrow(/closed/)
      const next = await open(book)
      expect(next.takeStored().changes).toEqual([])
      next.close()
    })
  })
}

const extent = (value: number) => new Uint8Array(extentBytes).fill(value)

function change(pages: number, numbers: readonly number[]): PageChange {
  const bytes = new Uint8Array(numbers.length * pageBytes)
  numbers.forEach((number, i) => bytes.fill(number + 1, i * pageBytes, (i + 1) * pageBytes))
  return { sizeBytes: pages * pageBytes, numbers, bytes }
}
