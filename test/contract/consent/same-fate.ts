// What says the same as a memory shares its reach, its seal and its end: the memory itself in another class, proposals that
// quote it, and the proposal that it came of.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { grant } from '../access/token-grant.ts'
import type { BookCase } from '../book-case.ts'
import { helper } from './proposal.ts'

const category = 'a2p:interests.music'
const word = 'Zitherabend'
const said = `Likes ${word}`
const ways = ['forget', 'purge'] as const

/** All that is told of `word` to `as`, by every way of reading that there is, and of these ids. */
export async function toldOf(
  book: Daybook,
  ids: readonly string[],
  as: { as?: string } = {},
): Promise<string[]> {
  const asked: Record<string, () => Promise<unknown>> = {
    recall: async () =>
      (await book.recall({ text: word, limit: 50, distinct: false }, as)).hits.map(({ record }) => record),
    context: async () => (await book.context({ text: word }, as)).text,
    'memories.query': () => book.memories.query({}, as),
    'memories.profile': () => book.memories.profile({}, as),
    'memories.similar': () => book.memories.similar({ content: said }, as),
    'proposals.list': () => book.proposals.list({}, as),
    'records.query': () =>
      book.records.query(
        { limit: 1000, includeSuperseded: true, includeExpired: true, includeOutdated: true },
        as,
      ),
    'records.search': async () => (await book.records.search({ query: word }, as)).records,
    'bundles.export': () => book.bundles.export({ includeSensitive: true }, as),
  }
  for (const id of ids) {
    asked[`records.get ${id}`] = () => book.records.get({ id }, as)
    asked[`records.history ${id}`] = () => book.records.history({ id }, as)
    asked[`records.citing ${id}`] = () => book.records.citing({ id }, as)
  }
  const found: string[] = []
  for (const [name, ask] of Object.entries(asked)) {
    const told = await ask().catch((error: unknown) => {
      const { code } = error as { code?: string }
      if (!['forbidden', 'not-found', 'consent-required'].includes(code ?? '')) throw error
      return null
    })
    if (JSON.stringify(told).includes(word)) found.push(name)
  }
  return found
}

const store = async (book: Daybook, content: string) =>
  (await book.memories.store({ content, category, memory_type: 'semantic' })).id

/** A helper that may read interests alone, and propose. */
async function openHelper(book: Daybook) {
  await book.consent.setPolicy({
    forAgents: 'grader',
    allow: ['a2p:interests'],
    permissions: ['read_scoped', 'propose'],
  })
  const { token } = await grant(book, { permissions: ['read', 'propose'] })
  return { as: token.token_id }
}

