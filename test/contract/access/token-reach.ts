// Tokens and keys that reach several things, and never some: what is denied is in no answer and no number.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'
import { grant, later } from './token-grant.ts'

const ids = (records: readonly { id: string }[]) => records.map(({ id }) => id).toSorted()

/** A course, a person and a domain of traces, each alone and together; all say the same words. */
async function fill(book: Daybook): Promise<void> {
  const one = (id: string, resource: string, domain: string, links: string[] = []) =>
    makeTrace({
      id,
      resource,
      situation: { domain, context: {} },
      task: { goal: `secret recursion ${id}` },
      metadata: { linked_traces: links },
    })
  await book.traces.storeMany({
    traces: [
      one('course', 'course:CS101', 'education.math'),
      one('person', 'user:ann', 'education.math', ['course']),
      one('ill', 'course:CS101', 'health.blood', ['course']),
      one('other', 'course:CS102', 'education.math'),
    ],
  })
}

export function tokenReachCases({ book: open }: BookCase): void {
  const both = { scope: 'course:CS101', allow: ['user:**'], deny: ['trace:health.**'] }

  describe('a token with several patterns', () => {
    it('reaches what one of them allows and none denies, by any way of reading', async () => {
      const book = await open()
      await fill(book)
      const { token } = await grant(book, { ...both, permissions: ['read', 'export'] })
      expect(token).toMatchObject(both)
      const guest = book.with({ as: token.token_id })
      const inside = ['course', 'person']
      expect(ids((await guest.traces.query()).records)).toEqual(inside)
      const recalled = await guest.recall({ text: 'secret recursion' })
      // Of records that say nearly the same it gives one.
      expect(inside).toEqual(expect.arrayContaining(ids(recalled.hits.map(({ record }) => record))))
      expect(recalled.legs).toMatchObject({ text: 2 })
      expect(ids((await guest.traces.search({ query: 'secret recursion' })).records)).toEqual(inside)
      expect((await guest.traces.count()).total).toBe(2)
      expect((await guest.stats()).kinds).toMatchObject({ trace: { count: 2 } })
      expect((await guest.status()).records).toEqual({ trace: 2 })
      expect(ids((await guest.traces.linked({ id: 'course' })).from)).toEqual(['person'])
      expect(await guest.records.get({ id: 'ill' })).toBeNull()
      expect((await failure(guest.records.history({ id: 'ill' }))).code).toBe('not-found')
      const { text, total } = await guest.bundles.export({})
      expect([total, /"ill"|"other"|blood/.test(text)]).toEqual([2, false])
    })

    it('denies with a name all below it: a kind, a category, a part of a resource', async () => {
      const book = await open()
      await fill(book)
      await book.documents.write({
        changes: [{ folder: 'notes/', key: 'one', value: { text: 'secret recursion note' } }],
      })
      const seen = async (deny: string[]) => {
        const { token } = await grant(book, { scope: '**', deny, permissions: ['read'] })
        const { records } = await book.records.query({}, { as: token.token_id })
        const { hits } = await book.recall({ text: 'secret recursion' }, { as: token.token_id })
        const kinds = (list: readonly { kind: string }[]) => new Set(list.map(({ kind }) => kind))
        expect([...kinds(hits.map(({ record }) => record))].every((kind) => kinds(records).has(kind))).toBe(
          true,
        )
        return ids(records.map(({ id, kind }) => ({ id: kind === 'document' ? kind : id })))
      }
      expect(await seen(['document'])).toEqual(['course', 'ill', 'other', 'person'])
      expect(await seen(['trace'])).toEqual(['document'])
      expect(await seen(['trace:health'])).toEqual(['course', 'document', 'other', 'person'])
      // What was made from `course` goes with it.
      expect(await seen(['course'])).toEqual(['document', 'person'])
      expect(await seen(['agent'])).toEqual([])
    })

    it('looks into so much of the records in a call, and is told how to ask for less', async () => {
      const book = await open()
      const list = Array.from({ length: 150_000 }, () => 7)
      await book.facts.store({ schema: 'big', data: { list }, resource: 'course:CS101' })
      await book.facts.store({ schema: 'small', data: { list: [99] }, resource: 'course:CS102' })
      const or = Array.from({ length: 20 }, (_, i) => ({ 'data.list': { contains: i + 90 } }))
      const { token: wide } = await grant(book, { scope: 'course:**', permissions: ['read'] })
      const { token: narrow } = await grant(book, { scope: 'course:CS102', permissions: ['read'] })
      const guest = book.with({ as: wide.token_id })
      for (const asked of [
        () => guest.facts.query({ filters: { or } }),
        () => guest.records.query({ filters: { or } }),
        () => guest.facts.query({ filters: { or }, path: '$.list[*]', value: 99 }),
        () => guest.recall({ text: 'small', filters: { or } }),
      ]) {
        const { code, details } = await failure(asked())
        expect([code, Number(details['limitBytes']) < 300_000]).toEqual(['too-broad', true])
      }
      const found = await guest.facts.query({ filters: { schema: 'small', or } })
      expect(found.records).toHaveLength(1)
      // What is out of reach counts for nothing, and the owner's own questions are not bounded.
      for (const one of [book.with({ as: narrow.token_id }), book])
        expect((await one.facts.query({ filters: { or } })).records).toHaveLength(1)
    })

    it('writes where it may read, and nothing that is denied', async () => {
      const book = await open()
      await fill(book)
      const { token } = await grant(book, { ...both, permissions: ['read', 'write', 'forget'] })
      const guest = book.with({ as: token.token_id })
      const ill = { situation: { domain: 'health.blood', context: {} } }
      const refused = [
        guest.traces.store(makeTrace()),
        guest.traces.store(makeTrace({ resource: 'course:CS101', ...ill })),
        guest.traces.store(makeTrace({ id: 'course', resource: 'course:CS101', replace: true, ...ill })),
      ]
      for (const error of await Promise.all(refused.map(failure))) expect(error.code).toBe('forbidden')
      expect(await guest.traces.forget({ id: 'ill' })).toMatchObject({ forgotten: false })
      const { id } = await guest.traces.store(makeTrace({ resource: 'user:bob' }))
      expect(await book.traces.get({ id })).toMatchObject({ agent: 'grader', resource: 'user:bob' })
      expect((await book.traces.get({ id: 'ill' }))?.resource).toBe('course:CS101')
    })

    it('grants below itself only what is within it, and passes on what it denies', async () => {
      const book = await open()
      await fill(book)
      const { token } = await grant(book, { ...both, permissions: ['read', 'delegation'] })
      const guest = book.with({ as: token.token_id })
      for (const wider of [
        { scope: 'course:CS102' },
        { scope: 'course:CS101', allow: ['user:ann', 'agent:**'] },
        { scope: '**' },
      ])
        expect((await failure(grant(guest, wider))).code).toBe('forbidden')
      const { token: child } = await grant(guest, {
        scope: 'user:ann',
        allow: ['course:CS101'],
        granted_to: 'helper',
      })
      expect(child.deny).toEqual(both.deny)
      expect(ids((await guest.with({ as: child.token_id }).traces.query()).records)).toEqual([
        'course',
        'person',
      ])
      const valid = async (scope: string) =>
        (await book.tokens.verify({ token_id: child.token_id, scope })).valid
      expect(
        await Promise.all(['course:CS101', 'user:ann', 'user:bob', 'trace:health.blood'].map(valid)),
      ).toEqual([true, true, false, false])
    })

    it('syncs nowhere, where anything is denied', async () => {
      const book = await open()
      const permissions = ['read', 'write', 'sync']
      const { token } = await grant(book, { scope: '**', deny: ['meeting-room'], permissions })
      const guest = book.with({ as: token.token_id })
      expect((await failure(guest.sync())).code).toBe('forbidden')
    })

    it('is refused patterns that are none, with the path; a token of one pattern says nothing of others', async () => {
      const book = await open()
      for (const [path, more] of [
        ['deny.0', { deny: ['a..b'] }],
        ['allow.1', { allow: ['a', '**.b'] }],
        ['deny', { deny: Array.from({ length: 33 }, (_, i) => `a:${i}`) }],
      ] as const)
        expect(
          await failure(grant(book, { ...more, allow: [...(more.allow ?? [])] } as never)),
        ).toMatchObject({
          code: 'invalid-input',
          details: { path },
        })
      const { token } = await grant(book, { scope: 'course:CS101', allow: [], deny: [] })
      expect(token).not.toHaveProperty('allow')
      expect(token).not.toHaveProperty('deny')
    })

    it('has its like in access keys, which sync only where nothing is denied', async () => {
      const book = await open()
      const { id } = await book.accessKeys.create({ name: 'grader', permissions: ['read'], ...both })
      const { keys } = await book.accessKeys.list()
      expect(keys.find((key) => key.id === id)).toMatchObject(both)
      const wrong = [
        { name: 'x', permissions: ['sync'], deny: ['trace:health.**'] },
        { name: 'x', owner: true, deny: ['trace:**'], expires_at: later },
      ]
      for (const input of wrong)
        expect(await failure(book.accessKeys.create(input))).toMatchObject({
          code: 'invalid-input',
          details: { path: 'deny' },
        })
    })
  })
}
