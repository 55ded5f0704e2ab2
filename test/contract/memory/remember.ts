// `book.remember`: chooses the kind of a text by its rules, stores it by the verb of that kind, and stores nothing wrong.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { grant } from '../access/token-grant.ts'
import { type BookCase, failure } from '../book-case.ts'

export function rememberCases({ book: open }: BookCase): void {
  describe('remember', () => {
    const all = async (book: Daybook) => (await book.records.query({ limit: 100 })).records

    it('makes a memory of what the user says about themselves, and a belief of the rest', async () => {
      const book = await open()
      const oslo = await book.remember({ text: 'I live in Oslo.' })
      expect(oslo).toMatchObject({ kind: 'memory', why: 'The user says something about themselves.' })
      expect(await book.records.get({ id: oslo.id })).toMatchObject({
        kind: 'memory',
        content: 'I live in Oslo.',
        status: 'approved',
      })
      expect((await book.remember({ text: 'I am allergic to nuts.', sensitivity: 'standard' })).kind).toBe(
        'memory',
      )
      const { memories } = await book.memories.query()
      expect(memories.map((one) => one.category).toSorted()).toEqual(['a2p:context', 'a2p:health'])
      const harbour = await book.remember({ text: 'The harbour floods in spring.' })
      expect(harbour).toMatchObject({ kind: 'perception', why: 'It is not about the user.' })
      const ship = await book.remember({ text: 'I live at sea.', about: 'Ann', until: '2099-01-01' })
      expect(ship).toMatchObject({ kind: 'perception', why: 'It has a subject.' })
      expect(await book.records.get({ id: ship.id })).toMatchObject({
        subject: 'Ann',
        valid_until: expect.stringMatching(/^2099-01-/),
      })
      const job = await book.remember({ text: 'I work at sea.', from: '2030-01-01' })
      expect(job).toMatchObject({ kind: 'perception', why: 'It is true from a time on.' })
      expect(await book.records.get({ id: job.id })).toMatchObject({
        valid_from: expect.stringMatching(/^20(29-12-31|30-01-01)/),
      })
      const dated = { text: 'I work at sea.', as: 'memory', from: '2030-01-01' } as const
      expect((await failure(book.remember(dated))).details).toMatchObject({ path: 'from' })
      const chosen = await book.remember({
        text: 'The harbour is mine.',
        as: 'memory',
        sensitivity: 'standard',
      })
      expect(chosen.kind).toBe('memory')
      const { hits } = await book.recall({ text: 'harbour' })
      expect(hits.map(({ record }) => record.id).toSorted()).toEqual([harbour.id, chosen.id].toSorted())
    })

    it('makes no memory of the user for an agent, by a name, a token or a tool', async () => {
      const book = await open()
      const text = 'I live in Oslo.'
      const agent = book.with({ agent: 'helper' })
      expect(await agent.remember({ text })).toMatchObject({ kind: 'perception' })
      expect(await book.remember({ text, byAgent: true })).toMatchObject({ kind: 'perception' })
      const refused = await failure(agent.remember({ text, as: 'memory' }))
      expect([refused.code, refused.details['path'], refused.details['reason']]).toEqual([
        'forbidden',
        'as',
        'proposer',
      ])
      const { token } = await grant(book, { scope: '**', permissions: ['read', 'write'] })
      const guest = book.with({ as: token.token_id })
      expect(await guest.remember({ text })).toMatchObject({ kind: 'perception' })
      const { token: reader } = await grant(book, { scope: '**', permissions: ['read'] })
      const reading = book.with({ as: reader.token_id })
      expect((await failure(reading.remember({ text }))).code).toBe('forbidden')
      const { call } = await book.tools({ format: 'openai' })
      expect((await call('remember', { text })).value).toMatchObject({ kind: 'perception' })
      expect((await book.memories.query()).memories).toEqual([])
    })

    it('sets no standing rule: it names the verb to the owner, and a proposal to an agent', async () => {
      const book = await open()
      const text = 'Always answer in German.'
      const { code, details } = await failure(book.remember({ text }))
      expect([code, details['path'], details['reason'], details['verb']]).toEqual([
        'invalid-input',
        'text',
        'rule',
        'rules.add',
      ])
      expect(await all(book)).toEqual([])
      const noted = await book.with({ agent: 'helper' }).remember({ text })
      expect([noted.kind, noted.hint]).toEqual(['perception', expect.stringContaining('proposals.propose')])
      expect((await book.remember({ text, as: 'perception' })).kind).toBe('perception')
      expect((await book.rules.list()).rules).toEqual([])
    })

    it('refuses what is wrong with its path, and stores nothing', async () => {
      const book = await open()
      const fault = async (input: object) => {
        const { code, details } = await failure(book.remember(input as { text: string }))
        return [code, details['path']]
      }
      for (const text of ['', ' \n ', 'x'.repeat(1_000_000), 'a\ud800', 'a\u202eb', 'a\u200bb', 7])
        expect(await fault({ text })).toEqual(['invalid-input', 'text'])
      expect(await fault({})).toEqual(['invalid-input', 'text'])
      expect(await fault({ text: 'x', until: 'soon' })).toEqual(['invalid-input', 'until'])
      expect(await fault({ text: 'x', as: 'fact' })).toEqual(['invalid-input', 'as'])
      expect(await fault({ text: 'x', mood: 'good' })).toEqual(['invalid-input', 'mood'])
      expect(await fault({ text: 'x', as: 'memory', about: 'Ann' })).toEqual(['invalid-input', 'about'])
      expect(await fault({ text: 'x'.repeat(3000), as: 'memory' })).toEqual(['invalid-input', 'text'])
      expect(await all(book)).toEqual([])
      expect((await book.remember({ text: 'a\u200bb', despiteHidden: true })).kind).toBe('perception')
      expect((await book.remember({ text: 'The ΔT is 4 K.' })).kind).toBe('perception')
    })
  })
}
