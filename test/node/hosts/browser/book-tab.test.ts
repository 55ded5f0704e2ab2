// The promise of several tabs, held against every order of events that a seed can think of: nothing acknowledged is lost,
// nothing is done twice, one tab at a time has the book, and whoever lives is answered.
import { expect, it } from 'vitest'
import type { Reply } from '../../../../src/book/share/line-message.ts'
import { makeTrace } from '../../../support/trace.ts'
import { makeTrajectory } from '../../../support/made-trajectory.ts'
import { createDice } from './tabs/tab-dice.ts'
import { goalsOf, stepLimit } from './tabs/tab-goals.ts'
import { createTabWorld, type SimTab, type TabWorld } from './tabs/tab-world.ts'

interface Outcome {
  readonly wrong: string[]
  readonly kills: number
  readonly acknowledged: number
}

const steps = 300
const mostTabs = 5
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
    // Whoever listened is there as well.
    for (let i = 0; (await present()).length > 3 && i < 200; i++) await world.step()
    expect([seed, ...(await present()).map(({ id }) => id).sort()]).toEqual([
      seed,
      ...['nobody', ...rest.map(({ name }) => name)].sort(),
    ])
    expect(await call(rest[1] as SimTab, 'room:say', { text: 'we go on' })).toMatchObject({ number: 4 })
  }
})
