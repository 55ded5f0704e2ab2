// The upkeep of memories in virtual time: what fades and when, what is promoted, and what is left alone.
import { afterEach, describe, expect, it } from 'vitest'
import { currentConfidence, confidenceThresholds } from '../../../../src/memory/consent/memory/confidence.ts'
import { openTestEngine, type TestEngine } from '../../../support/test-engine.ts'

const dayMs = 86_400_000
const opened: TestEngine[] = []
afterEach(() => {
  for (const { engine } of opened.splice(0)) engine.close()
})

interface Told {
  readonly id: string
  readonly status: string
  readonly confidence: number
  readonly memory_type: string
}

/** Upkeep comes round by itself only where a test wants that. */
async function open(isScheduled = false) {
  const test = openTestEngine()
  opened.push(test)
  await test.pass(1000)
  const call = async <Output>(id: string, input: unknown = {}, agent = 'a') =>
    (await test.engine.call(id, input, { from: { tab: agent, scope: { agent }, owner: false } })) as Output
  const derived = { type: 'system_derived' } as const
  const store = async (content: string, more: object = {}) => {
    const input = { content, category: 'a2p:interests', source: derived, ...more }
    const { id } = await call<{ id: string }>('a2p:store_memory', input)
    // It comes round from the first memory on.
    await test.pass(1)
    if (!isScheduled) await call('task:unschedule', { id: 'consent.maintain' })
    return id
  }
  const maintain = () => call<object>('a2p:maintain')
  const statusOf = async (id: string) => await call<Told & { flagged?: boolean }>('kstar:get_record', { id })
  const use = async (id: string, times: number) => {
    for (let n = 0; n < times; n++) await call('recall:use', { ids: [id] })
  }
  return { ...test, call, store, maintain, statusOf, use }
}

