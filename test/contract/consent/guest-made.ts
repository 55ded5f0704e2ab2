// What was made of records is out of a guest's reach where one of those is: by every way of reading that there is.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'
import { grant } from '../access/token-grant.ts'

const ann = { type: 'User', id: 'ann', name: 'Ann' }
const open = [{ id: 'o-1', source: ann, content: 'The garden wall needs new bricks in spring.' }]
const closed = [
  { id: 'c-1', source: ann, content: 'I live in Reykjavik, and nobody is to know it.' },
  { id: 'c-2', source: ann, content: 'The clinic in Reykjavik found diabetes last week.' },
]
const word = /reykjavik|diabetes/i

/** All that somebody is told, by every way of reading, and what he is told of these ids. */
export async function told(book: Daybook, as: { as: string }, ids: readonly string[]): Promise<string> {
  const everything: unknown[] = [
    await book.records.query({ limit: 1000 }, as),
    await book.records.query({ kind: 'profile' }, as),
    await book.records.query({ kind: 'episode' }, as),
    await book.records.query({ kind: 'answer' }, as),
    await book.records.search({ query: 'Reykjavik diabetes clinic' }, as),
    (await book.recall({ text: 'What did the clinic in Reykjavik find?', limit: 50 }, as)).hits,
    await book.context({ text: 'Reykjavik diabetes' }, as),
    await book.conversation.episodes({}, as),
    await book.conversation.profile({ user_id: 'ann' }, as),
    await book.conversation.cachedAnswer({ question: 'Where does Ann live?' }, as),
    (await book.bundles.export({}, as)).text,
  ]
  for (const id of ids) {
    everything.push(await book.records.get({ id }, as))
    everything.push(await book.records.history({ id }, as).catch(() => null))
  }
  return JSON.stringify(everything)
}

/** A book with an open session and a private one, and what was made of the private one: by the session, and as given. */
async function filled(book: Daybook) {
  await book.conversation.storeMany({ session: 'open', messages: open })
  const { results } = await book.conversation.storeMany({ session: 'private', messages: closed })
  const { episodeId: shown = '' } = await book.conversation.archive({ session: 'open' })
  const { episodeId: given = '' } = await book.conversation.archive({ history: closed })
  const unnamed = closed.map(({ id: _id, ...line }) => line)
  const { episodeId: plain = '' } = await book.conversation.archive({ session: 'open', history: unnamed })
  const { profiles } = await book.conversation.updateProfile({ history: closed })
  const records = results.map(({ id = '' }) => id)
  const { id: answer } = await book.conversation.cacheAnswer({
    question: 'Where does Ann live?',
    answer: 'In Reykjavik.',
    records,
  })
  return { shown, made: [given, plain, answer, ...profiles.map(({ id }) => id)] }
}

export function guestMadeCases({ book: opened }: BookCase): void {
  describe('what was made of records that a guest may not read', () => {
    it('is read by no way: profile, episode and kept answer of a denied session', async () => {
      const book = await opened()
      const { shown, made } = await filled(book)
      const permissions = ['read', 'export']
      const { token } = await grant(book, { permissions, deny: ['session:private'] })
      const as = { as: token.token_id }
      expect(await told(book, as, made)).not.toMatch(word)
      expect((await book.stats({}, as)).kinds['profile']).toBeUndefined()
      expect((await book.records.count({ kind: 'episode' }, as)).total).toBe(1)
      expect((await book.conversation.episodes({}, as)).records.map(({ id }) => id)).toEqual([shown])
      // Who may read the session may read what was made of it.
      const { token: trusted } = await grant(book, { permissions })
      expect(await told(book, { as: trusted.token_id }, made)).toMatch(word)
    })

    it('is read by no way where a session is all that was allowed', async () => {
      const book = await opened()
      const { shown, made } = await filled(book)
      const { token } = await grant(book, { permissions: ['read', 'export'], scope: 'session:open' })
      const as = { as: token.token_id }
      expect(await told(book, as, made)).not.toMatch(word)
      expect((await book.conversation.episodes({}, as)).records.map(({ id }) => id)).toEqual([shown])
    })

    it('is read with its kind where that was granted, but for what is denied', async () => {
      const book = await opened()
      await filled(book)
      const seen = async (deny: string[]) => {
        const { token } = await grant(book, { scope: 'episode', ...(deny.length > 0 ? { deny } : {}) })
        return (await book.records.query({}, { as: token.token_id })).records.length
      }
      expect([await seen([]), await seen(['session:private'])]).toEqual([3, 1])
    })
  })

  describe('a backup', () => {
    it('is read by nobody but the owner, by whatever name it is looked for', async () => {
      const book = await opened()
      const alice = book.with((await book.personas.register({ name: 'Alice' })).scope)
      await alice.thoughts.learn({ knowledge: 'Allergic to walnuts.' })
      const { id } = await alice.backups.make()
      const { records: parts } = await book.records.query({ kind: 'backup_part' })
      expect(JSON.stringify(parts)).toContain('walnuts')
      for (const scope of ['**', 'backup_part', 'backup_part:**', 'agent:**', '*']) {
        const { token } = await grant(book, { permissions: ['read', 'export'], scope, deny: ['thought'] })
        const as = { as: token.token_id }
        const answers: unknown[] = [
          await book.records.query({ limit: 1000 }, as),
          await book.records.query({ kind: 'backup_part' }, as),
          await book.records.query({ kind: 'backup' }, as),
          (await book.bundles.export({}, as)).text,
        ]
        for (const one of [id, ...parts.map((part) => part.id)]) {
          answers.push(await book.records.get({ id: one }, as))
          expect((await failure(book.records.history({ id: one }, as))).code).toBe('not-found')
        }
        const text = JSON.stringify(answers)
        expect([scope, /walnuts|backup::|backup_part::/.test(text)]).toEqual([scope, false])
      }
    })
  })
}