export function sameFateCases({ book: open }: BookCase, keepsKeys: boolean): void {
  describe('a memory that an agent has put into another class', () => {
    const moved = async (book: Daybook, change: object = { category: 'a2p:preferences' }) => {
      const memory = await store(book, said)
      const agent = book.with({ agent: helper })
      const { id } = await agent.memories.reclassify({ id: memory, reason: 'it fits', ...change })
      const review = await book.proposals.review({ id, action: 'approve' })
      return { memory, proposal: id, review }
    }

    it('is the same memory, and there once', async () => {
      const book = await open()
      const { memory, proposal, review } = await moved(book)
      expect(review).toMatchObject({ status: 'approved', memory })
      expect((await book.memories.query()).memories).toMatchObject([
        { id: memory, content: said, category: 'a2p:preferences' },
      ])
      expect((await book.records.query({ kind: 'memory', includeSuperseded: true })).records).toHaveLength(1)
      expect((await book.proposals.list({ id: proposal })).proposals).toMatchObject([
        { resolution: { action: 'approved', createdMemoryId: memory } },
      ])
      const { reclassified } = (await book.records.get({ id: memory })) as never
      expect(reclassified).toMatchObject([
        { from: `semantic ${category}`, to: 'semantic a2p:preferences', reason: 'it fits', by: 'proposal' },
      ])
    })

    it.each(ways)('does not come back when it is gone by `%s`', async (way) => {
      const book = await open()
      const { memory, proposal, review } = await moved(book)
      await book.records[way]({ id: review.memory ?? '' })
      expect(await toldOf(book, [memory, proposal])).toEqual([])
    })

    it('is in its old class again when the review is taken back, but for what was changed since', async () => {
      const book = await open()
      const { memory, proposal } = await moved(book, { category: 'a2p:preferences', memory_type: 'episodic' })
      await book.memories.reclassify({ id: memory, memory_type: 'procedural', reason: 'a habit' })
      await book.memories.edit({ id: memory, content: `${said} on Sundays` })
      await book.proposals.reopen({ id: proposal })
      expect((await book.memories.query()).memories).toMatchObject([
        { id: memory, content: `${said} on Sundays`, category, memory_type: 'procedural' },
      ])
      await book.proposals.review({ id: proposal, action: 'reject' })
      expect((await book.memories.query()).memories).toMatchObject([{ id: memory, category }])
    })

    it('takes what the user says otherwise while reviewing', async () => {
      const book = await open()
      const memory = await store(book, 'Likes Tuba')
      const agent = book.with({ agent: helper })
      const { id } = await agent.memories.reclassify({
        id: memory,
        category: 'a2p:preferences',
        reason: 'it fits',
      })
      const edited = { content: said, category: 'a2p:context' }
      expect(await book.proposals.review({ id, action: 'edit', edited })).toMatchObject({ memory })
      expect(await book.records.get({ id: memory })).toMatchObject({
        ...edited,
        metadata: { editHistory: [{ previousContent: 'Likes Tuba' }] },
      })
      await book.proposals.reopen({ id })
      expect(await book.records.get({ id: memory })).toMatchObject({ content: 'Likes Tuba', category })
    })

    it.runIf(keepsKeys)('is read by nobody whom the policies of that class do not let', async () => {
      const book = await open()
      const as = await openHelper(book)
      const ids = Object.values(await moved(book, { category: 'a2p:health' })).filter(
        (one) => typeof one === 'string',
      )
      expect(await toldOf(book, ids, as)).toEqual([])
      expect(await book.records.get({ id: ids[0] ?? '' })).toMatchObject({ sensitivity: 'restricted' })
      expect((await book.bundles.export({ includeSensitive: false })).text).not.toContain(word)
    })
  })

  describe('a proposal that says memories again', () => {
    const asks = {
      consolidate: (agent: Daybook, ids: string[]) =>
        agent.memories.consolidate({ ids, content: `${said} and Tuba` }),
      reclassify: (agent: Daybook, [id = '']: string[]) =>
        agent.memories.reclassify({ id, category: 'a2p:preferences', reason: `because ${word}` }),
    } as const
    const cases = (['consolidate', 'reclassify'] as const).flatMap((verb) =>
      (['pending', 'rejected', 'approved'] as const).flatMap((state) =>
        ways.map((way) => ({ verb, state, way })),
      ),
    )

    it.each(cases)('is gone with one of them: $verb, $state, $way', async ({ verb, state, way }) => {
      const book = await open()
      const ids = [await store(book, said), await store(book, 'Likes Tuba')]
      const { id } = await asks[verb](book.with({ agent: helper }), ids)
      const action = state === 'approved' ? 'approve' : 'reject'
      const memory = state === 'pending' ? undefined : (await book.proposals.review({ id, action })).memory
      await book.records[way]({ id: ids[0] ?? '' })
      expect(await toldOf(book, [...ids, id, ...(memory ? [memory] : [])])).toEqual([])
      expect((await book.memories.query()).memories).toMatchObject([{ id: ids[1], content: 'Likes Tuba' }])
    })

    it('is gone with what was made of them, and they are back', async () => {
      const book = await open()
      const ids = [await store(book, 'Likes Alphorn'), await store(book, 'Likes Tuba')]
      const { id } = await book.with({ agent: helper }).memories.consolidate({ ids, content: said })
      const { memory = '' } = await book.proposals.review({ id, action: 'approve' })
      await book.memories.forget({ id: memory })
      expect(await toldOf(book, [...ids, id, memory])).toEqual([])
      expect((await book.memories.query()).memories).toHaveLength(2)
    })

    it('loses what its evidence quotes when that is forgotten, and waits on', async () => {
      const book = await open()
      const { id: message = '' } = await book.conversation.store({
        message: { content: said, source: 'assistant' },
      })
      const { id: other = '' } = await book.conversation.store({
        message: { content: 'Tuba', source: 'assistant' },
      })
      const { id } = await book.with({ agent: helper }).proposals.propose({
        content: 'Likes music',
        category,
        evidence: [
          { record: message, quote: said },
          { record: other, quote: 'Tuba' },
        ],
      })
      await book.records.forget({ id: message })
      expect((await toldOf(book, [])).filter((name) => name !== 'records.query')).toEqual([])
      await book.proposals.rebuild({ id })
      expect(await toldOf(book, [message, id])).toEqual([])
      expect((await book.proposals.list({ id })).proposals).toMatchObject([
        { content: 'Likes music', status: 'pending', evidence: [{ record: other, quote: 'Tuba' }] },
      ])
    })
  })

  describe('a proposal of a guest', () => {
    const plain = { content: 'Likes Tuba', category } as const
    const opened = async (content: string = plain.content) => {
      const book = await open()
      const as = await openHelper(book)
      const { id } = await book.proposals.propose({ ...plain, content }, as)
      return { book, as, id }
    }
    const levelOf = async (book: Daybook, id: string) =>
      (await book.records.get({ id }))?.sensitivity ?? 'standard'

    it('is told to it with its words as long as it may read the memory', async () => {
      const { book, as, id } = await opened()
      await book.proposals.review({ id, action: 'edit', edited: { content: said } })
      expect((await book.proposals.list({}, as)).proposals).toMatchObject([
        { id, content: plain.content, resolution: { editedContent: said } },
      ])
    })

    it('is told to it without what the user wrote into the memory first and changed later', async () => {
      const { book, as, id } = await opened()
      const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited: { content: said } })
      await book.memories.edit({ id: memory, content: 'Likes water' })
      for (const form of ['flat', 'schema'] as const) {
        const { proposals } = await book.proposals.list({ form }, as)
        expect(proposals).toMatchObject([{ id, resolution: { action: 'approved_with_edits' } }])
        expect(JSON.stringify(proposals)).not.toMatch(/Zitherabend/)
      }
      expect((await book.proposals.list({ id })).proposals).toMatchObject([
        { resolution: { editedContent: said } },
      ])
    })

    it('is told to it without any once it may not: another category of the user, or none that it may read', async () => {
      const { book, as, id } = await opened()
      const edited = { content: said, category: 'a2p:professional' }
      await book.proposals.review({ id, action: 'edit', edited, reason: `because ${word}` })
      for (const form of ['flat', 'schema'] as const) {
        const { proposals } = await book.proposals.list({ form }, as)
        expect(proposals).toMatchObject([
          { id, withheld: true, resolution: { action: 'approved_with_edits' } },
        ])
        expect(JSON.stringify(proposals)).not.toMatch(/Zitherabend|Tuba|professional/)
      }
      expect((await book.proposals.list({ id })).proposals).toMatchObject([{ content: plain.content }])
    })

    const guarded: Readonly<Record<string, (book: Daybook, id: string) => Promise<unknown>>> = {
      'edited into health': (book, id) =>
        book.proposals.review({ id, action: 'edit', edited: { content: said, category: 'a2p:health' } }),
      'edited as restricted': (book, id) =>
        book.proposals.review({ id, action: 'edit', edited: { content: said, sensitivity: 'restricted' } }),
      'restricted later': async (book, id) => {
        const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited: { content: said } })
        await book.records.setSensitivity({ id: memory, sensitivity: 'restricted' })
      },
      'edited as restricted later': async (book, id) => {
        const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited: { content: said } })
        await book.memories.edit({ id: memory, sensitivity: 'restricted' })
      },
      'put into health later': async (book, id) => {
        const { memory = '' } = await book.proposals.review({ id, action: 'edit', edited: { content: said } })
        await book.memories.reclassify({ id: memory, category: 'a2p:health', reason: 'it is' })
      },
    }
    it.runIf(keepsKeys).each(Object.keys(guarded))('is sealed with its memory: %s', async (name) => {
      const { book, as, id } = await opened()
      await guarded[name]?.(book, id)
      expect(await levelOf(book, id)).toBe('restricted')
      expect(await toldOf(book, [id], as)).toEqual([])
      const { text } = await book.bundles.export({ includeSensitive: false })
      expect(text).not.toMatch(/Zitherabend/)
      expect(JSON.stringify(await book.proposals.list())).toContain(word)
    })

    it.runIf(keepsKeys)('has an id that tells nothing where it says a sealed memory again', async () => {
      const ids = new Set<string>()
      for (const book of [await open(), await open()]) {
        const { id: memory } = await book.memories.store({ content: said, category: 'a2p:health' })
        const ask = { id: memory, category: 'a2p:interests', reason: 'it fits' }
        const { id } = await book.with({ agent: helper }).memories.reclassify(ask)
        expect(await levelOf(book, id)).toBe('restricted')
        ids.add(id)
      }
      expect(ids.size).toBe(2)
    })
  })
}
