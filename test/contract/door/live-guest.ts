// Live queries and listeners of guests: what they may not read any more they show no longer, and what they may read now appears.
import { describe, expect, it } from 'vitest'
import type { BookEvents } from '../../../src/core/capability/event.ts'
import type { Daybook, LiveSnapshot } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { grant } from '../access/token-grant.ts'
import { type BookCase, failure, snapshotOf } from '../book-case.ts'

const health = 'Allergic to walnuts'
const work = 'Sells pepper mills'
const open = { forAgents: 'coach', permissions: ['read_scoped'] as ['read_scoped'] }

/** A book with two memories, and a guest that may ask for all of it. */
async function filled(book: Daybook) {
  await book.memories.store({ content: health, category: 'a2p:interests', memory_type: 'semantic' })
  await book.memories.store({ content: work, category: 'a2p:professional', memory_type: 'semantic' })
  const { token } = await grant(book, { granted_to: 'coach' })
  return { token: token.token_id, guest: book.with({ as: token.token_id }) }
}

const contents = ({ data }: LiveSnapshot<unknown>) =>
  (JSON.stringify(data ?? null).match(/Allergic to walnuts|Sells pepper mills/g) ?? []).toSorted()

/** Two live queries of a guest, that of a verb about memories and that of a verb about any record. */
function queriesOf(guest: Daybook) {
  const memories = guest.live({ method: 'memories.query', input: {} })
  const records = guest.live({ method: 'records.query', input: { kind: 'memory' }, kinds: ['memory'] })
  const offs = [memories, records].map((one) => one.subscribe(() => undefined))
  const shows = (...texts: string[]) =>
    Promise.all([
      snapshotOf(memories, (one) => one.status !== 'loading' && String(contents(one)) === String(texts)),
      snapshotOf(records, (one) => one.status === 'ready' && String(contents(one)) === String(texts)),
    ])
  return { shows, stop: () => offs.forEach((off) => off()) }
}

type Change = BookEvents['change']

/** What `guest` hears of changes from now on: what was written before is told together with a first write, which is left out. */
const beginning = 'beginning'

async function heardBy(book: Daybook, guest: Daybook): Promise<Change[]> {
  const heard: Change[] = []
  guest.on('change', (detail) => heard.push(detail))
  await guest.records.query({})
  await book.traces.store(makeTrace({ id: beginning }))
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  heard.splice(0)
  return heard
}

/** Without the record that a listener begins with: a host may tell of changes together. */
const withoutBeginning = ({ ids, kinds, ...more }: Change): Change => ({
  ...more,
  ids: ids.filter((id) => id !== beginning),
  kinds: ids.includes(beginning) ? kinds.filter((kind) => kind !== 'trace') : kinds,
})

const lefts = (heard: readonly Change[]) => heard.flatMap(({ unreadable = [] }) => unreadable)

