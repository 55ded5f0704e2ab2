// Who may decide: nobody about what it proposed, and only the owner what is the owner's. Shown on a chapter of motions, which
// is here alone.
import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { readReach } from '../../../src/core/access/reach.ts'
import { type AnyCapability, defineCapability } from '../../../src/core/capability/capability.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import { defined } from '../../../src/core/defined.ts'
import type { CallOptions } from '../../../src/engine/engine-shape.ts'
import { createKinds, type Kind } from '../../../src/core/kind.ts'
import { openTestEngine, type TestEngine } from '../../support/test-engine.ts'

const motions = vi.hoisted(() => ({ capabilities: new Map<string, unknown>(), kinds: [] as unknown[] }))
vi.mock('../../../src/engine/capability-table.ts', async (load) => {
  const table = await load<typeof import('../../../src/engine/capability-table.ts')>()
  const { createKinds } = await import('../../../src/core/kind.ts')
  const { makeKind } = await import('../../support/test-store.ts')
  motions.kinds.push(
    makeKind({
      name: 'motion',
      text: ['text'],
      proposedBy: 'by',
      ownerOnly: (body) => (body as { status: string }).status === 'approved',
    }),
    makeKind({ name: 'wish' }),
  )
  const own = (id: string) => motions.capabilities.get(id) as AnyCapability | undefined
  return {
    ...table,
    kinds: createKinds([...table.kinds.values(), ...(motions.kinds as Kind[])]),
    findCapability: (id: string) => own(id) ?? table.findCapability(id),
    effectOf: (id: string) => own(id)?.effect ?? table.effectOf(id),
  }
})

const body = z.looseObject({ status: z.string() })
const decide = {
  methods: [],
  summary: 'Approves.',
  input: z.strictObject({ motion: z.object({ ids: z.array(z.string().trim()) }) }),
  output: z.object({}),
  decides: { path: 'motion.ids' },
} as const
for (const one of [
  defineCapability({
    id: 'test:put',
    permission: 'write',
    methods: [],
    summary: 'Puts a record.',
    input: z.strictObject({ kind: z.string(), id: z.string().optional(), body }),
    output: z.object({ id: z.string() }),
    effect: 'write',
    uses: ['records'],
    run: ({ kind, id, body: put }, at) => ({
      id: at.records.put({ kind, ...defined({ id }), body: put as never }),
    }),
  }),
  defineCapability({
    ...decide,
    id: 'test:approve',
    effect: 'write',
    uses: ['records'],
    run({ motion: { ids } }, at) {
      for (const id of ids)
        at.records.put({ kind: 'motion', id, body: { ...at.records.get(id), status: 'approved' } as never })
      return {}
    },
  }),
  defineCapability({
    ...decide,
    id: 'test:approve_slowly',
    effect: 'task',
    uses: ['records'],
    async run({ motion: { ids } }, at) {
      const put = (id: string) =>
        at.records.write((write) =>
          write.records.put({ kind: 'motion', id, body: { status: 'approved' } as never }),
        )
      for (const id of ids) await put(id)
      return {}
    },
  }),
])
  motions.capabilities.set(one.id, one)

const opened: TestEngine[] = []
afterEach(() => {
  for (const { engine } of opened.splice(0)) engine.close()
})

function open() {
  const book = openTestEngine()
  opened.push(book)
  const call = async (id: string, input: unknown, options: CallOptions = {}) =>
    (await book.engine.call(id, input, options)) as { id: string; status?: string }
  const outcome = (id: string, input: unknown, options?: CallOptions) =>
    call(id, input, options).then(
      () => 'done',
      ({ code, details }: { code: string; details: { reason?: string } }) =>
        [code, details.reason].filter(Boolean).join(' '),
    )
  const statusOf = async (id: string) => (await call('kstar:get_record', { id })).status
  return { ...book, call, outcome, statusOf }
}

const as = (agent: string): CallOptions => ({ scope: { agent } })
const guest = (agent: string, scope = '**'): CallOptions => {
  const reach = readReach({ scope }) ?? expect.unreachable()
  const caller: Caller = { role: 'guest', token: 'claims', agent, reach, permissions: ['**'], by: 'claims' }
  return { caller }
}
const pending = (by: string) => ({ kind: 'motion', body: { status: 'pending', text: 'more tea', by } })
const about = (...ids: string[]) => ({ motion: { ids } })

it('an agent decides nothing, in its owner’s name neither; the owner does', async () => {
  const { call, outcome, statusOf } = open()
  const { id } = await call('test:put', pending('helper'), as('helper'))
  const { id: other } = await call('test:put', pending('other'), as('helper'))
  expect(await outcome('test:approve', about(id), as('helper'))).toBe('forbidden proposer')
  expect(await outcome('test:approve_slowly', about(id), as('helper'))).toBe('forbidden proposer')
  // Together with one that it may decide about, and spelled as the input's own schema reads it.
  expect(await outcome('test:approve', about(other, ` ${id} `), as('helper'))).toBe('forbidden proposer')
  expect([await statusOf(id), await statusOf(other)]).toEqual(['pending', 'pending'])
  expect(await outcome('test:approve', about(other))).toBe('done')
  expect(await outcome('test:approve', about(id))).toBe('done')
  expect([await statusOf(id), await statusOf(other)]).toEqual(['approved', 'approved'])
})

it('a kind that does not say who proposed is decided by the owner alone', async () => {
  const { call, outcome } = open()
  const { id } = await call('test:put', { kind: 'wish', body: { status: 'pending' } }, as('helper'))
  expect(await outcome('test:approve', about(id), as('helper'))).toBe('forbidden proposer')
  expect(await outcome('test:approve', about('nobody'), as('other'))).toBe('forbidden proposer')
  expect(await outcome('test:approve', about('nobody'))).toBe('done')
})

it('an agent puts off nothing that is the owner’s to decide', async () => {
  const { call, outcome, pass, statusOf } = open()
  const { id } = await call('test:put', pending('helper'), as('helper'))
  const put = { capability: 'test:approve', input: about(id) }
  expect(await outcome('task:add', put, as('helper'))).toBe('forbidden proposer')
  await pass()
  expect(await statusOf(id)).toBe('pending')
  expect(await outcome('task:add', put)).toBe('done')
  await pass()
  expect(await statusOf(id)).toBe('approved')
})

it('a guest brings nothing into a state that only the owner decides, and changes nothing in it', async () => {
  const { call, outcome, statusOf } = open()
  const approved = { status: 'approved', text: 'more tea', by: 'helper' }
  const { id } = await call('test:put', { ...pending('helper'), id: 'one' }, guest('helper'))
  const put = (body: object, options: CallOptions) =>
    outcome('test:put', { kind: 'motion', id, body }, options)
  expect(await put(approved, guest('helper'))).toBe('forbidden owner-only')
  expect(await put({ ...pending('helper').body, text: 'less tea' }, guest('helper'))).toBe('done')
  expect(await call('test:put', { kind: 'motion', id, body: approved }, {})).toEqual({ id })
  for (const body of [approved, { ...approved, text: 'no tea' }, pending('helper').body])
    expect(await put(body, guest('helper'))).toBe('forbidden owner-only')
  const fresh = { kind: 'motion', body: approved }
  expect(await outcome('test:put', fresh, guest('helper'))).toBe('forbidden owner-only')
  expect(await statusOf(id)).toBe('approved')
})

it('names in scopes are said in one way by a kind', () => {
  const kind = { ...(motions.kinds[0] as Kind), scopedBy: 'name' as const, scopeNames: () => ['motion'] }
  expect(() => createKinds([kind])).toThrow(/twice/)
})
