// The promise of several tabs, held against every order of events that a seed can think of: nothing acknowledged is lost,
// nothing is done twice, one tab at a time has the book, and whoever lives is answered.
import { expect, it } from 'vitest'
import { requestOf, tabOf } from '../../../../src/hosts/browser/wire/call-name.ts'
import type { Reply } from '../../../../src/hosts/browser/wire/message.ts'
import { makeTrace } from '../../../support/trace.ts'
import { makeTrajectory } from '../../../support/made-trajectory.ts'
import { createDice, createTabWorld, type SimTab, type TabWorld } from './tab-world.ts'

interface Outcome {
  readonly wrong: string[]
  readonly kills: number
  readonly acknowledged: number
}

const steps = 300
const mostTabs = 5
const stepLimit = 20_000
/** What a tab may be told of a call whose owner is frozen or whose own end has come. */
const excused = new Set(['owner-unresponsive', 'book-closed'])
/** And one that had lost its files unawares, of its own calls. */
const isExcused = (tab: SimTab, code: string) =>
  excused.has(code) || (tab.evicted && ['storage-failed', 'owner-changed', 'open-elsewhere'].includes(code))

async function simulate(seed: number): Promise<Outcome> {
  const dice = createDice(seed ^ 0x5eed)
  const world = createTabWorld(seed, (tab) => deaths.get(tab)?.forEach((tell) => tell()))
  const run = { world, dice, wrong: [] as string[], acknowledged: new Set<string>(), open: 0, serial: 0 }
  let kills = 0
  const any = (tabs: readonly SimTab[]) => tabs[Math.floor(dice() * tabs.length)]
  const alive = () => world.tabs.filter((tab) => !tab.dead)
  for (let i = 0; i < 3; i++) world.add()
  for (let i = 0; i < steps; i++) {
    const roll = dice()
    const tab = any(alive())
    if (!tab || (roll < 0.01 && alive().length < mostTabs)) world.add()
    else if (roll < 0.02) {
      kills += 1
      world.kill(tab)
    } else if (roll < 0.025) tab.frozen = true
    else if (roll < 0.03 && tab.frozen) world.evict(tab)
    else if (roll < 0.05) tab.frozen = false
    else if (roll >= 0.99) world.cut(tab)
    else if (roll < 0.055 && !tab.frozen) {
      void tab.book.close().then(() => world.kill(tab))
    } else if (roll < 0.25 && !tab.frozen) write(run, tab)
    else if (roll < 0.26 && !tab.frozen) importRun(run, tab)
    await world.step()
  }
  // In the end everyone wakes, and everything that was asked must be answered.
  for (const tab of world.tabs) tab.frozen = false
  world.add()
  for (let i = 0; run.open > 0 && i < stepLimit; i++) if (!(await world.step())) break
  const waiting = run.open
  if (waiting > 0) run.wrong.push(`${waiting} calls were never answered`)
  const goals = goalsOf(world)
  for (const key of run.acknowledged) {
    const count = goals.filter((goal) => goal === key).length
    if (count !== 1) run.wrong.push(`${key} was acknowledged and is there ${count} times`)
  }
  const doubled = goals.find((goal, at) => goals.indexOf(goal) !== at)
  if (doubled !== undefined) run.wrong.push(`${doubled} is there twice`)
  return { wrong: [...run.wrong, ...world.violations], kills, acknowledged: run.acknowledged.size }
}

interface Run {
  readonly world: TabWorld
  readonly dice: () => number
  readonly wrong: string[]
  readonly acknowledged: Set<string>
  open: number
  serial: number
}

function watch(run: Run, tab: SimTab, replies: Promise<Reply[]>, onAnswer: (replies: Reply[]) => void): void {
  run.open += 1
  let settled = false
  const settle = () => {
    if (!settled) run.open -= 1
    settled = true
  }
  void replies.then((all) => {
    settle()
    if (!tab.dead) onAnswer(all)
  })
  // A dead tab waits for nothing.
  const kill = () => settle()
  deaths.set(tab, [...(deaths.get(tab) ?? []), kill])
}

const deaths = new WeakMap<SimTab, (() => void)[]>()

