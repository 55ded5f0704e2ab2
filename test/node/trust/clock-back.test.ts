// A clock that is set back, by hand or by a dead battery: what has ended stays ended, also after the book was closed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../../src/engine/engine.ts'
import type { CallOptions } from '../../../src/engine/engine-shape.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { createTestTime } from '../../support/test-engine.ts'

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)
const iso = (days: number) => new Date(start + days * day).toISOString()

async function opened(role: 'device' | 'mirror' = 'device') {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-clock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { ports, pass } = createTestTime(start)
  const time = { nowMs: start }
  const keys = await openNodeKeyring(join(folder, 'key'))
  const path = join(folder, 'book.daybook')
  const open = () => {
    const engine = createEngine({
      db: openNodeDatabase({ path }),
      ports: { ...ports, clock: { now: () => time.nowMs } },
      keys,
      name: 'book',
      role,
      scope: { agent: 'me' },
      durability: 'file',
    })
    const call = async <Output = object>(id: string, input: object = {}, options: CallOptions = {}) =>
      (await engine.call(id, input, options)) as Output
    const outcome = (id: string, input: object, options: CallOptions) =>
      call(id, input, options).then(
        () => 'ok',
        (error: { details: { reason?: string } }) => error.details.reason ?? String(error),
      )
    return { engine, call, outcome }
  }
  return { time, open, pass }
}

const terms = { scope: '**', permissions: ['read', 'write'], granted_to: 'helper', expires_at: iso(10) }

it.each([
  ['that was written to', 'kstar:store_perception', { type: 'note', content: 'x', confidence: 1 }],
  ['that was only read', 'kstar:query_traces', {}],
] as const)('lets no token and no key in again that had ended in a book %s', async (_what, verb, input) => {
  const { time, open, pass } = await opened()
  const first = open()
  const { token } = await first.call<{ token: { token_id: string } }>('kstar:grant_control_token', terms)
  const made = { name: 'k', permissions: ['read'], expires_at: iso(10) }
  const { key } = await first.call<{ key: string }>('daybook:create_access_key', made)
  const guests: CallOptions[] = [{ as: token.token_id }, { bearer: key }]
  const tried = async ({ outcome }: ReturnType<typeof open>) =>
    Promise.all(guests.map((one) => outcome('kstar:query_traces', {}, one)))
  expect(await tried(first)).toEqual(['ok', 'ok'])
  time.nowMs = start + 20 * day
  await first.call(verb, input)
  await pass()
  time.nowMs = start + 5 * day
  expect(await tried(first)).toEqual(['Token expired', 'Key expired'])
  first.engine.close()
  const again = open()
  expect(await tried(again)).toEqual(['Token expired', 'Key expired'])
  const { tokens } = await again.call<{ tokens: { state: string }[] }>('kstar:list_tokens_by_type')
  expect(tokens).toMatchObject([{ state: 'expired' }])
  expect(
    await again.call('kstar:verify_control_token', { token_id: token.token_id, scope: '**' }),
  ).toMatchObject({
    valid: false,
    reason: 'Token expired',
  })
  // The owner's own is not held up, and writes by the clock.
  const { id } = await again.call<{ id: string }>('kstar:store_perception', {
    type: 'note',
    content: 'y',
    confidence: 1,
  })
  expect(await again.call('kstar:get_record', { id })).toMatchObject({ created_at: iso(5) })
  again.engine.close()
})

it.each(['device', 'mirror'] as const)(
  'ends claims, keys, receipts and policies at a %s by the latest time that was seen',
  async (role) => {
    const { time, open } = await opened(role)
    const { call, outcome, engine } = open()
    const food = { content: 'Likes pepper', category: 'a2p:preferences.food', memory_type: 'semantic' }
    const { id } = await call<{ id: string }>('a2p:store_memory', food)
    const policy = {
      forAgents: 'helper',
      allow: ['a2p:preferences'],
      permissions: ['read_full'],
      expiresAt: iso(10),
    }
    await call('consent:set_policy', policy)
    const grant = {
      id: 'claims',
      agent: 'helper',
      scope: '**',
      permissions: ['read'],
      untilMs: start + 30 * day,
    }
    const get = () => call('kstar:get_record', { id }, { grant })
    const { receipt } = await call<{ receipt: { id: string } }>(
      'consent:request',
      { scopes: ['a2p:preferences'], purpose: 'to cook' },
      { grant },
    )
    const made = { name: 'k', permissions: ['read'], expires_at: iso(10) }
    const { key } = await call<{ key: string }>('daybook:create_access_key', made)
    expect(await outcome('kstar:query_traces', {}, { bearer: key })).toBe('ok')
    const presenting = { grant, receipt: receipt.id }
    expect([await get(), await outcome('kstar:get_record', { id }, presenting)]).toMatchObject([food, 'ok'])
    time.nowMs = start + 20 * day
    await call('kstar:store_perception', { type: 'note', content: 'x', confidence: 1 })
    time.nowMs = start
    expect(await get()).toBeNull()
    expect(await outcome('kstar:get_record', { id }, presenting)).toBe('Receipt expired')
    expect(await outcome('kstar:query_traces', {}, { bearer: key })).toBe('Key expired')
    const short = { ...grant, untilMs: start + 15 * day }
    expect(await outcome('kstar:query_traces', {}, { grant: short })).toBe('Token expired')
    engine.close()
  },
)

it('is taken for right when its owner says so, and by nobody else', async () => {
  const { time, open } = await opened()
  const { call, outcome, engine } = open()
  const { token } = await call<{ token: { token_id: string } }>('kstar:grant_control_token', terms)
  const as = token.token_id
  time.nowMs = start + 10_000 * day
  await call('kstar:store_perception', { type: 'note', content: 'x', confidence: 1 })
  time.nowMs = start + day
  expect(await outcome('kstar:query_traces', {}, { as })).toBe('Token expired')
  const all = { id: 'claims', agent: 'x', scope: '**', permissions: ['**'] }
  await expect(call('daybook:reset_clock', {}, { grant: all })).rejects.toMatchObject({ code: 'forbidden' })
  await expect(call('daybook:reset_clock', {}, { scope: { agent: 'x' } })).rejects.toMatchObject({
    code: 'forbidden',
  })
  expect(await call('daybook:reset_clock')).toEqual({ behindMs: 9_999 * day })
  expect(await outcome('kstar:query_traces', {}, { as })).toBe('ok')
  engine.close()
  const again = open()
  expect(await again.outcome('kstar:query_traces', {}, { as })).toBe('ok')
  again.engine.close()
})

it('ends a token and a key at the same millisecond', async () => {
  const { time, open } = await opened()
  const { call, outcome } = open()
  const { token } = await call<{ token: { token_id: string } }>('kstar:grant_control_token', terms)
  const made = { name: 'k', permissions: ['read'], expires_at: iso(10) }
  const { key } = await call<{ key: string }>('daybook:create_access_key', made)
  const tried = () =>
    Promise.all(
      [{ as: token.token_id }, { bearer: key }].map((one) => outcome('kstar:query_traces', {}, one)),
    )
  time.nowMs = start + 10 * day - 1
  expect(await tried()).toEqual(['ok', 'ok'])
  time.nowMs += 1
  expect(await tried()).toEqual(['Token expired', 'Key expired'])
})
