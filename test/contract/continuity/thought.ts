// What a persona keeps, how important that is, and how it comes back.
import { describe, expect, it } from 'vitest'
import { defined } from '../../../src/core/defined.ts'
import { type BookCase, failure } from '../book-case.ts'

export function thoughtCases({ book: open }: BookCase): void {
  const persona = async () => {
    const book = await open()
    const { scope } = await book.personas.register({ name: 'Alice' })
    return { book, alice: book.with(scope) }
  }

  describe('what a persona keeps', () => {
    it('is as important as the first phrase says that is found in its context', async () => {
      const { alice } = await persona()
      const cases: [context: string, importance: number][] = [
        ['This is CRITICAL for us', 1],
        ['very important', 0.75],
        ['not important', 0],
        ['significant', 0.75],
        ['interesting', 0.5],
        ['routine work', 0.25],
        ['trivial', 0],
        ['unheard of', 0.5],
        ['', 0.5],
        ['must remember, though trivial', 1],
      ]
      for (const [i, [context, importance]] of cases.entries()) {
        const kept = await alice.thoughts.remember({ content: `Number ${i}`, context })
        expect([context, kept.importance]).toEqual([context, importance])
      }
      expect((await alice.thoughts.learn({ knowledge: 'Known' })).importance).toBe(0.75)
      const { id } = await alice.thoughts.decide({ decision: 'Use Podman', reasoning: 'no daemon' })
      const { records } = await alice.thoughts.recent({ limit: 1 })
      expect(records).toMatchObject([
        { id, type: 'decision', content: 'Decision: Use Podman (Reasoning: no daemon)', importance: 0.75 },
      ])
    })

    it('is kept once, when the same is said again within five minutes', async () => {
      const { alice } = await persona()
      const first = await alice.thoughts.learn({ knowledge: 'Water is wet.' })
      expect(await alice.thoughts.learn({ knowledge: 'Water is wet.' })).toEqual({
        id: first.id,
        result: 'skipped',
        reason: 'duplicate',
        importance: 0.75,
      })
      // Said as something else it is something else.
      expect(await alice.thoughts.remember({ content: 'Water is wet.' })).toMatchObject({ result: 'stored' })
      expect((await alice.thoughts.recent()).records).toHaveLength(2)
    })

    it('is kept once, when the same is said several times at once', async () => {
      const { alice } = await persona()
      const calls = [1, 2, 3].map(() => alice.thoughts.learn({ knowledge: 'Water is wet.' }))
      const kept = await Promise.all(calls)
      expect(new Set(kept.map(({ id }) => id)).size).toBe(1)
      expect(kept.map(({ result }) => result).toSorted()).toEqual(['skipped', 'skipped', 'stored'])
      expect((await alice.thoughts.recent()).records).toHaveLength(1)
    })

    it('is refused when it is empty or too long, and then nothing is kept', async () => {
      const { book, alice } = await persona()
      const long = 'x'.repeat(16_001)
      const cases: [call: () => Promise<unknown>, code: string, path: string][] = [
        [() => alice.thoughts.remember({ content: ' ', context: 'key' }), 'invalid-input', 'content'],
        [() => alice.thoughts.remember({ content: long }), 'too-large', 'content'],
        [() => alice.thoughts.remember({ content: 'x', context: long }), 'too-large', 'context'],
        [() => alice.thoughts.learn({ knowledge: long }), 'too-large', 'knowledge'],
        [() => alice.thoughts.learn({ knowledge: '\ud800' }), 'invalid-input', 'knowledge'],
        [() => alice.thoughts.decide({ decision: 'x', reasoning: '' }), 'invalid-input', 'reasoning'],
        [() => alice.thoughts.decide({ decision: 'x', reasoning: long }), 'too-large', 'reasoning'],
        [() => alice.thoughts.topic({ topic: ' ' }), 'invalid-input', 'topic'],
        [() => alice.thoughts.recent({ limit: 0 }), 'invalid-input', 'limit'],
        [() => alice.snapshots.capture({ focus: 'x'.repeat(1_000_000) }), 'too-large', 'focus'],
        [() => alice.sessions.end({ focus: 'x'.repeat(2001) }), 'too-large', 'focus'],
      ]
      for (const [call, code, path] of cases) {
        const error = await failure(call())
        expect([path, error.code, error.details['path']]).toEqual([path, code, path])
      }
      expect((await alice.thoughts.recent()).records).toEqual([])
      expect((await alice.snapshots.list()).snapshots).toEqual([])
      expect((await failure(book.thoughts.learn({ knowledge: 'Whose?' }))).details['reason']).toBe(
        'not-initialized',
      )
    })

    it('is marked, collected and listed by its collections, and nowhere outside of them', async () => {
      const { book, alice } = await persona()
      const { id } = await alice.thoughts.learn({ knowledge: 'Casey likes tea.' })
      const marked = { memoryId: id, personal: true, keep: true, collection: 'People/Casey' }
      expect((await alice.thoughts.mark(marked)).marks).toEqual({
        personal: true,
        keep: true,
        collection: 'People/Casey',
      })
      const { id: other } = await alice.thoughts.learn({ knowledge: 'Katra is done.' })
      await alice.thoughts.mark({ memoryId: other, collection: 'Projects/Katra' })
      const names = async (prefix?: string) =>
        (await alice.thoughts.collections(defined({ prefix }))).collections
      expect(await names()).toEqual([
        { name: 'People/Casey', records: 1 },
        { name: 'Projects/Katra', records: 1 },
      ])
      expect(await names('People')).toEqual([{ name: 'People/Casey', records: 1 }])
      expect(await names('Peop')).toEqual([])
      expect((await alice.thoughts.mark({ memoryId: id, collection: null })).before).toMatchObject(
        marked.personal ? { collection: 'People/Casey' } : {},
      )
      for (const collection of [
        '../x',
        'a/../b',
        './a',
        '/a',
        'a/',
        'a//b',
        'a/ b',
        'a\u0007',
        '',
        'x'.repeat(201),
      ]) {
        const error = await failure(alice.thoughts.mark({ memoryId: other, collection }))
        expect([collection, error.code, error.details['path']]).toEqual([
          collection,
          'invalid-input',
          'collection',
        ])
      }
      expect(await names()).toEqual([{ name: 'Projects/Katra', records: 1 }])
      expect((await failure(alice.thoughts.mark({ memoryId: other }))).code).toBe('invalid-input')
      const bob = book.with((await book.personas.register({ name: 'Bob' })).scope)
      const foreign = await failure(bob.thoughts.mark({ memoryId: other, personal: true }))
      expect(foreign).toMatchObject({ code: 'not-found', details: { path: 'memoryId' } })
    })

    it('comes back by a question, by time and by a topic; without a question by what it was about last', async () => {
      const { alice } = await persona()
      await alice.thoughts.remember({ content: 'Docker needs a daemon.', context: 'significant' })
      await alice.thoughts.remember({ content: 'The cat sleeps.', context: 'trivial' })
      await alice.conversation.store({
        message: { content: 'Which container engine has no daemon?', source: 'user' },
      })
      const contents = ({ records }: { records: { content: string }[] }) =>
        records.map(({ content }) => content)
      expect(contents(await alice.thoughts.relevant({ query: 'docker' }))[0]).toBe('Docker needs a daemon.')
      expect(contents(await alice.thoughts.topic({ topic: 'docker daemon' }))).toContain(
        'Docker needs a daemon.',
      )
      expect(contents(await alice.thoughts.recent({ minImportance: 0.6 }))).toEqual([
        'Docker needs a daemon.',
      ])
      // The last message is about daemons.
      expect(contents(await alice.thoughts.relevant())).toContain('Docker needs a daemon.')
      await alice.snapshots.capture({ focus: 'where the cat sleeps' })
      expect(contents(await alice.thoughts.relevant())).toContain('The cat sleeps.')
    })
  })
}
