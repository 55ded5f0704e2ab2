// Conversations and the meeting room for somebody with a control token, as every host must hold it.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { type BookCase, failure } from '../book-case.ts'
import { handleRoomCases } from './handle.ts'

async function guest(book: Daybook, scope: string, permissions: string[]): Promise<{ as: string }> {
  const expires_at = '2099-01-01T00:00:00Z'
  const { token } = await book.tokens.grant({ scope, permissions, granted_to: 'helper', expires_at })
  return { as: token.token_id }
}

const said = (id: string, content: string) => ({
  id,
  content,
  timestamp: '2024-03-01T10:00:00Z',
  source: {
    type: 'User',
    id: 'ann',
  },
})

export function guestTalkCases({ book: open }: BookCase): void {
  describe('a guest in conversations', () => {
    it('talks, archives, learns, keeps answers and forgets within its scope, in its own name', async () => {
      const book = await open()
      const as = await guest(book, 'agent:helper', ['read', 'write', 'forget'])
      await book.conversation.store({ message: said('own', 'My name is Olga. I live in Riga.') })
      const own = { session: 'desk' }
      await book.conversation.store({ ...own, message: said('m-1', 'I live in Oslo by the sea.') }, as)
      const ids = (records: readonly { msg_id: string }[]) => records.map(({ msg_id }) => msg_id)
      expect(ids((await book.conversation.list({}, as)).records)).toEqual(['m-1'])
      const archived = await book.conversation.archive(own, as)
      expect(archived).toMatchObject({ ok: true, method: 'extractive' })
      const history = [{ id: 'm-1', content: 'I live in Oslo by the sea.', source: { User: 'ann' } }]
      expect(await book.conversation.updateProfile({ history }, as)).toMatchObject({
        profilesUpdated: 1,
        method: 'patterns',
      })
      expect((await book.conversation.profile({ user_id: 'ann' }, as)).profile).toBe('home: Oslo')
      const recalled = await book.conversation.recall({ query: 'where does she live?' }, as)
      expect(JSON.stringify(recalled)).not.toMatch(/Riga|Olga/)
      await book.conversation.cacheAnswer({ question: 'Where does she live?', answer: 'In Oslo.' }, as)
      const asked = { question: 'where does she live' }
      expect(await book.conversation.cachedAnswer(asked, as)).toMatchObject({ answer: 'In Oslo.' })
      expect(await book.conversation.cachedAnswer(asked)).toEqual({ answer: null })
      const everything = { agent: 'helper' }
      expect(await book.conversation.forgetAgent(everything, as)).toMatchObject({
        deletedMemories: 1,
        deletedProfiles: 1,
        deletedEpisodes: 1,
      })
      expect(ids((await book.conversation.list()).records)).toEqual(['own'])
    })

    it('reaches nothing of other agents, whatever it names', async () => {
      const book = await open()
      const as = await guest(book, 'agent:helper', ['**'])
      const { id: record } = await book.conversation.store({
        session: 's',
        message: said('own', 'Riga, I say.'),
      })
      const { agent } = await book.status()
      const learned = { history: [{ content: 'I live in Riga.', source: { User: 'ann' } }] }
      await book.conversation.updateProfile(learned)
      await book.conversation.cacheAnswer({ question: 'Where?', answer: 'In Riga.' })
      expect((await book.conversation.list({ agent }, as)).records).toEqual([])
      expect((await book.conversation.recall({ agent, query: 'Riga' }, as)).messages).toEqual([])
      expect((await book.conversation.profile({ agent, user_id: 'ann' }, as)).facts).toEqual([])
      expect(await book.conversation.cachedAnswer({ agent, question: 'Where?' }, as)).toEqual({
        answer: null,
      })
      expect(await book.conversation.archive({ agent, session: 's' }, as)).toMatchObject({
        reason: 'empty history',
      })
      expect(await book.conversation.forgetAgent({ agent }, as)).toMatchObject({ deletedMemories: 0 })
      const refused = [
        book.conversation.store({ agent, message: said('x', 'as another') }, as),
        book.conversation.archive({ agent, history: [{ content: 'As another.' }] }, as),
        book.conversation.updateProfile({ agent, ...learned }, as),
        book.conversation.cacheAnswer({ agent, question: 'Where?', answer: 'Nowhere.' }, as),
      ]
      // All are listened to from the beginning: whichever fails first.
      const codes = refused.map(async (one: Promise<unknown>) => (await failure(one)).code)
      expect(new Set(await Promise.all(codes))).toEqual(new Set(['forbidden']))
      for (const id of ['own', record ?? ''])
        expect((await failure(book.conversation.forget({ agent, id }, as))).code).toBe('not-found')
      expect(await book.conversation.cachedAnswer({ question: 'Where?' })).toMatchObject({
        answer: 'In Riga.',
      })
      // A task runs as the owner: nobody else may put one off, or look at the queue.
      const task = { capability: 'ks:archive_episode', input: { session: 's' } }
      expect((await failure(book.tasks.add(task, as))).code).toBe('forbidden')
      expect((await failure(book.tasks.list({}, as))).code).toBe('forbidden')
    })
  })
}

export function guestRoomCases(cases: BookCase): void {
  const { book: open } = cases
  handleRoomCases(cases)

  describe('a guest in the meeting room', () => {
    it('is let in by its scope, and speaks and listens as itself alone', async () => {
      const book = await open()
      const as = await guest(book, 'meeting-room', ['read', 'write'])
      await book.room.say({ as: 'ada', text: 'Anyone here?' })
      expect(await book.room.say({ text: 'I am.' }, as)).toMatchObject({ from: 'helper', name: 'helper' })
      expect(await book.room.join({ name: 'Ada', role: 'observer' }, as)).toMatchObject({
        id: 'helper',
        name: 'helper',
        role: 'observer',
      })
      expect(await book.room.hear({}, as)).toMatchObject({ message: { from: 'ada', text: 'Anyone here?' } })
      const refused = [
        book.room.say({ as: 'ada', text: 'Not me.' }, as),
        book.room.join({ as: 'ada' }, as),
        book.room.leave({ as: 'ada' }, as),
        book.room.hearAll({ as: 'ada' }, as),
      ].map(async (one: Promise<unknown>) => (await failure(one)).details['path'])
      expect(new Set(await Promise.all(refused))).toEqual(new Set(['as']))
      expect((await book.room.whoIsHere({}, as)).participants.map(({ id }) => id)).toEqual(['ada', 'helper'])
      expect(await book.room.leave({}, as)).toEqual({ left: true })
      await book.room.leave({ as: 'ada' })
    })

    it('sees nothing of it otherwise', async () => {
      const book = await open()
      await book.room.say({ as: 'ada', text: 'Among us.' })
      for (const [scope, permissions] of [
        ['agent:helper', ['**']],
        ['trace:*', ['read', 'write']],
        ['meeting-room', ['forget']],
      ] as const) {
        const as = await guest(book, scope, [...permissions])
        // All are listened to from the beginning: whichever fails first.
        const codes = [
          book.room.hear({}, as),
          book.room.hearAll({}, as),
          book.room.whoIsHere({}, as),
          book.room.status({}, as),
          book.room.say({ text: 'Hello?' }, as),
          book.room.join({}, as),
        ].map(async (one) => (await failure(one)).code)
        expect(new Set(await Promise.all(codes))).toEqual(new Set(['forbidden']))
      }
      await book.room.leave({ as: 'ada' })
    })
  })
}
