// The law that nothing which was made from a forgotten record says it any more: random books, random forgetting.
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { openNodeVault } from '../../../../src/hosts/node/key/vault-file.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { closeSites, openSite } from './site.ts'

const source = { type: 'User', id: 'ann', name: 'Ann' }
afterEach(closeSites)

describe('the law', () => {
  const word = (n: number) =>
    `Zyx${String.fromCharCode(97 + (n % 26))}${String.fromCharCode(97 + Math.floor(n / 26))}q`
  const shapes = [
    (n: number) => `The ${word(n)} was painted in the evening.`,
    (n: number) => `I live in ${word(n)}.`,
    (n: number) => `Please note that the ${word(n)} is in the cellar.`,
    (n: number) => `I like ${word(n)}.`,
    (n: number) => `My dog is called ${word(n)}.`,
  ] as const
  const messages = fc.array(
    fc.record({
      shape: fc.nat(shapes.length - 1),
      session: fc.nat(1),
      minute: fc.nat(9),
      isSealed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 10 },
  )
  const steps = fc.array(
    fc.record({
      what: fc.constantFrom(
        'archive',
        'learn',
        'answer',
        'forget',
        'purge',
        'idle',
        'archive-late',
        'ask',
      ) as fc.Arbitrary<
        'archive' | 'learn' | 'answer' | 'forget' | 'purge' | 'idle' | 'archive-late' | 'ask'
      >,
      at: fc.nat(9),
    }),
    { minLength: 4, maxLength: 14 },
  )

  test('holds: what is forgotten stands in no table, answer of a question, history or context', async () => {
    await fc.assert(
      fc.asyncProperty(messages, steps, async (made, todo) => {
        const { ports, pass } = createTestTime()
        const site = openSite(ports, { vault: openNodeVault(undefined) })
        const { book } = site
        const lines = made.map(({ shape, minute }, n) => ({
          id: `m-${n}`,
          source,
          content: shapes[shape]?.(n) ?? '',
          timestamp: `2026-02-01T10:0${minute}:00Z`,
        }))
        const ids: string[] = []
        /** Everything that was asked, with what was found and packed. */
        const activity = async () => {
          const { entries } = await book.activity.list({ sorts: ['recall', 'context'], limit: 1000 })
          const details = await Promise.all(entries.map((entry) => book.activity.get({ n: entry.n })))
          return { last: entries[0]?.n ?? 0, text: JSON.stringify([entries, details]) }
        }
        // As an agent does that recalls by what was just said, and stores it afterwards.
        for (const { content } of lines) await book.recall({ text: content })
        for (const [n, message] of lines.entries()) {
          const { session = 0, isSealed } = made[n] ?? {}
          const level = isSealed ? { sensitivity: 'sensitive' as const } : {}
          ids.push((await book.conversation.store({ session: `s-${session}`, message, ...level })).id ?? '')
        }
        const gone = new Map<number, 'forget' | 'purge'>()
        for (const { what, at } of [
          ...todo,
          { what: 'archive' as const, at: 0 },
          { what: 'archive' as const, at: 1 },
        ]) {
          const n = at % lines.length
          if (what === 'archive') await book.conversation.archive({ session: `s-${at % 2}` })
          if (what === 'archive-late')
            await book.tasks.add({ capability: 'ks:archive_episode', input: { session: `s-${at % 2}` } })
          if (what === 'learn')
            await book.conversation.updateProfile({ history: lines.filter((_line, i) => !gone.has(i)) })
          if (what === 'answer' && !gone.has(n)) {
            const episodes = (await book.conversation.episodes()).records.map(({ id }) => id)
            await book.conversation.cacheAnswer({
              question: `What of number ${n}?`,
              answer: lines.flatMap(({ content }, i) => (gone.has(i) ? [] : [content])).join(' '),
              records: [...ids.filter((_id, i) => !gone.has(i)), ...episodes],
            })
          }
          if (what === 'idle') await pass()
          if (what === 'ask' && !gone.has(n)) {
            await book.recall({ text: word(n), limit: 50 })
            await book.context({ text: lines[n]?.content ?? '', budgetTokens: 5000 })
            await book.context({ text: 'painted in the evening, my dog, the cellar', budgetTokens: 5000 })
          }
          if (what === 'forget' || what === 'purge') {
            await book.records[what]({ id: ids[n] ?? '', cascade: at > 4 })
            gone.set(n, what === 'purge' ? what : (gone.get(n) ?? what))
            const { last, text } = await activity()
            expect(text).not.toContain(word(n))
            // At once, and not only when it was told anew.
            const asked = [
              // The reasons repeat the words of the question.
              (await book.recall({ text: word(n), limit: 50 })).hits.map(({ record, because }) => [
                record,
                because.text?.matches.map((match) => match.record),
              ]),
              (await book.conversation.recall({ query: word(n) })).messages,
              (await book.records.query({ limit: 1000 })).records,
              (await book.conversation.profile({ user_id: 'ann' })).profile,
              (await book.conversation.cachedAnswer({ question: `What of number ${n}?` })).answer,
              (await book.context({ text: word(n) })).text,
            ]
            expect(JSON.stringify(asked)).not.toContain(word(n))
            // What was asked just now by its very word is no trace of it.
            await activity()
            site.engine.store.db.run('DELETE FROM activity WHERE n > ?', [last])
          }
        }
        await pass(60_000)
        const live = (await book.records.query({ limit: 1000 })).records
        const histories = await Promise.all(live.map(({ id }) => book.records.history({ id })))
        const plain = site.text() + JSON.stringify([live, histories])
        const indexed = site.engine.store.db.all<{ term: string }>('SELECT term FROM text_words')
        const words = new Set(indexed.map(({ term }) => term))
        for (const [n, how] of gone) {
          expect(plain).not.toContain(word(n))
          if (how === 'purge') expect(words).not.toContain(word(n).toLowerCase())
        }
        // What was not forgotten is still told: an episode is there for each session that has messages.
        const left = new Set(made.flatMap(({ session }, n) => (gone.has(n) ? [] : [`s-${session}`])))
        const told = new Set(live.flatMap((one) => (one.kind === 'episode' ? [one.session] : [])))
        expect(told).toEqual(left)
        expect(site.engine.store.db.all('SELECT * FROM outdated')).toEqual([])
        await book.close()
      }),
      { numRuns: 25 },
    )
  })
})
