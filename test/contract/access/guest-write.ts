// What somebody with a control token may change, and under which ids and names, as every host must hold it.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { makeTrace } from '../../support/trace.ts'
import { type BookCase, failure } from '../book-case.ts'

async function guest(book: Daybook, scope: string, permissions: string[], holder = 'grader') {
  const { token } = await book.tokens.grant({
    scope,
    permissions,
    granted_to: holder,
    expires_at: '2099-01-01T00:00:00Z',
  })
  return { as: token.token_id }
}

/** What a call came to, without the id it was about. */
async function outcome(call: Promise<unknown>, id: string): Promise<string> {
  const text = await call.then(
    (value) => JSON.stringify(value),
    (error: { code: string; message: string; details: object }) =>
      JSON.stringify([error.code, error.message, error.details]),
  )
  return text.replaceAll(id, '#')
}

const forbidden = (path: string) => ({ code: 'forbidden', details: { path } })

export function guestWriteCases({ book: open }: BookCase, { keepsKeys = true } = {}): void {
  describe('a guest that writes', () => {
    it('is told the same of an id whether something out of its sight has it, had it, or nothing', async () => {
      const book = await open()
      const elsewhere = { resource: 'course:CS102' }
      await book.traces.store(makeTrace({ id: 'hidden', ...elsewhere }))
      await book.facts.store({ id: 'a-fact', schema: 's', data: {}, ...elsewhere })
      await book.traces.store(makeTrace({ id: 'gone', ...elsewhere }))
      await book.records.forget({ id: 'gone' })
      await book.traces.store(makeTrace({ id: 'purged', ...elsewhere }))
      await book.records.purge({ id: 'purged' })
      const as = await guest(book, 'course:CS101', ['read', 'write', 'forget'])
      const calls: ((id: string) => Promise<unknown>)[] = [
        (id) => book.traces.store(makeTrace({ id }), as),
        (id) => book.traces.store(makeTrace({ id }), { ...as, requestId: `r-${id}` }),
        (id) => book.traces.store(makeTrace({ id }), { ...as, requestId: `r-${id}` }),
        (id) => book.facts.store({ id, schema: 's', data: {} }, as),
        (id) => book.traces.complete({ id, result: { success: true } }, as),
        (id) => book.records.restore({ id, version: 1 }, as),
        (id) => book.records.setSensitivity({ id, sensitivity: 'public' }, as),
        (id) => book.records.forget({ id, cascade: true }, as),
        (id) => book.records.history({ id }, as),
      ]
      for (const call of calls) {
        const free = await outcome(call('free'), 'free')
        for (const id of ['hidden', 'a-fact', 'gone', 'purged'])
          expect([id, await outcome(call(id), id)]).toEqual([id, free])
      }
      expect((await failure(book.traces.store(makeTrace({ id: 'free' }), as))).details).toEqual({
        path: 'id',
      })
      expect(await book.records.get({ id: 'free' })).toBeNull()
      expect((await book.traces.get({ id: 'hidden' }))?.resource).toBe('course:CS102')
    })

    it('that sees the whole book gives ids of its own, but none that other kinds have', async () => {
      const book = await open()
      const as = await guest(book, '**', ['write'])
      expect((await book.traces.store(makeTrace({ id: 'mine' }), as)).id).toBe('mine')
      for (const id of ['skill::grade', 'token::x', as.as, 'access_key::x', 'message::x', 'inbox::boss::x'])
        expect(await failure(book.traces.store(makeTrace({ id }), as))).toMatchObject(forbidden('id'))
      await book.records.forget({ id: 'mine' })
      expect((await book.traces.store(makeTrace({ id: 'mine' }), as)).id).toBe('mine')
    })

    it('has a name for itself where others may have it, and the book’s where all of that name is in its scope', async () => {
      const book = await open()
      const skill = (name: string, procedure: string) => ({ name, definition: { procedure } })
      await book.skills.store({ ...skill('grade', 'own'), resource: 'course:CS102' })
      const narrow = await guest(book, 'course:CS101', ['read', 'write'])
      const { id } = await book.skills.store(skill('grade', 'theirs'), narrow)
      expect((await book.skills.get({ skillName: 'grade' }, narrow))?.id).toBe(id)
      expect(await book.skills.recordOutcome({ skillName: 'grade', outcome: true }, narrow)).toMatchObject({
        id,
      })
      expect(await failure(book.skills.store(skill('grade', 'again'), narrow))).toMatchObject({
        code: 'conflict',
        details: {
          path: 'name',
          id,
        },
      })
      const own = await book.skills.get({ skillName: 'grade' })
      expect(own).toMatchObject({ definition: { procedure: 'own' }, maturity: { usage_count: 0 } })
      const curator = await guest(book, 'skill:**', ['read', 'write'])
      expect((await book.skills.store(skill('plan', 'p'), curator)).id).toBe('skill::plan')
      expect((await book.skills.get({ skillName: 'plan' }))?.agent).toBe('grader')
    })

    it('leaves a message once for each key, whoever else has used that key, also when it was forgotten', async () => {
      const book = await open()
      await book.inbox.send({ from: 'grader', to: 'boss', text: 'not its own', key: 'k' })
      const as = await guest(book, 'inbox:tutor', ['inbox:send'])
      const send = () => book.inbox.send({ to: 'tutor', text: 'hello', key: 'k' }, as)
      const { id, sent } = await send()
      expect([sent, await send()]).toEqual([true, { id, sent: false }])
      await book.records.forget({ id })
      expect(await send()).toEqual({ id, sent: false })
      const named = book.inbox.send({ to: 'tutor', text: 'hello', from: 'boss' }, as)
      expect(await failure(named)).toMatchObject(forbidden('from'))
    })

    it('makes nothing less sensitive than it is, by any verb; what it does not say stays as it is', async () => {
      const book = await open()
      const as = await guest(book, '**', ['read', 'write'])
      const { id } = await book.traces.store(makeTrace({ sensitivity: 'standard' } as object))
      const refused = [
        book.records.setSensitivity({ id, sensitivity: 'public' }, as),
        book.traces.store(makeTrace({ id, sensitivity: 'public', replace: true } as object), as),
        book.traces.storeMany(
          { traces: [makeTrace(), makeTrace({ id, sensitivity: 'public', replace: true } as object)] },
          as,
        ),
      ].map(failure)
      for (const error of await Promise.all(refused)) expect(error).toMatchObject(forbidden('sensitivity'))
      expect((await book.traces.count()).total).toBe(1)
      await book.records.setSensitivity({ id, sensitivity: 'public' })
      expect(await book.records.get({ id })).toMatchObject({ sensitivity: 'public' })
    })

    if (keepsKeys) sealedCases({ book: open })

    it('leaves the words of another as they are', async () => {
      const book = await open()
      const { id } = await book.inbox.send({ from: 'boss', text: 'one' })
      const as = await guest(book, '**', ['read', 'write'], 'tutor')
      expect((await book.inbox.take({}, as)).messages).toMatchObject([{ id }])
      expect(await book.inbox.acknowledge({ ids: [id] }, as)).toEqual({ acknowledged: [id] })
      expect(await book.records.get({ id })).toMatchObject({
        from: 'boss',
        text: 'one',
        acknowledgedBy: ['tutor'],
      })
    })
  })

  it('frees an id when what had it is purged', async () => {
    const book = await open()
    await book.traces.store(makeTrace({ id: 'skill::grade' }))
    const skill = { name: 'grade', definition: { procedure: 'p' } }
    expect((await failure(book.skills.store(skill))).code).toBe('conflict')
    await book.records.purge({ id: 'skill::grade' })
    expect((await book.skills.store(skill)).id).toBe('skill::grade')
    expect(await book.skills.get({ skillName: 'grade' })).toMatchObject({ kind: 'skill', name: 'grade' })
    expect((await book.skills.query({ filters: { name: 'grade' } })).records).toHaveLength(1)
    expect((await book.traces.query({})).records).toEqual([])
  })
}

