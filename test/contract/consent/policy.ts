// Who may read memories, on every host: nobody without a policy, no more than policies and a receipt say, and from the next
// call on what they say then.
import { describe, expect, it } from 'vitest'
import type { Daybook } from '../../../src/book/daybook.ts'
import { grant } from '../access/token-grant.ts'
import { type BookCase, failure, failures } from '../book-case.ts'
import { exported } from '../bundle.ts'

const said = {
  food: { content: 'Likes hot pepper', category: 'a2p:preferences.food' },
  ui: { content: 'Likes pepper red themes', category: 'a2p:preferences.ui' },
  work: { content: 'Sells pepper mills', category: 'a2p:professional' },
} as const

/** A book with three memories and a trace, and a guest of all of it. */
async function filled(book: Daybook) {
  const ids: Record<string, string> = {}
  for (const [name, one] of Object.entries(said))
    ids[name] = (await book.memories.store({ ...one, memory_type: 'semantic' })).id
  await book.perceptions.store({ type: 'note', content: 'A pepper plant', confidence: 1 })
  const permissions = ['read', 'write', 'export', 'propose']
  const { token } = await grant(book, { permissions, granted_to: 'coach' })
  return { ids, as: { as: token.token_id } }
}

/** All that somebody finds of memories, by every way there is. */
async function found(book: Daybook, options: { as: string; receipt?: string }, ids: Record<string, string>) {
  const names = (records: readonly { id: string }[]) =>
    Object.entries(ids)
      .filter(([, id]) => records.some((one) => one.id === id))
      .map(([name]) => name)
  const gotten: { id: string }[] = []
  for (const id of Object.values(ids)) {
    const one = await book.records.get({ id }, options).catch(() => null)
    if (one) gotten.push({ id })
  }
  const recalled = await book.recall({ text: 'pepper', kinds: ['memory'] }, options)
  const stats = await book.stats({}, options)
  const queried = await book.records.query({ kind: 'memory' }, options)
  const searched = await book.records.search({ query: 'pepper' }, options)
  const { total: count } = await book.records.count({ kind: 'memory' }, options)
  const ways = [gotten, recalled.hits.map(({ record }) => record), queried.records, searched.records]
  const [first, ...others] = ways.map((records) => names(records as { id: string }[]))
  for (const other of others) expect(other).toEqual(first)
  expect([count, (stats as { counts?: Record<string, number> }).counts?.['memory'] ?? count]).toEqual([
    first?.length,
    first?.length,
  ])
  const context = await book.context({ text: 'pepper' }, options)
  for (const [name, one] of Object.entries(said))
    expect(JSON.stringify([context, recalled]).includes(one.content)).toBe(first?.includes(name))
  return first
}

const open = { forAgents: 'coach', permissions: ['read_scoped'] as ['read_scoped'] }

