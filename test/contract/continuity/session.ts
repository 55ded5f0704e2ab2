// Sessions and turns: begun, ended, broken off, and ended for those who left.
import { describe, expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

export function sessionCases({ book: open, reopen }: BookCase, cancels: boolean): void {
  describe('a session', () => {
    it('has a handle’s scope, and ends with a snapshot, the digest of the day, and out of the room', async () => {
      const book = await open()
      await book.personas.register({ name: 'Alice', role: 'coordinator' })
      const started = await book.sessions.start({ persona: 'Alice' })
      expect(started).toMatchObject({ name: 'Alice', context: null, ended: [], degraded: [] })
      const alice = book.with(started.scope)
      await alice.thoughts.decide({ decision: 'Use Podman', reasoning: 'no daemon' })
      const done = await alice.sessions.end({ focus: 'containers' })
      expect(done).toMatchObject({
        session: started.session,
        state: 'ended',
        reason: 'request',
        wasEnded: false,
      })
      expect(done.digests).toHaveLength(1)
      const { snapshot } = await alice.snapshots.restore()
      expect(snapshot).toMatchObject({ id: done.snapshot, focus: 'containers' })
      const next = await book.sessions.start({ persona: 'Alice' })
      expect(next.context?.markdown).toContain('containers')
      expect(next.session).not.toBe(started.session)
    })

    it('brings its persona into the meeting room unless it shall not, and reading its sunrise brings it nowhere', async () => {
      const book = await open()
      const { ci_id } = await book.personas.register({ name: 'Alice' })
      const here = async () => (await book.room.whoIsHere()).participants.map(({ id }) => id)
      await book.room.say({ as: 'ada', text: 'The kettle is on.' })
      const outside = await book.sessions.start({ persona: 'Alice', room: false })
      expect([outside.room.joined, outside.sunrise.room]).toEqual([false, []])
      expect((await book.days.sunrise({ persona: 'Alice' })).room).toEqual([])
      expect(await here()).toEqual(['ada'])
      const inside = await book.sessions.start({ persona: 'Alice' })
      expect(inside.sunrise.room).toMatchObject([{ from: 'ada', text: 'The kettle is on.' }])
      expect(await here()).toEqual(['ada', ci_id])
    })

    it('sets up its upkeep once: what the owner cancelled stays cancelled, until the owner sets it up', async () => {
      let book = await open()
      await book.personas.register({ name: 'Alice' })
      const id = 'katra.upkeep'
      const states = async () =>
        (await book.tasks.schedules()).schedules.flatMap(({ task }) => (task.id === id ? task.state : []))
      await book.sessions.start({ persona: 'Alice', room: false })
      expect(await states()).toEqual(['active'])
      expect(await book.tasks.unschedule({ id })).toEqual({ id, ended: true })
      expect(await book.tasks.unschedule({ id })).toEqual({ id, ended: false })
      book = await reopen(book)
      await book.sessions.start({ persona: 'Alice', room: false })
      expect(await states()).toEqual(['cancelled'])
      await book.tasks.schedule({ id, every: '1h' })
      expect(await states()).toEqual(['active'])
    })

    it('says the same when it is ended twice, and makes nothing twice', async () => {
      const book = await open()
      await book.personas.register({ name: 'Alice' })
      const { scope } = await book.sessions.start({ persona: 'Alice' })
      const alice = book.with(scope)
      await alice.thoughts.learn({ knowledge: 'Water boils at 100 °C.' })
      const { wasEnded: _first, ...one } = await alice.sessions.end()
      const { wasEnded: second, ...two } = await alice.sessions.end()
      expect(second).toBe(true)
      expect(two).toEqual(one)
      expect((await alice.snapshots.list()).snapshots).toHaveLength(1)
      expect((await alice.days.list()).digests).toHaveLength(1)
    })

    it('is neither begun twice by one handle, nor ended before it is begun', async () => {
      const book = await open()
      const nobody = await failure(book.sessions.end())
      expect(nobody).toMatchObject({ code: 'conflict', details: { reason: 'not-initialized' } })
      expect((await failure(book.sessions.start({ persona: 'Alice' }))).code).toBe('not-found')
      const { scope } = await book.personas.register({ name: 'Alice' })
      const before = await failure(book.with(scope).sessions.end())
      expect(before).toMatchObject({
        code: 'conflict',
        details: { reason: 'not-initialized', path: 'session' },
      })
      const started = await book.sessions.start({ persona: 'Alice' })
      const twice = await failure(book.with(started.scope).sessions.start())
      expect(twice).toMatchObject({
        code: 'conflict',
        details: { reason: 'already-initialized', session: started.session },
      })
      expect((await failure(book.with(scope).sessions.end({ session: 'no-such' }))).code).toBe('not-found')
    })

    if (cancels) brokenOffCase({ book: open })

    it('that nobody ended is ended by the next start, once its tab has gone, and its day is told', async () => {
      let book = await open()
      const { ci_id } = await book.personas.register({ name: 'Alice' })
      const left = await book.sessions.start({ persona: 'Alice' })
      await book.with(left.scope).thoughts.learn({ knowledge: 'The audit is in March.' })
      book = await reopen(book)
      // At a mirror who was in the room is there for minutes yet; and where there is none, only the half hour tells.
      const people = await book.room.whoIsHere().then(
        ({ participants }) => participants.map(({ id }) => id),
        (): string[] => [],
      )
      const next = await book.sessions.start({ persona: 'Alice' })
      if (left.room.joined && !people.includes(ci_id)) {
        expect(next.ended).toEqual([left.session])
        expect(next.context?.markdown).toContain('The audit is in March.')
        const { digests } = await book.days.list({ persona: ci_id })
        expect(digests).toMatchObject([{ raw: 1 }])
      } else expect(next.ended).toEqual([])
      // Who is in the room has not left.
      const other = await book.sessions.start({ persona: 'Alice' })
      expect(other.ended).toEqual([])
    })
  })

  describe('a turn', () => {
    it('holds every record of any kind that its handle wrote between its beginning and its end', async () => {
      const book = await open()
      await book.personas.register({ name: 'Alice' })
      const here = book.with((await book.sessions.start({ persona: 'Alice' })).scope)
      const elsewhere = book.with((await book.sessions.start({ persona: 'Alice' })).scope)
      await here.thoughts.learn({ knowledge: 'Before the turn.' })
      const begun = await here.turns.begin()
      expect(begun).toMatchObject({ number: 1, memoryIds: [], count: 0 })
      const thought = await here.thoughts.remember({ content: 'In the turn.', context: 'interesting' })
      const { id: trace } = await here.traces.store(makeTrace({}))
      await elsewhere.thoughts.learn({ knowledge: 'In another session.' })
      expect(new Set((await here.turns.review()).memoryIds)).toEqual(new Set([thought.id, trace]))
      const ended = await here.turns.end()
      expect(ended.count).toBe(2)
      await here.thoughts.learn({ knowledge: 'After the turn.' })
      expect((await here.turns.review()).memoryIds).toEqual(ended.memoryIds)
      expect((await here.turns.begin()).number).toBe(2)
      expect((await here.turns.review({ number: 1 })).count).toBe(2)
    })

    it('is not ended before it is begun, nor begun twice, nor begun when its session is over', async () => {
      const book = await open()
      await book.personas.register({ name: 'Alice' })
      const alice = book.with((await book.sessions.start({ persona: 'Alice' })).scope)
      const none = { code: 'conflict', details: { reason: 'not-initialized' } }
      expect(await failure(alice.turns.end())).toMatchObject(none)
      expect(await failure(alice.turns.review())).toMatchObject(none)
      await alice.turns.begin()
      expect(await failure(alice.turns.begin())).toMatchObject({
        code: 'conflict',
        details: { reason: 'already-initialized' },
      })
      await alice.turns.end()
      expect(await failure(alice.turns.end())).toMatchObject(none)
      await alice.sessions.end()
      expect(await failure(alice.turns.begin())).toMatchObject(none)
    })
  })
}

function brokenOffCase({ book: open }: Pick<BookCase, 'book'>): void {
  it('that was broken off in any step is finished by the next call, with one of everything', async () => {
    const book = await open()
    await book.personas.register({ name: 'Alice' })
    for (const step of ['snapshot', 'digest', 'consolidation', 'leave']) {
      const { scope, session } = await book.sessions.start({ persona: 'Alice' })
      const alice = book.with(scope)
      await alice.thoughts.learn({ knowledge: `What was learned before ${step}.` })
      const abort = new AbortController()
      const heard = Promise.withResolvers<void>()
      const off = book.on('progress', ({ subject }) => {
        if (subject === step) heard.resolve()
      })
      const ending = alice.sessions.end({}, { signal: abort.signal }).catch(() => undefined)
      await Promise.race([heard.promise, ending])
      abort.abort()
      await ending
      off()
      const done = await alice.sessions.end()
      expect(done).toMatchObject({ session, state: 'ended' })
      expect(done.digests).toHaveLength(1)
    }
    const { snapshots } = await book.snapshots.list({ persona: 'Alice' })
    expect(snapshots).toHaveLength(4)
    expect((await book.days.list({ persona: 'Alice' })).digests).toHaveLength(1)
  })
}