export function liveGuestCases({ book: opened }: BookCase, keepsKeys: boolean): void {
  describe('a live query of a guest', () => {
    it('shows no memory any more once the policy is removed, and those of a new policy at once', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      const { id } = await book.consent.setPolicy({ ...open, allow: ['a2p:interests'] })
      const { shows, stop } = queriesOf(guest)
      await shows(health)
      await book.consent.removePolicy({ id })
      const [memories] = await shows()
      expect(memories.error?.code).toBe('consent-required')
      await book.consent.setPolicy({ ...open, allow: ['a2p:professional'] })
      await shows(work)
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests'] })
      await shows(health, work)
      await book.consent.setPolicy({ ...open, allow: ['ext:none'], deny: ['a2p:interests'] })
      await shows(work)
      stop()
    })

    it('shows no memory any more that was forgotten, or moved to where it may not read', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests', 'a2p:professional'] })
      const { shows, stop } = queriesOf(guest)
      await shows(health, work)
      const { memories } = await book.memories.query({ category: 'a2p:professional' })
      await book.memories.reclassify({
        id: memories[0]?.id ?? '',
        category: 'a2p:identity',
        reason: 'It says who they are',
      })
      await shows(health)
      const [left] = (await book.memories.query({ category: 'a2p:interests' })).memories
      await book.records.forget({ id: left?.id ?? '' })
      await shows()
      stop()
    })

    it('ends with `unauthorized`, and shows nothing any more, once its token is revoked', async () => {
      const book = await opened()
      const wide = await grant(book, { permissions: ['read', 'delegation'] })
      const narrow = await grant(book, { granted_to: 'helper' }, wide.token.token_id)
      await book.traces.store(makeTrace({ id: beginning }))
      const handles = [wide, narrow].map(({ token }) => book.with({ as: token.token_id }))
      const lives = handles.map((one) => one.live({ method: 'traces.query', input: {} }))
      const offs = lives.map((one) => one.subscribe(() => undefined))
      await Promise.all(lives.map((one) => snapshotOf(one, ({ data }) => data?.records.length === 1)))
      // What was granted below it ends with it.
      const ended = handles.map((one) => new Promise((resolve) => one.on('closed', resolve)))
      await book.tokens.revoke({ token_id: wide.token.token_id, reason: 'over' })
      for (const one of lives) {
        const { error, data } = await snapshotOf(one, ({ status }) => status === 'error')
        expect([error?.code, data]).toEqual(['unauthorized', undefined])
      }
      for (const detail of await Promise.all(ended))
        expect(detail).toMatchObject({ code: 'unauthorized', reason: expect.stringContaining('revoked') })
      offs.forEach((off) => off())
    })

    it('ends with `unauthorized` when the time of its token is over, though nothing was written', async () => {
      const book = await opened()
      await book.traces.store(makeTrace({ id: beginning }))
      const { token } = await grant(book, { expires_at: new Date(Date.now() + 1500).toISOString() })
      const guest = book.with({ as: token.token_id })
      const live = guest.live({ method: 'traces.query', input: {} })
      const off = live.subscribe(() => undefined)
      const ended = new Promise((resolve) => guest.on('closed', resolve))
      await snapshotOf(live, ({ data }) => data?.records.length === 1)
      const { error, data } = await snapshotOf(live, ({ status }) => status === 'error')
      expect([error?.code, data]).toEqual(['unauthorized', undefined])
      expect(await ended).toMatchObject({ code: 'unauthorized' })
      off()
    })

    it('shows no memory any more when the time of its policy is over', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      const end = new Date(Date.now() + 1500).toISOString()
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests'], expiresAt: end })
      const { shows, stop } = queriesOf(guest)
      await shows(health)
      await shows()
      stop()
    })

    it('begins without its last answer where somebody comes back to it', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      const { id } = await book.consent.setPolicy({ ...open, allow: ['a2p:interests'] })
      const live = guest.live({ method: 'memories.query', input: {} })
      await snapshotOf(live, (one) => String(contents(one)) === health)
      await book.consent.removePolicy({ id })
      const off = live.subscribe(() => undefined)
      expect(live.getSnapshot()).toMatchObject({ status: 'loading', data: undefined })
      off()
    })
  })

  describe('a listener with a token', () => {
    it('hears that what it may read has changed when a policy is set or removed, and no more', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      const heard = await heardBy(book, guest)
      const { id } = await book.consent.setPolicy({ ...open, allow: ['a2p:interests'] })
      await expect.poll(() => heard.length).toBe(1)
      await book.consent.removePolicy({ id })
      await expect.poll(() => heard.length).toBe(2)
      for (const { ids, kinds } of heard) {
        expect(ids).toEqual([])
        expect(kinds).toContain('memory')
        expect(kinds).not.toContain('policy')
      }
    })

    it('is told the id and kind of what it could read before and may not any more, however that came', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      const scopes = ['a2p:interests', 'a2p:professional'] as const
      await book.consent.setPolicy({ ...open, allow: [...scopes] })
      const [first, second] = (await book.memories.query({})).memories.map(({ id }) => ({
        id,
        kind: 'memory',
      }))
      if (!first || !second) throw new Error('There are two memories.')
      const heard = await heardBy(book, guest)
      await book.memories.reclassify({
        id: first.id,
        category: 'a2p:identity',
        reason: 'It says who they are',
      })
      await expect.poll(() => lefts(heard)).toEqual([first])
      const [told] = heard.slice(-1).map(withoutBeginning)
      expect(told).toEqual({ ids: [first.id], kinds: ['memory'], more: 0, unreadable: [first] })
      const { id } = await book.consent.setPolicy({ ...open, allow: ['ext:none'], deny: [...scopes] })
      await expect.poll(() => lefts(heard)).toEqual([first, second])
      expect(heard.at(-1)).toMatchObject({ ids: [], kinds: expect.arrayContaining(['memory']) })
      const count = heard.length
      await book.consent.removePolicy({ id })
      await expect.poll(() => heard.length).toBeGreaterThan(count)
      await book.records.forget({ id: second.id })
      await expect.poll(() => lefts(heard)).toEqual([first, second, second])
    })

    it('is told nothing of a record that it could not read, whatever becomes of that', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests'] })
      const hidden = (await book.memories.query({ category: 'a2p:professional' })).memories[0]?.id ?? ''
      const seen = (await book.memories.query({ category: 'a2p:interests' })).memories[0]?.id ?? ''
      const heard = await heardBy(book, guest)
      await book.memories.reclassify({ id: hidden, category: 'a2p:identity', reason: 'It says who they are' })
      await book.records.forget({ id: hidden })
      await book.records.forget({ id: seen })
      await expect.poll(() => lefts(heard).length).toBe(1)
      expect(JSON.stringify(heard)).not.toContain(hidden)
      expect(heard.map(withoutBeginning).flatMap(({ ids }) => ids)).toEqual([seen])
    })

    it('is told that an episode left with its message', async () => {
      const book = await opened()
      const source = { type: 'User', id: 'ann' }
      const messages = ['The wall is built.', health].map((content) => ({ content, source }))
      const { results } = await book.conversation.storeMany({ session: 's-1', messages })
      const { episodeId: episode = '' } = await book.conversation.archive({ session: 's-1' })
      const { token } = await grant(book)
      const heard = await heardBy(book, book.with({ as: token.token_id }))
      const id = results[1]?.id ?? ''
      await book.records.forget({ id })
      await expect.poll(() => lefts(heard).map((one) => one.id)).toEqual(expect.arrayContaining([id]))
      const named = heard.flatMap(({ ids }) => ids)
      expect(named).toEqual(expect.arrayContaining([id, episode]))
    })

    it.runIf(keepsKeys)('is told what left because it was sealed', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests', 'a2p:professional'] })
      const id = (await book.memories.query({ category: 'a2p:interests' })).memories[0]?.id ?? ''
      const heard = await heardBy(book, guest)
      await book.records.setSensitivity({ id, sensitivity: 'restricted' })
      await expect.poll(() => lefts(heard)).toEqual([{ id, kind: 'memory' }])
    })

    it('is told what left when the time of a policy was over, though nothing was written', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      const end = new Date(Date.now() + 1500).toISOString()
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests'], expiresAt: end })
      const id = (await book.memories.query({ category: 'a2p:interests' })).memories[0]?.id ?? ''
      const heard = await heardBy(book, guest)
      await expect.poll(() => lefts(heard), { timeout: 10_000 }).toEqual([{ id, kind: 'memory' }])
    })

    it('hears the end of its right once, and nothing after that', async () => {
      const book = await opened()
      const { token, guest } = await filled(book)
      const heard = await heardBy(book, guest)
      const closed: { code?: string }[] = []
      const ended = new Promise((resolve) => guest.on('closed', (detail) => resolve(closed.push(detail))))
      await book.tokens.revoke({ token_id: token, reason: 'over' })
      await ended
      const before = heard.length
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests'] })
      // Who listens with a token that has ended is told so at once: by then the change is past.
      await new Promise((resolve) => guest.on('closed', resolve))
      expect(closed).toMatchObject([{ code: 'unauthorized' }])
      expect(heard.length).toBe(before)
    })
  })

  describe('a rate limit of a policy', () => {
    const limit = { requests: 3, window: '2s' }

    it('opens again for a live query by time alone', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests'], conditions: { rateLimit: limit } })
      const live = guest.live({ method: 'memories.query', input: {} })
      const off = live.subscribe(() => undefined)
      await snapshotOf(live, (one) => String(contents(one)) === health)
      // It asks again at each change.
      for (; live.getSnapshot().status !== 'error'; await book.traces.store(makeTrace())) {
        for (let i = 0; i < limit.requests; i++) await guest.records.query({})
      }
      expect(live.getSnapshot()).toMatchObject({ error: { code: 'consent-required' }, data: undefined })
      await snapshotOf(live, (one) => one.status === 'ready' && String(contents(one)) === health)
      off()
    })

    it('is not used up by listening, and what was read before it was used up has not left', async () => {
      const book = await opened()
      const { guest } = await filled(book)
      // One of them is for the beginning.
      const long = { requests: 3, window: '1h' }
      await book.consent.setPolicy({ ...open, allow: ['a2p:interests'], conditions: { rateLimit: long } })
      const heard = await heardBy(book, guest)
      for (let i = 0; i < 5; i++) {
        const { id } = await book.traces.store(makeTrace())
        await expect.poll(() => heard.some(({ ids }) => ids.includes(id))).toBe(true)
      }
      expect((await guest.memories.query({})).memories).toHaveLength(1)
      await guest.memories.query({})
      expect(await failure(guest.memories.query({}))).toMatchObject({ code: 'consent-required' })
      const { id } = await book.traces.store(makeTrace())
      await expect.poll(() => heard.some(({ ids }) => ids.includes(id))).toBe(true)
      expect(lefts(heard)).toEqual([])
    })
  })
}
