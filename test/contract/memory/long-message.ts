// Messages of up to 1,000,000 bytes, as every host stores, finds, quotes, moves and erases them.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'
import { exported } from '../bundle.ts'
import { passphrase } from '../seal.ts'

const maxBytes = 1_000_000
const source = { type: 'User', name: 'Mara' }

/** A text of exactly `bytes` ASCII characters, in short sentences, that ends with `end`. */
export function longText(end: string, bytes = maxBytes): string {
  const lines: string[] = []
  for (let n = 0, size = 0; size < bytes; n++) {
    const line = `Line ${n}: the pump of basin ${n % 977} ran ${n % 61} minutes.\n`
    lines.push(line)
    size += line.length
  }
  return lines.join('').slice(0, bytes - end.length - 1) + ` ${end}`
}

const end = 'The wombat guards the lighthouse of Skagen.'

export function longMessageCases({ book: open, reopen }: BookCase, keepsKeys: boolean): void {
  const store = (book: Daybook, content: string, more: object = {}) =>
    book.conversation.store({ message: { content, source }, ...more } as never)

  describe('a message of 1,000,000 bytes', () => {
    it('is stored, read, found by its last words, and quoted from the passage that answers', async () => {
      const book = await open()
      const content = longText(end)
      const { id = '' } = await store(book, content)
      await store(book, 'The lighthouse was painted.')
      const again = await reopen(book)
      expect((await again.records.get({ id }))?.['content']).toBe(content)
      const { records } = await again.records.search({ kind: 'message', query: 'wombat' })
      expect(records.map((one) => one.id)).toEqual([id])
      const { hits } = await again.recall({ text: 'Which animal guards the lighthouse of Skagen?' })
      expect(hits[0]?.record.id).toBe(id)
      const { path, from, to } = hits[0]?.because.passage ?? { path: '', from: 0, to: 0 }
      expect(path).toBe('content')
      expect(content.slice(from, to)).toContain(end)
      const { text } = await again.context({
        text: 'who guards the lighthouse of Skagen?',
        budgetTokens: 600,
      })
      expect(text).toContain(end)
      expect(text.length).toBeLessThan(3000)
    })

    it('is archived, forgotten and purged like a short one', async () => {
      const book = await open()
      const { id = '' } = await store(book, longText(end))
      const other = await store(book, longText('The heron of Brest.'))
      await book.records.forget({ id: other.id ?? '' })
      expect(await book.records.get({ id: other.id ?? '' })).toBeNull()
      await book.records.purge({ id })
      expect(await book.records.get({ id })).toBeNull()
      expect((await book.records.search({ kind: 'message', query: 'wombat' })).records).toEqual([])
      expect((await book.recall({ text: 'the lighthouse of Skagen' })).hits).toEqual([])
      expect(await exported(book)).not.toMatch(/wombat|heron/)
    })

    it('moves in a bundle', async () => {
      const [book, other] = [await open(), await open()]
      const content = longText(`${end} 🙂`.slice(0, -3), maxBytes)
      const { id = '' } = await store(book, content)
      await other.import(await exported(book), { mode: 'merge' })
      expect((await other.records.get({ id }))?.['content']).toBe(content)
    })

    it('may be one of many in one call', async () => {
      const book = await open()
      const messages = Array.from({ length: 8 }, (_, n) => ({
        content: longText(`The wombat number ${n} sleeps.`),
        source,
      }))
      const { stored } = await book.conversation.storeMany({ messages } as never)
      expect(stored).toBe(8)
      const { hits } = await book.recall({ text: 'does wombat number 5 sleep?', limit: 3 })
      expect(String(hits[0]?.record['content'])).toMatch(/ sleeps\.$/)
      const many = Array.from({ length: 25 }, () => messages[0])
      const error = await failure(book.conversation.storeMany({ messages: many } as never))
      expect(error.code).toBe('too-large')
      expect((await book.stats()).total).toBe(8)
    })

    it.each([
      ['of ASCII', 'x'.repeat(maxBytes + 1)],
      ['of three bytes each', `${'€'.repeat(333_333)}ab`],
    ])(
      'is the most: one byte more, in characters %s, is refused, and nothing is stored',
      async (_name, content) => {
        const book = await open()
        const error = await failure(store(book, content))
        expect([error.code, error.details['path']]).toEqual(['invalid-input', 'message.content'])
        const messages = [
          { content: 'short', source },
          { content, source },
        ]
        const several = await failure(book.conversation.storeMany({ messages } as never))
        expect([several.code, several.details['path']]).toEqual(['invalid-input', 'messages.1.content'])
        expect((await book.stats()).total).toBe(0)
        const { result } = await store(book, content.slice(0, -1))
        expect(result).toBe('stored')
      },
    )

    it.runIf(keepsKeys)('is sealed if it is sensitive', async () => {
      const book = await open({ passphrase })
      const content = longText(end)
      const { id = '' } = await store(book, content, { sensitivity: 'sensitive' })
      const again = await reopen(book, { passphrase })
      expect((await again.records.get({ id }))?.['content']).toBe(content)
      const { hits } = await again.recall({ text: 'Which animal guards the lighthouse of Skagen?' })
      expect(hits[0]?.record.id).toBe(id)
    })
  })
}
