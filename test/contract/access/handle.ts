// Handles of a book: defaults that hold for all that is done through them, and that only ever narrow.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Daybook, HandleOptions } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'
import { grant } from './token-grant.ts'

const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id).toSorted()
const chat = JSON.stringify([{ role: 'user', content: 'My name is Mallory' }])
const textOf = async (stream: unknown) => new Response(stream as ReadableStream).text()
const thrown = async (work: () => unknown) => failure(Promise.resolve().then(work))
/** Resolves with the first answer that is one. */
const whenHeard = <Detail>(listen: (hear: (detail: Detail) => void) => () => void) =>
  new Promise<Detail>((resolve) => {
    const off = listen((detail) => {
      off()
      resolve(detail)
    })
  })

export function handleCases({ book: open }: BookCase): void {
  describe('a handle of a book', () => {
    it('gives its agent, session and resource to all that says nothing of its own', async () => {
      const book = await open()
      const lesson = book.with({ agent: 'tutor', session: 'lesson-1', resource: 'course:CS101' })
      const plain = await lesson.traces.store(makeTrace())
      const own = await lesson.call('kstar:store_trace', makeTrace({ session: 'lesson-2' }))
      const head = { agent: 'tutor', session: 'lesson-1', resource: 'course:CS101' }
      expect(await book.traces.get({ id: plain.id })).toMatchObject(head)
      expect(await book.traces.get({ id: own.id })).toMatchObject({ ...head, session: 'lesson-2' })
      const { ids: [imported = ''] = [] } = await lesson.import(chat)
      expect(await book.records.get({ id: imported })).toMatchObject({ resource: 'course:CS101' })
      const { id } = await book.traces.store(makeTrace())
      expect(await book.traces.get({ id })).not.toHaveProperty('resource')
      const once = await book.traces.store(makeTrace(), { scope: { session: 'this-call' } })
      expect(await book.traces.get({ id: once.id })).toMatchObject({ session: 'this-call' })
    })

    it('is composed of handles: the inner defaults come in place of the outer ones', async () => {
      const book = await open()
      const outer = book.with({ agent: 'tutor', session: 'one' })
      const inner = outer.with({ session: 'two' }).with({ resource: 'user:ann', agent: undefined })
      const heads = await Promise.all(
        [outer, inner].map(async (handle) => {
          const { id } = await handle.traces.store(makeTrace())
          const { agent, session, resource } = (await book.traces.get({ id })) ?? expect.unreachable()
          return [agent, session, resource]
        }),
      )
      expect(heads).toEqual([
        ['tutor', 'one', undefined],
        ['tutor', 'two', 'user:ann'],
      ])
    })

    it('with a token sees, exports and imports as its holder, whatever is asked of it', async () => {
      const book = await open()
      await book.traces.storeMany({
        traces: [makeTrace({ id: 'in', resource: 'course:CS101' }), makeTrace({ id: 'out' })],
      })
      const permissions = ['read', 'write', 'export']
      const { token } = await grant(book, { scope: 'course:CS101', permissions })
      const agent = book.with({ agent: 'owner-agent', session: 'desk' }).with({ as: token.token_id })
      expect(ids((await agent.traces.query()).records)).toEqual(['in'])
      expect(ids((await agent.with({ as: undefined }).traces.query()).records)).toEqual(['in'])
      expect(JSON.parse(await textOf(await agent.export()))).toMatchObject({
        statistics: { trace_count: 1 },
      })
      expect((await failure(agent.import(chat))).code).toBe('forbidden')
      expect((await failure(agent.tokens.revoke({ token_id: 'token::x', reason: '' }))).code).toBe(
        'forbidden',
      )
      const { id } = await agent.traces.store(makeTrace())
      expect(await book.traces.get({ id })).toMatchObject({
        agent: 'grader',
        session: 'desk',
        resource: 'course:CS101',
      })
    })

    it('with a token speaks in no other name', async () => {
      const book = await open()
      const { token } = await grant(book, { permissions: ['read', 'write'] })
      const as = token.token_id
      for (const handle of [
        book.with({ as, agent: 'teacher' }),
        book.with({ as }).with({ agent: 'teacher' }),
      ])
        expect(await failure(handle.traces.store(makeTrace()))).toMatchObject({
          code: 'forbidden',
          details: { path: 'agent' },
        })
      expect((await book.traces.query()).records).toEqual([])
      const { id } = await book.with({ as, agent: 'grader' }).traces.store(makeTrace())
      expect(await book.traces.get({ id })).toMatchObject({ agent: 'grader' })
    })

    it('takes a further token only from below its own, by a handle or by a call', async () => {
      const book = await open()
      const permissions = ['read', 'delegation']
      const { token: wide } = await grant(book, { scope: 'course:**', permissions })
      const { token: other } = await grant(book, { permissions: ['**'] })
      const agent = book.with({ as: wide.token_id })
      const { token: narrow } = await grant(agent, { scope: 'course:CS101', granted_to: 'helper' })
      await book.traces.storeMany({
        traces: ['CS101', 'CS102'].map((name) => makeTrace({ id: name, resource: `course:${name}` })),
      })
      expect(ids((await agent.traces.query()).records)).toEqual(['CS101', 'CS102'])
      const helper = agent.with({ as: narrow.token_id })
      expect(ids((await helper.traces.query()).records)).toEqual(['CS101'])
      expect(ids((await agent.traces.query({}, { as: narrow.token_id })).records)).toEqual(['CS101'])
      const refused = [
        helper.with({ as: wide.token_id }).traces.query(),
        helper.traces.query({}, { as: wide.token_id }),
        agent.with({ as: other.token_id }).traces.query(),
        agent.traces.query({}, { as: other.token_id }),
        agent.traces.query({}, { as: 'nobody' }),
      ]
      for (const error of await Promise.all(refused.map(failure)))
        expect(error).toMatchObject({ code: 'forbidden', details: { path: 'as' } })
      expect(ids((await helper.with({ as: narrow.token_id }).traces.query()).records)).toEqual(['CS101'])
    })

    it('never sees or may do more than what it was made from, in whatever order handles are made', async () => {
      const book = await open()
      await book.traces.storeMany({
        traces: ['a.x', 'a.y', 'b.x'].map((name) => makeTrace({ id: name, resource: `course:${name}` })),
      })
      const permissions = ['read', 'write', 'delegation']
      const lines: string[] = []
      for (const scope of ['course:**', 'course:a.**', 'course:a.x']) {
        const { token } = await grant(book, { scope, permissions, ...(lines[0] ? { parent: lines[0] } : {}) })
        lines.unshift(token.token_id)
      }
      const { token } = await grant(book, { scope: 'course:b.**', permissions: ['read', 'write'] })
      const step = fc.record({
        as: fc.constantFrom(undefined, ...lines, token.token_id, 'nobody'),
        session: fc.constantFrom(undefined, 's', 't'),
        resource: fc.constantFrom(undefined, 'course:b.x'),
      })
      /** What can be seen through a handle; what is refused sees nothing. */
      const seenBy = async (handle: Daybook) =>
        ids((await handle.traces.query().catch(() => ({ records: [] }))).records)
      const mayAll = async (handle: Daybook) =>
        handle.bundles.verify({ text: 'x', more: false }).then(
          () => true,
          (error: { code: string }) => error.code !== 'forbidden' && error.code !== 'unauthorized',
        )
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 4 }), async (steps) => {
          let handle = book
          let seen = await seenBy(book)
          let isNarrow = false
          for (const options of steps) {
            handle = handle.with(options as HandleOptions)
            isNarrow ||= options.as !== undefined
            const now = await seenBy(handle)
            expect([steps, seen]).toEqual([steps, expect.arrayContaining(now)])
            if (isNarrow) expect(await mayAll(handle)).toBe(false)
            seen = now
          }
        }),
        { numRuns: 25 },
      )
      expect(await mayAll(book)).toBe(true)
    })

    it('is refused what is no default, with the path of what is wrong', async () => {
      const book = await open()
      const cases: [path: string, options: unknown][] = [
        ['agent', { agent: '' }],
        ['session', { session: 'x'.repeat(1001) }],
        ['resource', { resource: '\ud800' }],
        ['session', { session: 7 }],
        ['as', { as: '' }],
        ['as', { as: null }],
        ['sesion', { sesion: 'typo' }],
        ['', null],
      ]
      for (const [path, options] of cases)
        expect([path, await thrown(() => book.with(options as HandleOptions))]).toMatchObject([
          path,
          { code: 'invalid-input', details: { path } },
        ])
      const odd = { scope: { session: '' } }
      expect(await failure(book.traces.store(makeTrace(), odd))).toMatchObject({
        code: 'invalid-input',
        details: { path: 'options.scope.session' },
      })
      expect((await book.traces.query()).records).toEqual([])
    })

    it('closes itself and the handles made from it, and nothing else', async () => {
      const book = await open()
      const handle = book.with({ session: 's' })
      const inner = handle.with({ session: 't' })
      const heard: unknown[] = []
      handle.on('change', (change) => heard.push(change))
      inner.on('change', (change) => heard.push(change))
      await handle.close()
      expect((await failure(handle.traces.query())).code).toBe('book-closed')
      expect((await failure(inner.traces.query())).code).toBe('book-closed')
      const changed = whenHeard<object>((hear) => book.on('change', hear))
      await book.traces.store(makeTrace())
      await changed
      expect(heard).toEqual([])
      {
        await using brief = book.with({ agent: 'brief' })
        await brief.traces.store(makeTrace())
      }
      expect((await book.traces.query()).records).toHaveLength(2)
    })

    it('is refused as soon as its token is revoked, and changes nothing', async () => {
      const book = await open()
      const { token } = await grant(book, { permissions: ['read', 'write', 'export'] })
      const agent = book.with({ as: token.token_id })
      await agent.traces.store(makeTrace())
      await book.tokens.revoke({ token_id: token.token_id, reason: 'over' })
      const before = await book.stats()
      const calls = [
        agent.traces.query(),
        agent.traces.store(makeTrace()),
        agent.export(),
        agent.import(chat),
      ]
      for (const error of await Promise.all(calls.map(failure)))
        expect(error).toMatchObject({ code: 'unauthorized', details: { reason: 'Token revoked' } })
      expect((await book.stats()).kinds).toEqual(before.kinds)
    })

    it('with a token hears only of what its holder could read', async () => {
      const book = await open()
      const { token } = await grant(book, { scope: 'course:CS101' })
      const agent = book.with({ as: token.token_id })
      const heard: string[] = []
      agent.on('progress', () => heard.push('progress'))
      agent.on('task', () => heard.push('task'))
      const seen: { ids: readonly string[]; more: number }[] = []
      agent.on('change', ({ ids: changed, more }) => seen.push({ ids: changed, more }))
      const told = whenHeard<{ ids: readonly string[] }>((hear) => agent.on('change', hear))
      await book.traces.store(makeTrace({ id: 'out' }))
      await book.traces.store(makeTrace({ id: 'in', resource: 'course:CS101' }))
      expect((await told).ids).toEqual(['in'])
      // Each listener asks for itself what its holder could read.
      await expect.poll(() => seen.flatMap(({ ids: all }) => all)).toEqual(['in'])
      expect(heard).toEqual([])
    })
  })
}

/** What is said in the meeting room, where there is one. */
export function handleRoomCases({ book: open }: BookCase): void {
  describe('a handle with a token, in the meeting room', () => {
    it('hears of it where its token lets it in, and else nothing', async () => {
      const book = await open()
      const { token } = await grant(book, { scope: 'course:CS101' })
      const heard: string[] = []
      book.with({ as: token.token_id }).on('room', ({ type }) => heard.push(type))
      const { token: guestOfRoom } = await grant(book, { scope: 'meeting-room' })
      const listening = book.with({ as: guestOfRoom.token_id })
      const message = whenHeard<{ text: string }>((hear) => listening.room.onMessage(hear))
      await book.room.say({ text: 'hello' })
      expect((await message).text).toBe('hello')
      expect(heard).toEqual([])
    })

    it('is not let in where that is denied', async () => {
      const book = await open()
      const { token } = await grant(book, { deny: ['meeting-room'], permissions: ['read', 'write'] })
      const guest = book.with({ as: token.token_id })
      expect((await failure(guest.room.say({ text: 'hello' }))).code).toBe('forbidden')
    })
  })
}