function write(run: Run, tab: SimTab): void {
  const count = run.dice() < 0.5 ? 1 : 3
  const keys = Array.from({ length: count }, () => `w${++run.serial}`)
  const inputs = keys.map((goal) => makeTrace({ task: { goal, constraints: [] } }))
  watch(run, tab, run.world.call(tab, 'kstar:store_trace', inputs), (replies) =>
    replies.forEach((reply, i) => {
      if (reply.ok) run.acknowledged.add(keys[i] ?? '')
      else if (!isExcused(tab, reply.error.code)) run.wrong.push(`a write failed: ${reply.error.message}`)
    }),
  )
}

function importRun(run: Run, tab: SimTab): void {
  const name = `run${++run.serial}`
  const text = makeTrajectory(2).replaceAll('parser', name)
  watch(run, tab, run.world.call(tab, 'import:swe_agent', [{ name, text }]), ([reply]) => {
    if (reply?.ok) {
      const { imported } = reply.value as { imported: number }
      if (imported !== 2) run.wrong.push(`${name}: of 2 steps ${imported} were said to be new`)
    } else if (reply && !isExcused(tab, reply.error.code))
      run.wrong.push(`an import failed: ${reply.error.message}`)
  })
}

function goalsOf(world: TabWorld): string[] {
  return world
    .read()
    .all<{ body: string }>('SELECT body FROM records')
    .map(({ body }) => (JSON.parse(body) as { task: { goal: string } }).task.goal)
}

/** How many runs; `DAYBOOK_TAB_SEEDS=2000` for a long look. */
const seeds = Number(process.env['DAYBOOK_TAB_SEEDS'] ?? 25)

it(
  'loses nothing and doubles nothing, whatever dies, freezes or closes, and whenever',
  { timeout: 60_000 + seeds * 2000 },
  async () => {
    let kills = 0
    let acknowledged = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const outcome = await simulate(seed)
      expect({ seed, wrong: outcome.wrong }).toEqual({ seed, wrong: [] })
      kills += outcome.kills
      acknowledged += outcome.acknowledged
    }
    expect(kills).toBeGreaterThan(seeds * 2)
    expect(acknowledged).toBeGreaterThan(seeds * 10)
  },
)

it('keeps the meeting room when its owner dies, with those who are still there', async () => {
  for (let seed = 1; seed <= 30; seed++) {
    const world = createTabWorld(seed, () => undefined)
    const call = async (tab: SimTab, id: string, input: object): Promise<unknown> => {
      const replies = world.call(tab, id, [input])
      let reply: Reply | undefined
      void replies.then((all) => {
        ;[reply] = all
      })
      for (let i = 0; !reply && i < stepLimit; i++) await world.step()
      if (!reply?.ok) throw new Error(`${id}: ${reply?.error.message ?? 'never answered'}`)
      return reply.value
    }
    const [first, second, third] = [world.add(), world.add(), world.add()]
    for (const [i, tab] of [first, second, third].entries())
      expect(await call(tab, 'room:say', { text: `from ${i}` })).toMatchObject({ number: i + 1 })
    const owns = async (tab: SimTab) => ((await call(tab, 'daybook:status', {})) as { owner: boolean }).owner
    const all = [first, second, third]
    const owner = (await owns(first)) ? first : (await owns(second)) ? second : third
    const rest = all.filter((tab) => tab !== owner)
    // A copy of the room is never older than an answer on the same line.
    for (const tab of rest) expect(await call(tab, 'room:status', {})).toMatchObject({ latest: 3 })
    world.kill(owner)
    for (const tab of rest) {
      const heard = (await call(tab, 'room:hear_all', { as: 'nobody' })) as { messages: { text: string }[] }
      expect(heard.messages.map(({ text }) => text)).toEqual(['from 0', 'from 1', 'from 2'])
    }
    const present = async () =>
      ((await call(rest[0] as SimTab, 'room:who_is_here', {})) as { participants: { id: string }[] })
        .participants
    for (let i = 0; (await present()).length > 2 && i < 200; i++) await world.step()
    expect([seed, ...(await present()).map(({ id }) => id).sort()]).toEqual([
      seed,
      ...rest.map(({ name }) => name).sort(),
    ])
    expect(await call(rest[1] as SimTab, 'room:say', { text: 'we go on' })).toMatchObject({ number: 4 })
  }
})

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
    expect(lost.error.message).toMatch(/for 8 seconds.*may have begun.*call again.*details\.requestId/)
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
