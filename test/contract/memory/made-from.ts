// What was made from records follows them: episodes, profiles and kept answers, when a source is forgotten, sealed, edited,
// superseded or expired.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { grant } from '../access/token-grant.ts'
import { type BookCase, failure } from '../book-case.ts'
import { rebuilt } from './rebuilt.ts'

const ann = { type: 'User', id: 'ann', name: 'Ann' }
const secret = 'The doctor said it is diabetes.'
const said = [
  { id: 'm-1', source: ann, content: 'The garden wall needs new bricks.', timestamp: '2026-02-01T10:00:00Z' },
  { id: 'm-2', source: ann, content: secret, timestamp: '2026-02-01T10:01:00Z' },
  { id: 'm-3', source: ann, content: 'I live in Berlin.', timestamp: '2026-02-01T10:02:00Z' },
  { id: 'm-4', source: ann, content: 'Please note that I am diabetic.', timestamp: '2026-02-01T10:03:00Z' },
]

/** Stores what was said in a session, and archives it. */
async function archived(book: Daybook) {
  const { results } = await book.conversation.storeMany({ session: 's-1', messages: said })
  const ids = results.map(({ id = '' }) => id)
  const { episodeId: episode = '' } = await book.conversation.archive({ session: 's-1' })
  return { ids, secretId: ids[1] ?? '', episode }
}

const everything = async (book: Daybook) =>
  JSON.stringify([
    (await book.recall({ text: 'what did the doctor say about diabetes', limit: 50 })).hits,
    (await book.conversation.recall({ query: 'diabetes doctor' })).messages,
    (await book.conversation.episodes()).records,
    (await book.conversation.profile({ user_id: 'ann' })).profile,
    (await book.records.query({ limit: 1000 })).records,
    (await book.records.search({ query: 'diabetes' })).records,
  ])