function sealedCases({ book: open }: Pick<BookCase, 'book'>): void {
  it('seals no clear record of another without the right to forget', async () => {
    const book = await open()
    await book.perceptions.store({ id: 'p', content: 'in clear', confidence: 1 })
    const sealed = {
      id: 'p',
      content: 'sealed',
      confidence: 1,
      replace: true,
      sensitivity: 'sensitive',
    } as const
    const as = await guest(book, '**', ['read', 'write'])
    expect(await failure(book.perceptions.store(sealed, as))).toMatchObject(forbidden('sensitivity'))
    expect(await book.records.get({ id: 'p' })).toMatchObject({ content: 'in clear' })
    const { id } = await book.perceptions.store({ content: 'own', confidence: 1 }, as)
    await book.perceptions.store({ ...sealed, id }, as)
    await book.perceptions.store(sealed, await guest(book, '**', ['read', 'write', 'forget'], 'keeper'))
    expect((await book.records.get({ id: 'p' }))?.['sensitivity']).toBe('sensitive')
  })

  it('unseals nothing: not by storing again, restoring, changing or taking its place', async () => {
    const book = await open()
    const as = await guest(book, '**', ['read', 'write'])
    const { id } = await book.traces.store(makeTrace({ id: 't' }))
    await book.traces.complete({ id, result: { success: true }, replace: true })
    await book.records.setSensitivity({ id, sensitivity: 'restricted' })
    const fact = { schema: 's', data: { n: 1 } }
    await book.facts.store({ id: 'f', ...fact, sensitivity: 'sensitive' })
    await book.perceptions.store({ id: 'p', content: 'c', confidence: 1, sensitivity: 'sensitive' })
    const refused = [
      book.traces.store(makeTrace({ id, sensitivity: 'standard', replace: true } as object), as),
      book.traces.store(makeTrace({ id, sensitivity: 'sensitive', replace: true } as object), as),
      book.records.setSensitivity({ id, sensitivity: 'sensitive' }, as),
      book.facts.store({ id: 'f', ...fact, sensitivity: 'standard' }, as),
      book.facts.supersede({ id: 'f', data: { n: 2 }, sensitivity: 'standard' }, as),
      book.facts.store({ ...fact, supersedes: 'f', sensitivity: 'public' }, as),
    ].map(failure)
    for (const error of await Promise.all(refused)) expect(error).toMatchObject(forbidden('sensitivity'))
    const told = async (one: string) => (await book.records.get({ id: one }))?.['sensitivity']
    await book.traces.store(makeTrace({ id, replace: true }), as)
    await book.traces.complete({ id, result: { success: false }, replace: true }, as)
    await book.perceptions.update({ id: 'p', updates: { content: 'd' } }, as)
    const heir = await book.facts.store({ ...fact, supersedes: 'f' }, as)
    // With the keys at hand, and by whoever may read it, an earlier version comes back as guarded as it is now.
    const [first] = (await book.records.history({ id }, as)).versions
    await book.records.restore({ id, version: first?.version ?? 0 }, as)
    expect([await told(id), await told('f'), await told('p'), await told(heir.id)]).toEqual([
      'restricted',
      'sensitive',
      'sensitive',
      'sensitive',
    ])
    expect(await book.seal.status()).toMatchObject({ sealed: 4 })
    await book.records.setSensitivity({ id, sensitivity: 'standard' })
    expect(await book.seal.status()).toMatchObject({ sealed: 3 })
  })
}