describe('the upkeep of memories', () => {
  it('flags what nobody confirmed below one half, and archives below three tenths, never at them', async () => {
    const { call, store, maintain, statusOf, pass } = await open()
    const at = {
      half: await store('exactly half', { confidence: 0.5, memory_type: 'semantic' }),
      below: await store('below half', { confidence: 0.4999, memory_type: 'semantic' }),
      least: await store('exactly three tenths', { confidence: 0.3, memory_type: 'semantic' }),
      worn: await store('below three tenths', { confidence: 0.2999, memory_type: 'semantic' }),
    }
    expect(await maintain()).toEqual({ promoted: 0, flagged: 2, archived: 1 })
    expect(await statusOf(at.half)).not.toHaveProperty('flagged', true)
    expect(await statusOf(at.below)).toMatchObject({ flagged: true, status: 'approved' })
    expect(await statusOf(at.least)).toMatchObject({ flagged: true, status: 'approved' })
    expect(await statusOf(at.worn)).toMatchObject({ status: 'archived' })
    const told = await call<{ memories: Told[] }>('a2p:query_memories', { flagged: true })
    expect(told.memories.map(({ id }) => id).toSorted()).toEqual([at.below, at.least].toSorted())
    // Done once it is done.
    expect(await maintain()).toEqual({ promoted: 0, flagged: 0, archived: 0 })
    await pass(30 * dayMs)
    expect(await maintain()).toMatchObject({ flagged: 1, archived: 1 })
    // The user takes two of them back, and says that a third is so.
    for (const id of [at.least, at.worn]) await call('a2p:archive', { id, archived: false })
    await call('a2p:edit_memory', { id: at.below, confirmed: true })
    expect(await maintain()).toEqual({ promoted: 0, flagged: 0, archived: 0 })
    for (const id of [at.least, at.worn, at.below])
      expect(await statusOf(id)).toMatchObject({ status: 'approved', confidence: 0.8 })
  })

  it('lets confidence fall with the time since it was confirmed or of use, by c · (1 − rate)^(age / 30 days)', async () => {
    const { call, store, use, pass } = await open()
    const id = await store('User went to a concert', { confidence: 0.8, memory_type: 'episodic' })
    const confidence = async () =>
      (await call<{ memories: Told[] }>('a2p:query_memories')).memories[0]?.confidence
    expect(await confidence()).toBe(0.8)
    await pass(60 * dayMs)
    expect(await confidence()).toBeCloseTo(0.8 * 0.9 ** 2, 5)
    await use(id, 1)
    expect(await confidence()).toBe(0.8)
    await pass(30 * dayMs)
    expect(await confidence()).toBeCloseTo(0.72, 5)
    await call('a2p:edit_memory', { id, confirmed: true })
    expect(await confidence()).toBe(0.8)
    await pass(300 * dayMs)
    const expired = await call<{ memories: Told[] }>('a2p:query_memories', { status: 'expired' })
    expect(expired.memories).toMatchObject([{ id, status: 'expired' }])
    expect((await confidence()) ?? 1).toBeLessThan(confidenceThresholds.archive)
  })

  it('leaves alone what the user wrote, and what is pinned or to be kept', async () => {
    const { call, store, maintain, pass } = await open()
    await store('written by the user', { confidence: 0.1, source: { type: 'user_manual' } })
    const pinned = await store('pinned', { confidence: 0.1 })
    const kept = await store('kept', { confidence: 0.1 })
    await call('mark:set', { id: pinned, pinned: true })
    await call('mark:set', { id: kept, keep: true })
    await pass(1000 * dayMs)
    expect(await maintain()).toEqual({ promoted: 0, flagged: 0, archived: 0 })
    expect(
      (await call<{ memories: Told[] }>('a2p:query_memories')).memories.map((one) => one.confidence),
    ).toEqual([0.1, 0.1, 0.1])
  })

  it('promotes an episode that is sure, often of use and like three others, and none at the edge of that', async () => {
    const { store, maintain, statusOf, use } = await open()
    const texts = ['today', 'yesterday', 'again'].map((when) => `User asked about Python async ${when}`)
    for (const text of texts) await store(text, { confidence: 0.5 })
    const content = 'User asked about Python async'
    const sure = await store(content, { confidence: 0.91 })
    const edge = await store(`${content} once`, { confidence: 0.9 })
    const seldom = await store(`${content} twice`, { confidence: 0.95 })
    const alone = await store('User moved house', { confidence: 0.95 })
    for (const id of [sure, edge, alone]) await use(id, 11)
    await use(seldom, 10)
    expect(await maintain()).toMatchObject({ promoted: 1 })
    expect(await statusOf(sure)).toMatchObject({
      memory_type: 'semantic',
      reclassified: [{ from: 'episodic a2p:interests', to: 'semantic a2p:interests', by: 'automatic' }],
    })
    for (const id of [edge, seldom, alone])
      expect(await statusOf(id)).toMatchObject({ memory_type: 'episodic' })
    expect(await maintain()).toMatchObject({ promoted: 0 })
  })

  it('is no decision: it does so also where the agent of the book has proposed the memory', async () => {
    const { call, maintain, statusOf, pass } = await open()
    const { id } = await call<{ id: string }>('a2p:propose', {
      content: 'x',
      category: 'a2p:context',
      confidence: 0.4,
    })
    const { memory } = await call<{ memory: string }>('a2p:review', { id, action: 'approve' }, 'user')
    await pass(1)
    await call('task:unschedule', { id: 'consent.maintain' })
    await pass(200 * dayMs)
    expect(await maintain()).toMatchObject({ archived: 1 })
    expect(await statusOf(memory)).toMatchObject({ status: 'archived' })
  })

  it('comes round by itself every day', async () => {
    const { call, store, statusOf, pass } = await open(true)
    const id = await store('worn', { confidence: 0.2 })
    const { schedules } = await call<{ schedules: { task: { id: string } }[] }>('task:schedules')
    expect(schedules.map(({ task }) => task.id)).toContain('consent.maintain')
    await pass(2 * dayMs)
    expect(await statusOf(id)).toMatchObject({ status: 'archived' })
  })

  it('tells a confidence that is the same on every host', () => {
    const memory = {
      memory_type: 'episodic',
      confidence: 0.88,
      source: { type: 'agent_proposal', timestamp: '2026-01-01T00:00:00.000Z' },
      metadata: {},
    } as const
    expect(currentConfidence(memory, undefined, '2026-06-30T00:00:00.000Z')).toBe(0.467668)
  })
})