export function madeFromCases({ book: open, reopen }: BookCase): void {
  describe('what was made from a record that is forgotten', () => {
    it.each([true, false])('is out of recall and queries at once (cascade: %s)', async (cascade) => {
      const book = await open()
      const { secretId, episode } = await archived(book)
      expect((await book.conversation.episodes()).records[0]?.summary).toContain(secret)
      const answer = await book.records.forget({ id: secretId, cascade })
      expect(answer).toMatchObject({ forgotten: true, rebuilt: [episode], released: [] })
      expect(await everything(book)).not.toContain('doctor said')
      expect(await book.records.citing({ id: secretId })).toMatchObject({
        total: 0,
        citations: [],
        records: [],
      })
    })

    it('is told anew by itself, with what is left of its sources and no earlier versions', async () => {
      const book = await open()
      const { ids, secretId, episode } = await archived(book)
      await book.records.forget({ id: secretId, cascade: true })
      await rebuilt(book, episode)
      const told = await (await reopen(book)).records.get({ id: episode })
      expect(told).toMatchObject({
        kind: 'episode',
        session: 's-1',
        message_count: 3,
        messages: ids.filter((id) => id !== secretId),
      })
      expect(told?.['summary']).toContain('bricks')
      expect(JSON.stringify(told)).not.toContain('doctor')
    })

    it('has no earlier versions to be read or restored', async () => {
      const book = await open()
      const { secretId, episode } = await archived(book)
      await book.records.forget({ id: secretId })
      await book.conversation.rebuild({ id: episode })
      const { versions } = await book.records.history({ id: episode })
      expect(versions).toHaveLength(1)
      expect(JSON.stringify(versions)).not.toContain('doctor')
      expect(await failure(book.records.restore({ id: episode, version: 1 }))).toMatchObject({
        code: 'not-found',
      })
    })

    it('stays out of recall when the book is closed before it was told anew', async () => {
      const book = await open()
      const { secretId, episode } = await archived(book)
      await book.records.forget({ id: secretId })
      const again = await reopen(book)
      expect(await everything(again)).not.toContain('doctor said')
      await rebuilt(again, episode)
      expect((await again.conversation.episodes()).records).toMatchObject([{ id: episode, message_count: 3 }])
    })

    it('goes when nothing is left', async () => {
      const book = await open()
      const { ids, episode } = await archived(book)
      for (const id of ids) await book.conversation.forget({ id })
      await rebuilt(book, episode)
      expect(await book.records.get({ id: episode })).toBeNull()
      expect(await book.conversation.rebuild({ id: episode })).toEqual({ id: episode, result: 'absent' })
    })

    it('is a profile without the facts that only it spoke of', async () => {
      const book = await open()
      const { ids } = await archived(book)
      const { profiles } = await book.conversation.updateProfile({ history: said })
      const id = profiles[0]?.id ?? ''
      expect((await book.conversation.profile({ user_id: 'ann' })).profile).toContain('I am diabetic')
      await book.records.forget({ id: ids[3] ?? '', cascade: true })
      expect(await everything(book)).not.toContain('I am diabetic')
      await book.conversation.rebuild({ id })
      const { profile, facts } = await book.conversation.profile({ user_id: 'ann' })
      expect([profile, facts.length]).toEqual(['home: Berlin', 1])
    })

    it('is a kept answer, which goes with it', async () => {
      const book = await open()
      const { secretId } = await archived(book)
      const question = 'What did the doctor say?'
      const { id } = await book.conversation.cacheAnswer({ question, answer: secret, records: [secretId] })
      await book.conversation.forget({ id: secretId })
      expect(await book.records.get({ id })).toBeNull()
      expect(await book.conversation.cachedAnswer({ question })).toEqual({ answer: null })
    })

    it('is a kept answer that rested on an episode of it', async () => {
      const book = await open()
      const { secretId, episode } = await archived(book)
      const { id } = await book.conversation.cacheAnswer({
        question: 'What did Ann say?',
        answer: secret,
        records: [episode],
      })
      await book.conversation.forget({ id: secretId })
      expect(await book.records.get({ id })).toBeNull()
    })

    it('is nowhere after a purge', async () => {
      const book = await open()
      const { secretId, episode } = await archived(book)
      expect(await book.records.purge({ id: secretId })).toMatchObject({ purged: true, rebuilt: [episode] })
      await book.conversation.rebuild({ id: episode })
      expect(await everything(book)).not.toContain('doctor said')
    })

    it('is read by no guest, by its id either, until it is told anew', async () => {
      const book = await open()
      const { secretId, episode } = await archived(book)
      const { token } = await grant(book, { permissions: ['read', 'export'] })
      const guest = book.with({ as: token.token_id })
      const asked = async () => [
        await guest.records.get({ id: episode }),
        await guest.records.history({ id: episode }).catch(() => null),
        await guest.records.query({ kind: 'episode', includeOutdated: true }),
        await guest.records.query({ filters: { id: episode }, includeOutdated: true }),
        await guest.records.citing({ id: secretId }),
      ]
      expect(JSON.stringify(await asked())).toContain('doctor said')
      const gone = book.records.forget({ id: secretId })
      const read = gone.then(asked)
      await gone
      expect(JSON.stringify(await read)).not.toContain('doctor said')
      await rebuilt(book, episode)
      expect(await guest.records.get({ id: episode })).toMatchObject({ id: episode, message_count: 3 })
      expect(JSON.stringify(await asked())).not.toContain('doctor said')
    })

    it('can be seen by who asks for it', async () => {
      const book = await open()
      const { secretId, episode } = await archived(book)
      const off = book.on('task', () => undefined)
      await book.records.forget({ id: secretId })
      const plain = await book.records.query({ kind: 'episode' })
      expect(plain.records.every((one) => !String(one['summary']).includes('doctor'))).toBe(true)
      const { records } = await book.records.query({ kind: 'episode', includeOutdated: true })
      expect(records.map(({ id }) => id)).toEqual([episode])
      off()
    })
  })

  describe('a kept answer', () => {
    const question = 'Which plan has Ann?'
    const asked = async (book: Daybook) => (await book.conversation.cachedAnswer({ question })).answer

    it('is not given when a fact that it rests on is superseded', async () => {
      const book = await open()
      const { id } = await book.facts.store({ schema: 'plan', data: { plan: 'free' } })
      await book.conversation.cacheAnswer({ question, answer: 'Free.', records: [id] })
      expect(await asked(book)).toBe('Free.')
      await book.facts.store({ schema: 'plan', data: { plan: 'paid' }, supersedes: id })
      expect(await asked(book)).toBeNull()
    })

    it('is not given when a record that it rests on has expired', async () => {
      const book = await open()
      const { id } = await book.perceptions.store({
        content: 'Has the free plan',
        valid_until: '2020-01-01T00:00:00Z',
      })
      await book.conversation.cacheAnswer({ question, answer: 'Free.', records: [id] })
      expect(await asked(book)).toBeNull()
    })

    it('is not given, nor kept, when a record that it rests on is edited', async () => {
      const book = await open()
      const { id: plan } = await book.perceptions.store({ content: 'Has the free plan' })
      const { id } = await book.conversation.cacheAnswer({ question, answer: 'Free.', records: [plan] })
      await book.perceptions.update({ id: plan, updates: { content: 'Has the paid plan' } })
      expect([await asked(book), await book.records.get({ id })]).toEqual([null, null])
    })
  })

  describe('what of a session is not archived yet', () => {
    const line = (id: string, timestamp: string) => ({
      session: 's-1',
      message: { id, content: `Words of ${id}`, source: ann, timestamp },
    })
    const parts = async (book: Daybook) =>
      (await book.conversation.episodes({ session: 's-1', orderBy: 'created_at' })).records.map(
        ({ messages }) => messages.length,
      )

    it('is also what was said at the instant at which the last episode ends', async () => {
      const book = await open()
      await book.conversation.store(line('m-1', '2026-02-01T10:00:00Z'))
      await book.conversation.archive({ session: 's-1' })
      await book.conversation.store(line('m-2', '2026-02-01T10:00:00Z'))
      expect((await book.conversation.archive({ session: 's-1' })).skipped).toBeUndefined()
      expect(await parts(book)).toEqual([1, 1])
    })

    it('is also what came late', async () => {
      const book = await open()
      await book.conversation.store(line('m-3', '2026-02-01T10:00:00Z'))
      await book.conversation.archive({ session: 's-1' })
      await book.conversation.store(line('m-1', '2025-02-01T10:00:00Z'))
      await book.conversation.store(line('m-2', '2025-02-02T10:00:00Z'))
      await book.conversation.archive({ session: 's-1' })
      expect(await parts(book)).toEqual([1, 2])
      expect((await book.conversation.archive({ session: 's-1' })).reason).toBe('empty history')
    })
  })
}