export function policyCases({ book: opened }: BookCase): void {
  describe('policies about memories', () => {
    it('let nobody read without one, by any way, and no more than they allow', async () => {
      const book = await opened()
      const { ids, as } = await filled(book)
      expect(await found(book, as, ids)).toEqual([])
      const error = await failure(book.memories.query({}, as))
      expect(error).toMatchObject({ code: 'consent-required', details: { path: 'capability' } })
      await book.consent.setPolicy({ ...open, allow: ['a2p:preferences'] })
      expect(await found(book, as, ids)).toEqual(['food', 'ui'])
      await book.consent.setPolicy({
        forAgents: '*',
        permissions: ['none'],
        deny: ['a2p:preferences.food'],
        allow: ['ext:none'],
      })
      expect(await found(book, as, ids)).toEqual(['ui'])
      expect((await book.memories.query({}, as)).memories.map(({ id }) => id)).toEqual([ids['ui']])
      expect((await book.memories.query()).memories).toHaveLength(3)
      // What is no memory stays as the token says.
      expect((await book.perceptions.query({}, as)).records).toHaveLength(1)
    })

    it('hold from the next call on, the next page and the next piece of an export', async () => {
      const book = await opened()
      const { ids, as } = await filled(book)
      const { id } = await book.consent.setPolicy({ ...open, allow: ['a2p:*'] })
      const first = await book.memories.query({ limit: 1 }, as)
      expect(first.memories.map((one) => one.id)).toEqual([ids['work']])
      await book.consent.setPolicy({ ...open, id, allow: ['a2p:*'], deny: ['a2p:preferences.ui'] })
      const next = await book.memories.query({ limit: 1, cursor: first.cursor }, as)
      expect(next.memories.map((one) => one.id)).toEqual([ids['food']])
      expect(JSON.stringify(await exported(book.with(as)))).not.toContain(said.ui.content)
      // The page goes on also where the last memory of it is denied since, or gone.
      await book.consent.setPolicy({ ...open, id, allow: ['a2p:*'], deny: ['a2p:professional'] })
      const rest = async () =>
        (await book.memories.query({ cursor: first.cursor }, as)).memories.map((one) => one.id)
      expect(await rest()).toEqual([ids['ui'], ids['food']])
      await book.memories.forget({ id: ids['work'] ?? '' })
      expect(await rest()).toEqual([ids['ui'], ids['food']])
      await book.consent.removePolicy({ id })
      expect(await found(book, as, ids)).toEqual([])
      expect(await book.consent.removePolicy({ id })).toEqual({ removed: false })
    })

    it('are the owner’s, with receipts and requests, and are found by nobody else', async () => {
      const book = await opened()
      const { as } = await filled(book)
      const { id } = await book.consent.setPolicy({ ...open, allow: ['a2p:*'], name: 'pepper' })
      const { receipt } = await book.consent.request({ scopes: ['a2p:preferences'], purpose: 'to cook' }, as)
      for (const one of [id, receipt?.id ?? ''])
        expect(await book.records.get({ id: one }, as).catch(() => null)).toBeNull()
      const tries = [
        book.consent.setPolicy({ ...open, allow: ['a2p:*'] }, as),
        book.consent.policies({}, as),
        book.consent.removePolicy({ id }, as),
        book.consent.decide({ id: 'req_1', decision: 'grant' }, as),
        book.consent.revoke({ id: receipt?.id ?? '' }, as),
      ]
      for (const { code } of await failures(tries)) expect(code).toBe('forbidden')
      const outcomes = (await book.access.log({ agent: 'coach', outcome: 'forbidden' })).entries
      expect(outcomes.map(({ capability }) => capability)).toContain('consent:set_policy')
      expect((await book.recall({ text: 'pepper' })).hits.map(({ record }) => record.kind)).not.toContain(
        'policy',
      )
    })

    it('give a receipt, which is the reach of the call that presents it', async () => {
      const book = await opened()
      const { ids, as } = await filled(book)
      await book.consent.setPolicy({ ...open, allow: ['a2p:*'], conditions: { maxDataRetention: '7d' } })
      const asked = {
        scopes: ['a2p:preferences.food', 'ext:music'],
        purpose: { type: 'personalization', description: 'to cook' },
      } as const
      const { status, receipt } = await book.consent.request(asked as never, as)
      expect(status).toBe('granted')
      expect(receipt).toMatchObject({
        grantedTo: 'coach',
        scopes: ['a2p:preferences.food'],
        denied: ['ext:music'],
        retention: ['7d'],
        state: 'active',
        method: 'policy_match',
      })
      expect(Date.parse(receipt?.expiresAt ?? '') - Date.parse(receipt?.grantedAt ?? '')).toBe(86_400_000)
      const options = { ...as, receipt: receipt?.id ?? '' }
      expect(await found(book, options, ids)).toEqual(['food'])
      expect((await book.perceptions.query({}, options)).records).toEqual([])
      const { token } = await grant(book, { granted_to: 'another' })
      const stolen = await failure(book.memories.query({}, { as: token.token_id, receipt: options.receipt }))
      expect(stolen).toMatchObject({ code: 'unauthorized', details: { reason: 'Receipt not found' } })
      expect((await failure(book.memories.query({}, { receipt: options.receipt }))).details['path']).toBe(
        'receipt',
      )
      await book.consent.revoke({ id: options.receipt, reason: 'enough' })
      const revoked = await failure(book.memories.query({}, options))
      expect(revoked).toMatchObject({ code: 'unauthorized', details: { reason: 'Receipt revoked' } })
      expect((await book.consent.receipts({}, as)).receipts).toMatchObject([
        { state: 'revoked', reason: 'enough' },
      ])
      const { entries } = await book.access.log({ outcome: 'unauthorized' })
      expect(entries.map((one) => one.receipt)).toEqual([options.receipt, options.receipt])
    })

    it('bind no owner, who has a receipt for asking in its own name and waits for nobody', async () => {
      const book = await opened()
      const asked = { scopes: ['a2p:health'], purpose: 'to see' }
      const told = await book.consent.request(asked)
      expect(told).toMatchObject({
        status: 'granted',
        receipt: { scopes: asked.scopes, method: 'explicit_grant' },
      })
      expect((await book.consent.requests()).requests).toEqual([])
      expect((await book.with({ agent: 'coach' }).consent.request(asked)).status).toBe('pending')
      const { receipt } = told
      const { token } = await book.tokens.grant({
        granted_to: receipt?.grantedTo ?? '',
        scope: '**',
        permissions: ['read'],
        expires_at: '2099-01-01',
      })
      const presented = failure(book.memories.query({}, { as: token.token_id, receipt: receipt?.id ?? '' }))
      expect(await presented).toMatchObject({
        code: 'unauthorized',
        details: { reason: 'Receipt not found' },
      })
    })

    it('leave to a person what none of them grants, and never to the agent that asks', async () => {
      const book = await opened()
      const { ids, as } = await filled(book)
      const heard: unknown[] = []
      book.on('consent', (detail) => heard.push(detail))
      const asked = { scopes: ['a2p:professional', 'a2p:preferences'], purpose: 'to write your CV' }
      const first = await book.consent.request(asked, as)
      expect(first).toMatchObject({ status: 'pending', request: { requestedBy: 'coach', status: 'pending' } })
      expect(await book.consent.request({ ...asked, scopes: asked.scopes.toReversed() }, as)).toEqual(first)
      const id = first.request?.id ?? ''
      const own = await failure(book.consent.decide({ id, decision: 'grant' }, { scope: { agent: 'coach' } }))
      expect(own).toMatchObject({ code: 'forbidden', details: { reason: 'proposer' } })
      const wide = await failure(book.consent.decide({ id, decision: 'grant', scopes: ['a2p:health'] }))
      expect(wide).toMatchObject({ code: 'invalid-input', details: { path: 'scopes.0' } })
      const { receipt } = await book.consent.decide({ id, decision: 'grant', scopes: ['a2p:professional'] })
      expect(receipt).toMatchObject({ method: 'explicit_grant', denied: ['a2p:preferences'] })
      expect(await book.consent.request(asked, as)).toMatchObject({
        status: 'granted',
        receipt: { id: receipt?.id },
      })
      expect(await found(book, { ...as, receipt: receipt?.id ?? '' }, ids)).toEqual(['work'])
      expect((await failure(book.consent.decide({ id, decision: 'deny' }))).code).toBe('conflict')
      // A person's word does not outweigh what is denied.
      await book.consent.setPolicy({ forAgents: 'coach', permissions: ['none'], deny: ['a2p:professional'] })
      expect(await found(book, { ...as, receipt: receipt?.id ?? '' }, ids)).toEqual([])
      const shut = await failure(book.consent.request({ scopes: ['a2p:professional.cv'], purpose: 'x' }, as))
      expect(shut).toMatchObject({ code: 'forbidden', details: { path: 'scopes', reason: 'policy' } })
      await expect
        .poll(() => heard)
        .toEqual([
          { id, agent: 'coach', status: 'pending' },
          { id, agent: 'coach', status: 'granted' },
        ])
    })

    it('keep what was denied denied, on the day it was asked for', async () => {
      const book = await opened()
      const { as } = await filled(book)
      const asked = { scopes: ['a2p:professional'], purpose: 'x' }
      const { request } = await book.consent.request(asked, as)
      await book.consent.decide({ id: request?.id ?? '', decision: 'deny', reason: 'not for you' })
      expect(await book.consent.request(asked, as)).toMatchObject({
        status: 'denied',
        request: { reason: 'not for you' },
      })
      expect((await book.consent.requests({ status: 'pending' })).requests).toEqual([])
    })

    it('count the calls of an agent where one asks, and tell time by the book', async () => {
      const book = await opened()
      const { ids, as } = await filled(book)
      const limited = { ...open, allow: ['a2p:*'], conditions: { rateLimit: { requests: 2, window: '1h' } } }
      const { token } = await grant(book, { granted_to: 'busy' })
      await book.consent.setPolicy({ ...limited, forAgents: 'busy' })
      const busy = { as: token.token_id }
      expect((await book.memories.query({}, busy)).memories).toHaveLength(3)
      expect((await book.memories.query({}, busy)).memories).toHaveLength(3)
      expect((await failure(book.memories.query({}, busy))).code).toBe('consent-required')
      await book.consent.setPolicy({
        ...open,
        allow: ['a2p:*'],
        conditions: { timeOfDay: { start: '00:00', end: '23:59' } },
      })
      const { policies } = await book.consent.policies({ agent: 'coach' })
      expect(policies).toMatchObject([{ conditions: { timeOfDay: { timezone: 'UTC' } } }])
      expect(await found(book, as, ids)).toHaveLength(
        new Date().getUTCHours() === 23 && new Date().getUTCMinutes() === 59 ? 0 : 3,
      )
    })

    const sound = { forAgents: 'coach', allow: ['a2p:preferences'], permissions: ['read_scoped'] }
    it.each([
      ['priority', { ...sound, priority: -1 }],
      ['priority', { ...sound, priority: 1e9 }],
      ['priority', { ...sound, priority: 0.5 }],
      ['forAgents', { ...sound, forAgents: '' }],
      ['forAgents', { ...sound, forAgents: 'a\u0000*' }],
      ['forAgents', { ...sound, forAgents: 'x'.repeat(1001) }],
      ['allow', { ...sound, allow: [] }],
      ['allow.0', { ...sound, allow: ['*'] }],
      ['allow.0', { ...sound, allow: [''] }],
      ['deny.1', { ...sound, deny: ['a2p:x', 'a2p:x\u202e'] }],
      ['permissions', { ...sound, permissions: [] }],
      ['permissions.0', { ...sound, permissions: ['root'] }],
      ['conditions.minTrustScore', { ...sound, conditions: { minTrustScore: 0.5 } }],
      ['conditions.timeOfDay.end', { ...sound, conditions: { timeOfDay: { start: '08:00', end: '08:00' } } }],
      [
        'conditions.timeOfDay.start',
        { ...sound, conditions: { timeOfDay: { start: '24:00', end: '08:00' } } },
      ],
      [
        'conditions.timeOfDay.timezone',
        { ...sound, conditions: { timeOfDay: { start: '08:00', end: '09:00', timezone: 'Mars/Base' } } },
      ],
      [
        'conditions.rateLimit.requests',
        { ...sound, conditions: { rateLimit: { requests: 0, window: '1h' } } },
      ],
      [
        'conditions.rateLimit.window',
        { ...sound, conditions: { rateLimit: { requests: 1, window: 'ever' } } },
      ],
      ['expiresAt', { ...sound, expiresAt: '2001-01-01' }],
      ['id', { ...sound, id: 'trace-1' }],
    ])('refuse a policy with a wrong `%s`, and store nothing of it', async (path, input) => {
      const book = await opened()
      const error = await failure(book.call('consent:set_policy', input as never))
      expect([error.code, String(error.details['path'])]).toEqual(['invalid-input', path])
      expect((await book.consent.policies()).policies).toEqual([])
      const { entries } = await book.access.log({ capability: 'consent:set_policy' })
      expect(entries.map(({ outcome }) => outcome)).toEqual(['invalid-input'])
    })

    it('take a priority of 0 for what it is', async () => {
      const book = await opened()
      await book.consent.setPolicy({ ...open, allow: ['a2p:*'], priority: 0 })
      expect((await book.consent.policies()).policies).toMatchObject([{ priority: 0, state: 'active' }])
    })

    it.each([
      ['scopes', { scopes: [], purpose: 'x' }],
      ['scopes.0', { scopes: ['**'], purpose: 'x' }],
      ['purpose', { scopes: ['a2p:x'], purpose: '' }],
      ['purpose', { scopes: ['a2p:x'], purpose: 'x'.repeat(2000) }],
      ['purpose', { scopes: ['a2p:x'] }],
    ])('refuse a request with a wrong `%s`, and note that it came', async (path, input) => {
      const book = await opened()
      const { as } = await filled(book)
      const error = await failure(book.call('consent:request', input as never, as))
      expect([error.code, String(error.details['path'])]).toEqual(['invalid-input', path])
      expect((await book.consent.requests()).requests).toEqual([])
      const { entries } = await book.access.log({ capability: 'consent:request' })
      expect(entries.map(({ outcome }) => outcome)).toEqual(['invalid-input'])
    })
  })
}
