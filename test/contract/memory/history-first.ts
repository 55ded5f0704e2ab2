// What is made of a history before its messages are stored follows them as what is made of messages does.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { grant } from '../access/token-grant.ts'
import type { BookCase } from '../book-case.ts'
import { rebuilt } from './rebuilt.ts'

export function historyFirstCases({ book: open }: BookCase, keepsKeys: boolean): void {
  describe.each(['forget', 'purge'] as const)(
    'a message that was given as a history before it was stored, gone by %s',
    (way) => {
      const carl = { type: 'User', id: 'carl' }
      const line = { content: 'I live in Gerolstein.', source: carl }
      const other = { content: 'I like plums.', source: carl }
      const forms = {
        'as it was stored': line,
        'with a name': { ...line, id: 'g-1' },
        'with a time': { ...line, timestamp: '2026-02-01T10:00:00.000Z' },
        'with spaces': { ...line, content: ` ${line.content} ` },
      }

      it.each(Object.entries(forms))('is quoted by nothing that was made of it, %s', async (_how, said) => {
        const book = await open()
        const history = [said, other]
        const { profiles } = await book.conversation.updateProfile({ history })
        const { episodeId: episode = '' } = await book.conversation.archive({ history })
        const made = [episode, ...profiles.map(({ id }) => id)]
        const { results } = await book.conversation.storeMany({ messages: [said], session: 's-1' })
        await book.records[way]({ id: results[0]?.id ?? '' })
        const found = async () =>
          JSON.stringify([
            (await book.records.query({ limit: 1000 })).records,
            (await book.records.search({ query: 'Gerolstein' })).records,
            (await book.recall({ text: 'Gerolstein', limit: 50 })).hits.map(({ record }) => record),
            await book.conversation.profile({ user_id: 'carl' }),
            await book.conversation.episodes(),
            (await book.bundles.export({})).text,
          ])
        expect(await found()).not.toContain('Gerolstein')
        for (const id of made) await rebuilt(book, id)
        expect(await found()).not.toContain('Gerolstein')
        for (const id of made)
          expect(JSON.stringify(await book.records.history({ id }))).not.toContain('Gerolstein')
        // What another line said is known as before.
        expect((await book.conversation.profile({ user_id: 'carl' })).profile).toBe('likes: plums')
      })

      it('is learned anew where it is said again, and not from what was known before', async () => {
        const book = await open()
        await book.conversation.updateProfile({ history: [line, other] })
        const { results } = await book.conversation.storeMany({ messages: [line] })
        await book.records[way]({ id: results[0]?.id ?? '' })
        await book.conversation.updateProfile({ history: [{ ...other, content: 'I like pears.' }] })
        const { profile } = await book.conversation.profile({ user_id: 'carl' })
        expect(profile).toMatch(/pears/)
        expect(JSON.stringify(profile)).not.toContain('Gerolstein')
      })
    },
  )

  it.each([4001, 16_001, 400_000])('takes a history with a line of %i characters', async (length) => {
    const book = await open()
    const content = `I live in Gerolstein. ${'And it rains. '.repeat(30_000)}`.slice(0, length)
    const history = [{ content, source: { type: 'User', id: 'carl' } }]
    await book.conversation.updateProfile({ history })
    expect((await book.conversation.profile({ user_id: 'carl' })).profile).toContain('Gerolstein')
    expect((await book.conversation.archive({ history })).episodeId).toMatch(/./)
    const { results } = await book.conversation.storeMany({ messages: history, session: 's-1' })
    await book.records.forget({ id: results[0]?.id ?? '' })
    expect(JSON.stringify(await book.conversation.profile({ user_id: 'carl' }))).not.toContain('Gerolstein')
  })

  it('knows a line of 100,000 characters as the message that is stored already', async () => {
    const book = await open()
    const content = `I live in Gerolstein. ${'And it rains. '.repeat(8000)}`.slice(0, 100_000).trim()
    const line = { content, source: { type: 'User', id: 'carl' } }
    const { results } = await book.conversation.storeMany({ messages: [line], session: 's-1' })
    await book.conversation.updateProfile({ history: [line] })
    expect((await book.conversation.profile({ user_id: 'carl' })).profile).toContain('Gerolstein')
    await book.records.forget({ id: results[0]?.id ?? '' })
    expect(JSON.stringify(await book.conversation.profile({ user_id: 'carl' }))).not.toContain('Gerolstein')
  })

  describe.each(['as it is listed', 'under an id of somebody else'])(
    'a history of stored messages, %s',
    (how) => {
      const source = { type: 'User', id: 'carl' }
      /** A message, and what is made of a history with it. */
      async function made(book: Daybook, message: object, over: object = {}) {
        await book.conversation.store({
          message: { content: 'I live in Gerolstein.', source, ...message },
          session: 'private',
          ...over,
        })
        const { records } = await book.conversation.list({ session: 'private' })
        const history = records.map(({ content, ...more }) =>
          how === 'as it is listed' ? { content, ...more } : { content, source, id: 'chat-17' },
        )
        const { profiles } = await book.conversation.updateProfile({ history })
        const { episodeId: episode = '' } = await book.conversation.archive({ history })
        return { message: records[0]?.id ?? '', made: [episode, profiles[0]?.id ?? ''] }
      }
      const seen = async (book: Daybook) =>
        JSON.stringify([
          (await book.records.query({ limit: 1000 })).records,
          (await book.recall({ text: 'Gerolstein', limit: 50 })).hits.map(({ record }) => record),
        ])

      it.each([{}, { id: 'm-1' }])('is known as those, stored with %o', async (named) => {
        const book = await open()
        const { message } = await made(book, named)
        const { token } = await grant(book, { deny: ['session:private'] })
        expect(await seen(book)).toContain('Gerolstein')
        expect(await seen(book.with({ as: token.token_id }))).not.toContain('Gerolstein')
        await book.records.purge({ id: message })
        expect(await seen(book)).not.toContain('Gerolstein')
      })

      it.runIf(keepsKeys)('makes what is as sensitive as those', async () => {
        const book = await open()
        for (const id of (await made(book, {}, { sensitivity: 'restricted' })).made)
          expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'restricted' })
      })
    },
  )

  it.runIf(keepsKeys)(
    'what was made of a history is as sensitive as a message that is stored only later',
    async () => {
      const book = await open()
      const history = [{ content: 'I live in Gerolstein.', source: { type: 'User', id: 'carl' } }]
      const { profiles } = await book.conversation.updateProfile({ history })
      const { episodeId: episode = '' } = await book.conversation.archive({ history })
      await book.conversation.storeMany({ messages: history, sensitivity: 'restricted' })
      for (const id of [episode, profiles[0]?.id ?? ''])
        expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'restricted' })
    },
  )
}