/** For copies that keep the keys of sealed records. */
export function sealedSourceCases({ book: open }: BookCase): void {
  describe('what is made from sensitive records', () => {
    const sensitivity = 'sensitive' as const
    const levels = async (book: Daybook, ids: readonly string[]) => {
      const found = await Promise.all(ids.map((id) => book.records.get({ id })))
      return found.map((one) => one?.sensitivity ?? 'standard')
    }

    it('is as sensitive as the most sensitive of them', async () => {
      const book = await open()
      await book.conversation.storeMany({ session: 's-1', messages: said.slice(0, 2) })
      await book.conversation.storeMany({
        session: 's-1',
        sensitivity: 'restricted',
        messages: said.slice(2, 3),
      })
      await book.conversation.storeMany({ session: 's-1', sensitivity, messages: said.slice(3) })
      const { episodeId: episode = '' } = await book.conversation.archive({ session: 's-1' })
      const { profiles } = await book.conversation.updateProfile({ history: said })
      const { id: answer } = await book.conversation.cacheAnswer({
        question: 'What is known?',
        answer: secret,
        records: [episode],
      })
      const made = [episode, profiles[0]?.id ?? '', answer]
      expect(await levels(book, made)).toEqual(['restricted', 'restricted', 'restricted'])
      expect((await book.seal.list()).records.map(({ id }) => id)).toEqual(expect.arrayContaining(made))
      expect((await book.recall({ text: 'doctor diabetes' })).hits.length).toBeGreaterThan(0)
      expect((await book.conversation.archive({ session: 's-1' })).reason).toBe('empty history')
    })

    it('becomes as sensitive in the same moment, and an answer goes', async () => {
      const book = await open()
      const { secretId, ids, episode } = await archived(book)
      const { profiles } = await book.conversation.updateProfile({ history: said })
      const profile = profiles[0]?.id ?? ''
      const { id: answer } = await book.conversation.cacheAnswer({
        question: 'What is known?',
        answer: secret,
        records: [secretId],
      })
      await book.records.setSensitivity({ id: secretId, sensitivity })
      expect(await levels(book, [episode, profile])).toEqual([sensitivity, 'standard'])
      expect(await book.records.get({ id: answer })).toBeNull()
      await book.records.setSensitivity({ id: ids[2] ?? '', sensitivity: 'restricted' })
      expect(await levels(book, [episode, profile])).toEqual(['restricted', 'restricted'])
      expect((await book.conversation.episodes()).records).toMatchObject([{ id: episode, message_count: 4 }])
    })

    it('is told anew without what is forgotten of them', async () => {
      const book = await open()
      const { results } = await book.conversation.storeMany({
        session: 's-1',
        sensitivity,
        messages: said,
      })
      const { episodeId: episode = '' } = await book.conversation.archive({ session: 's-1' })
      await book.records.forget({ id: results[1]?.id ?? '', cascade: true })
      expect(await everything(book)).not.toContain('doctor said')
      await rebuilt(book, episode)
      expect(await book.records.get({ id: episode })).toMatchObject({ message_count: 3, sensitivity })
      expect(await everything(book)).not.toContain('doctor said')
    })
  })
}
