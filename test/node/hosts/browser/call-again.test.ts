// A call whose answer was lost is made again, by whoever is left, and done once all the same.
import { expect, it } from 'vitest'
import { type Reply, requestOf, tabOf } from '../../../../src/book/share/line-message.ts'
import { makeTrace } from '../../../support/trace.ts'
import { createDice } from './tabs/tab-dice.ts'
import { goalsOf, stepLimit } from './tabs/tab-goals.ts'
import { createTabWorld, type SimTab } from './tabs/tab-world.ts'

it('does a write once that was given up and is called again, by its own tab later or by another when that one is gone', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const world = createTabWorld(seed, () => undefined)
    const answer = async (replies: Promise<Reply[]>): Promise<Reply> => {
      let all: Reply[] | undefined
      void replies.then((got) => (all = got))
      for (let i = 0; !all && i < stepLimit; i++) await world.step()
      if (!all?.[0]) throw new Error('never answered')
      return all[0]
    }
    const store = (tab: SimTab, goal: string, requestId?: string) =>
      answer(
        world.call(tab, 'kstar:store_trace', [makeTrace({ task: { goal, constraints: [] } })], requestId),
      )
    const owner = world.add()
    expect((await store(owner, 'first')).ok).toBe(true)
    // Next in line, so that the one that gives up goes on asking others.
    expect((await store(world.add(), 'second')).ok).toBe(true)
    const follower = world.add()
    expect((await store(follower, 'third')).ok).toBe(true)
    owner.frozen = true
    const lost = await store(follower, 'lost')
    if (lost.ok) throw new Error('The owner was frozen.')
    expect(lost.error).toMatchObject({
      code: 'owner-unresponsive',
      retry: true,
      details: { waitedMs: 8000, mayHaveBegun: true, requestId: expect.stringContaining(follower.name) },
    })
    expect(lost.error.message).toMatch(/for 8 seconds.*may have started/)
    const read = await answer(world.call(follower, 'daybook:status', [{}]))
    expect(read.ok ? read.value : read.error.details).toEqual({ waitedMs: 8000, mayHaveBegun: true })
    owner.frozen = false
    const { requestId } = lost.error.details as { requestId: string }
    const again = await store(follower, 'lost', requestId)
    // So many later that the answers of the first are not kept any more.
    follower.numbers += 2000
    for (const goal of ['fourth', 'fifth']) expect((await store(follower, goal)).ok).toBe(true)
    expect(await store(follower, 'lost', requestId)).toEqual(again)
    const closed = follower.book.close()
    await answer(closed.then(() => [{ ok: true, value: undefined }]))
    world.kill(follower)
    for (let i = 0; i < 50; i++) await world.step()
    expect(await store(world.add(), 'lost', requestId)).toEqual(again)
    expect([seed, goalsOf(world).sort()]).toEqual([
      seed,
      ['fifth', 'first', 'fourth', 'lost', 'second', 'third'],
    ])
  }
})

it('gives the next worker of a page the answer that its last one did not hand over, and forgets what was handed over', async () => {
  const world = createTabWorld(1, () => undefined)
  const store = async (tab: SimTab, number: number, goal: string): Promise<Reply> => {
    let all: Reply[] | undefined
    tab.numbers = number - 1
    const replies = world.call(tab, 'kstar:store_trace', [makeTrace({ task: { goal, constraints: [] } })])
    void replies.then((got) => (all = got))
    for (let i = 0; !all && i < stepLimit; i++) await world.step()
    if (!all?.[0]) throw new Error('never answered')
    return all[0]
  }
  expect((await store(world.add(), 1, 'first')).ok).toBe(true)
  const last = world.add(tabOf('page', 1))
  expect((await store(last, 2, 'handed over')).ok).toBe(true)
  const done = await store(last, 3, 'done before the sleep')
  world.kill(last)
  for (let i = 0; i < 50; i++) await world.step()
  const next = world.add(tabOf('page', 4))
  expect(await store(next, 3, 'done before the sleep')).toEqual(done)
  expect((await store(next, 5, 'after it')).ok).toBe(true)
  expect((await store(next, 2005, 'much later')).ok).toBe(true)
  expect((await store(next, 2006, 'last')).ok).toBe(true)
  expect(goalsOf(world).sort()).toEqual([
    'after it',
    'done before the sleep',
    'first',
    'handed over',
    'last',
    'much later',
  ])
  const asked = `SELECT request FROM applied_requests WHERE request LIKE 'page:%' ORDER BY request`
  const kept = world.read().all<{ request: string }>(asked)
  expect(kept.map(({ request }) => request)).toEqual(
    [3, 2005, 2006].map((number) => requestOf('page', number)),
  )
})

it('asks the same owner again for what a broken line has lost, and has it done once', async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const world = createTabWorld(seed, () => undefined)
    const dice = createDice(seed)
    const answer = async (replies: Promise<Reply[]>): Promise<Reply[]> => {
      let all: Reply[] | undefined
      void replies.then((got) => (all = got))
      for (let i = 0; !all && i < stepLimit; i++) await world.step()
      if (!all) throw new Error('never answered')
      return all
    }
    const store = (tab: SimTab, goals: string[]) =>
      world.call(
        tab,
        'kstar:store_trace',
        goals.map((goal) => makeTrace({ task: { goal, constraints: [] } })),
      )
    const [owner, follower] = [world.add(), world.add()]
    await answer(store(owner, ['by the owner']))
    await answer(store(follower, ['before']))
    const replies = store(follower, ['first', 'second', 'third'])
    for (let i = Math.floor(dice() * 12); i > 0; i--) await world.step()
    world.cut(follower)
    expect([seed, (await answer(replies)).every(({ ok }) => ok)]).toEqual([seed, true])
    expect([seed, goalsOf(world).sort()]).toEqual([
      seed,
      ['before', 'by the owner', 'first', 'second', 'third'],
    ])
    // Nobody had to step down for it.
    const [status] = await answer(world.call(owner, 'daybook:status', [{}]))
    expect([seed, status]).toMatchObject([seed, { ok: true, value: { owner: true } }])
  }
})

it('answers what a tab had asked another for, ran itself, and lost the book over', async () => {
  let lost = 0
  for (let seed = 1; seed <= 40; seed++) {
    const world = createTabWorld(seed, () => undefined)
    const dice = createDice(seed)
    const store = (tab: SimTab, goal: string) =>
      world.call(tab, 'kstar:store_trace', [makeTrace({ task: { goal, constraints: [] } })])
    const answer = async (replies: Promise<Reply[]>): Promise<Reply | undefined> => {
      let all: Reply[] | undefined
      void replies.then((got) => (all = got))
      while (!all && (await world.step())) if (second.frozen) world.evict(second)
      return all?.[0]
    }
    const [first, second, third] = [world.add(), world.add(), world.add()]
    for (const tab of [first, second, third]) expect((await answer(store(tab, tab.name)))?.ok).toBe(true)
    const replies = store(second, 'asked')
    world.kill(first)
    for (let i = Math.floor(dice() * 20); i > 0; i--) await world.step()
    second.frozen = true
    await answer(store(third, 'meanwhile'))
    lost += second.evicted ? 1 : 0
    second.frozen = false
    expect([seed, await answer(replies)]).toMatchObject([seed, { ok: true }])
    expect([seed, goalsOf(world).filter((goal) => goal === 'asked')]).toEqual([seed, ['asked']])
  }
  expect(lost).toBeGreaterThan(5)
})
