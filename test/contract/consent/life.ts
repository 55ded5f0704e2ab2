// A memory's later life: what is like it, what several become, what class it is, what fades.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'

const category = 'a2p:preferences.music'
const store = async (book: Daybook, content: string, more: object = {}) =>
  (await book.memories.store({ content, category, memory_type: 'semantic', ...more })).id
const contents = async (book: Daybook) =>
  (await book.memories.query()).memories.map(({ content }) => content).toSorted()

/** The examples of the description, and what each is. */
const classes = {
  'User asked about Python async on 2026-01-15': 'episodic',
  'User completed onboarding on 2026-01-10': 'episodic',
  'User is a Python expert': 'semantic',
  'User prefers technical explanations': 'semantic',
  'User works in distributed systems': 'semantic',
  'User prefers code examples with type hints': 'procedural',
  'User always asks for pros/cons before decisions': 'procedural',
  'User follows morning routine: coffee, emails, coding': 'procedural',
  'User mentioned interest in Rust during conversation': 'episodic',
  'qwxz 17': 'episodic',
} as const

export function lifeCases({ book: open }: BookCase): void {
  describe('the life of memories', () => {
    it.each(Object.entries(classes))('tells the type of `%s`', async (content, memory_type) => {
      const book = await open()
      expect(await book.memories.classify({ content })).toMatchObject({ memory_type })
    })

    it('finds what says nearly the same, by words', async () => {
      const book = await open()
      const id = await store(book, 'Likes listening to classical jazz music')
      const near = await store(book, 'Likes classical jazz music')
      await store(book, 'Works in distributed systems')
      const { similar } = await book.memories.similar({ id })
      expect(similar).toMatchObject([{ memory: { id: near }, likeness: 0.8, by: 'words' }])
      expect((await book.memories.similar({ content: 'classical jazz' })).similar).toMatchObject([
        { memory: { id: near } },
      ])
    })

    it('makes one of several, which come back when it is forgotten', async () => {
      const book = await open()
      const ids = [
        await store(book, 'Likes jazz music', { confidence: 0.9 }),
        await store(book, 'Enjoys electronic music', { confidence: 0.8 }),
      ]
      const content = 'Music preferences: jazz, electronic'
      const { id, result } = await book.memories.consolidate({ ids, content })
      expect(result).toBe('done')
      expect(await contents(book)).toEqual([content])
      const [told] = (await book.memories.query()).memories
      expect(told).toMatchObject({
        confidence: 0.8,
        consolidatedFrom: ids.toSorted(),
        metadata: { mergedFrom: ids.toSorted() },
      })
      // In whatever order: it is the same one.
      expect(await book.memories.consolidate({ ids: ids.toReversed(), content })).toMatchObject({
        id,
        result: 'unchanged',
      })
      expect(await book.records.get({ id: ids[0] ?? '' })).toMatchObject({ content: 'Likes jazz music' })
      const third = await store(book, 'Likes folk music')
      const taken = await failure(book.memories.consolidate({ ids: [ids[0] ?? '', third] }))
      expect(taken).toMatchObject({ code: 'conflict', details: { path: 'ids.0', by: id } })
      await book.memories.forget({ id })
      expect(await contents(book)).toEqual([
        'Enjoys electronic music',
        'Likes folk music',
        'Likes jazz music',
      ])
    })

    it('forgets what it made of several with any of them, for it may say what that one said', async () => {
      const book = await open()
      const ids = [await store(book, 'Likes jazz'), await store(book, 'Sees a doctor')]
      await book.memories.consolidate({ ids })
      expect(await contents(book)).toEqual(['Likes jazz\nSees a doctor'])
      await book.memories.forget({ id: ids[1] ?? '' })
      expect(await contents(book)).toEqual(['Likes jazz'])
    })

    it('never makes one of several types, and of several categories for the owner alone', async () => {
      const book = await open()
      const one = await store(book, 'Likes jazz')
      const episode = await store(book, 'Went to a concert', { memory_type: 'episodic' })
      const other = await store(book, 'Plays in a band', { category: 'a2p:interests.music' })
      const mixed = await failure(book.memories.consolidate({ ids: [one, episode] }))
      expect(mixed).toMatchObject({ code: 'invalid-input', details: { path: 'ids' } })
      expect(await book.memories.consolidate({ ids: [one, other] })).toMatchObject({ result: 'done' })
    })

    it('is a proposal where an agent asks for it, and stands when that is approved', async () => {
      const book = await open()
      const ids = [await store(book, 'Likes jazz'), await store(book, 'Likes soul')]
      const { token } = await book.tokens.grant({
        granted_to: 'helper',
        scope: '**',
        permissions: ['read', 'propose'],
        expires_at: '2099-01-01T00:00:00.000Z',
      })
      await book.consent.setPolicy({ forAgents: 'helper', allow: ['a2p:*'], permissions: ['propose'] })
      const agent = book.with({ as: token.token_id })
      const { id, result } = await agent.memories.consolidate({ ids, content: 'Likes jazz and soul' })
      expect(result).toBe('proposed')
      expect(await contents(book)).toEqual(['Likes jazz', 'Likes soul'])
      const { memory = '' } = await book.proposals.review({ id, action: 'approve' })
      expect(await contents(book)).toEqual(['Likes jazz and soul'])
      const moved = await agent.memories.reclassify({
        id: memory,
        memory_type: 'procedural',
        reason: 'a habit',
      })
      expect(moved.result).toBe('proposed')
      await book.proposals.review({ id: moved.id, action: 'approve' })
      expect((await book.memories.query()).memories).toMatchObject([
        { memory_type: 'procedural', content: 'Likes jazz and soul' },
      ])
      await book.proposals.reopen({ id: moved.id })
      expect((await book.memories.query()).memories).toMatchObject([{ id: memory, memory_type: 'semantic' }])
    })

    it('gives a memory another class, with the reason', async () => {
      const book = await open()
      const id = await store(book, 'Likes jazz')
      await book.memories.reclassify({ id, memory_type: 'procedural', reason: 'a habit' })
      expect((await book.memories.query({ memory_type: 'procedural' })).memories).toMatchObject([{ id }])
      expect(await book.records.get({ id })).toMatchObject({
        reclassified: [
          { from: `semantic ${category}`, to: `procedural ${category}`, reason: 'a habit', by: 'user' },
        ],
      })
      expect(
        await book.memories.reclassify({ id, memory_type: 'procedural', reason: 'again' }),
      ).toMatchObject({ result: 'unchanged' })
    })
  })
}
