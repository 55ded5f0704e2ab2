// What a book that is locked leaves out of its answers, says that it left out, and sends on as it is sealed.
import { eraseCases } from './memory/erase.ts'
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { type BookCase, failure } from './book-case.ts'
import { sealGuardedCases } from './seal-guarded.ts'
import { sealHoldCases } from './seal-hold.ts'
import { fillWithSealed as fill, passphrase, sealCases } from './seal.ts'

const bring = async (book: Daybook, text: string) => {
  const { bundle } = await book.import(text)
  if (!bundle) throw new Error('It was taken for something else.')
  return bundle
}

/** Of every host that keeps keys. */
export function keptKeyCases(cases: BookCase): void {
  // What keeps keys is a device, and its book ends there.
  eraseCases(cases)
  sealCases(cases)
  sealGuardedCases(cases)
  sealHoldCases(cases)
  lockedCases(cases)
}

function lockedCases(cases: BookCase): void {
  describe('sensitive records that can not be read', () => {
    it('are counted by every answer that could not take them in, and by none that could', async () => {
      const first = await cases.book({ passphrase })
      await fill(first, 2)
      await first.conversation.store({
        message: { content: 'hello' },
        sensitivity: 'sensitive',
      })
      const told = async (book: Daybook) => [
        (await book.recall({ text: 'lights in the harbour' })).sealed,
        (await book.recall({ text: 'lights', kinds: ['trace'] })).sealed,
        (await book.context({ text: 'lights', kinds: ['perception'] })).sealed,
        (await book.perceptions.query()).sealed,
        (await book.perceptions.query({ limit: 2 })).sealed,
        (await book.traces.query()).sealed,
        (await book.records.query()).sealed,
        (await book.records.search({ query: 'harbour', kind: 'perception' })).sealed,
        (await book.records.count({ kind: 'perception' })).sealed,
        (await book.records.citing({ id: 'p-1' })).sealed,
        (await book.traces.count()).sealed,
        (await book.conversation.list()).sealed,
        (await book.stats()).sealed,
      ]
      const none = undefined
      expect(await told(first)).toEqual(Array.from({ length: 13 }, () => none))
      const book = await cases.reopen(first)
      expect(await told(book)).toEqual([9, none, 8, 8, 8, none, 9, 8, 8, 9, none, 1, 9])
      await book.records.forget({ id: 'p-0' })
      expect((await book.recall({ text: 'harbour' })).sealed).toBe(8)
      await book.seal.unlock({ passphrase })
      expect(await told(book)).toEqual(Array.from({ length: 13 }, () => none))
      await book.seal.lock()
      expect((await book.perceptions.query()).sealed).toBe(7)
    })

    it('are counted for a guest only where their heads alone put them in its reach', async () => {
      const first = await cases.book({ passphrase })
      const secret = { content: 'harbour', sensitivity: 'sensitive' } as const
      await first.perceptions.store({ ...secret, resource: 'course:one', subject: 'sea' })
      await first.perceptions.store({ ...secret, resource: 'course:two', subject: 'sea' })
      await first.perceptions.store({ ...secret, session: 's1' })
      const book = await cases.reopen(first)
      const told = async (scope: string) => {
        const { token } = await book.tokens.grant({
          scope,
          permissions: ['read'],
          granted_to: 'g',
          expires_at: '2099-01-01T00:00:00Z',
        })
        const as = { as: token.token_id }
        return [
          (await book.recall({ text: 'harbour' }, as)).sealed,
          (await book.perceptions.query({}, as)).sealed,
        ]
      }
      expect(await told('course:one')).toEqual([1, 1])
      expect(await told('course:*')).toEqual([2, 2])
      expect(await told('session:s1')).toEqual([1, 1])
      expect(await told('perception:**')).toEqual([3, 3])
      // Whether one is about the sea stands in what can't be read.
      expect(await told('perception:sea')).toEqual([undefined, undefined])
      expect(await told('perception')).toEqual([undefined, undefined])
      expect(await told('course:three')).toEqual([undefined, undefined])
      expect(await told('**')).toEqual([3, 3])
    })

    it('leave a locked book as they are sealed, counted, and are told to be unreadable elsewhere', async () => {
      const first = await cases.book({ passphrase })
      await fill(first, 2)
      const book = await cases.reopen(first)
      const text = await new Response((await book.export()) as ReadableStream).text()
      expect(text).toContain('number 3')
      expect(text).not.toContain('number 4')
      const said = JSON.parse(text) as { statistics: object; memory: { perceptions: { sealed?: object }[] } }
      expect(said.statistics).toMatchObject({ perception_count: 15, sealed_count: 8 })
      expect(said.memory.perceptions.filter(({ sealed }) => sealed)).toHaveLength(8)
      expect(await book.verify(text)).toMatchObject({ counts: { perception: 15 }, sealed: 8 })
      const without = await new Response(
        (await book.export({ includeSensitive: false })) as ReadableStream,
      ).text()
      expect(await book.verify(without)).toMatchObject({ counts: { perception: 7 } })
      expect((await book.verify(without)).sealed).toBeUndefined()
      // The same again changes nothing, locked or not.
      expect(await bring(book, text)).toMatchObject({ unchanged: 15, imported: 0, unreadable: 8 })
      await book.seal.unlock({ passphrase })
      const again = await bring(book, text)
      expect(again).toMatchObject({ unchanged: 15, imported: 0 })
      expect(again.unreadable).toBeUndefined()
      const other = await cases.book()
      expect(await bring(other, text)).toMatchObject({ imported: 15, unreadable: 8 })
      expect((await other.perceptions.query({ limit: 100 })).sealed).toBe(8)
      expect((await failure(other.records.get({ id: 'p-4' }))).details).toMatchObject({
        reason: 'key-missing',
      })
      // What can't be read is kept, and goes on as it is.
      const passed = await new Response((await other.export()) as ReadableStream).text()
      expect((JSON.parse(passed) as { memory: object }).memory).toEqual(said.memory)
    })
  })
}
