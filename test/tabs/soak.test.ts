// Tabs that write all the time, and deaths at random: after each round the book is compared with what was acknowledged.
// `npm run soak:tabs` kills a thousand times; DAYBOOK_TAB_KILLS and DAYBOOK_TAB_SEED choose otherwise.
import { expect, it } from 'vitest'
import { createRandom } from '../support/dice.ts'
import { expectWhole } from './expect-whole.ts'
import { endsOfTab, openTabs, type Tab, type Tabs } from './open-tabs.ts'

const kills = Number(process.env['DAYBOOK_TAB_KILLS'] ?? 5)
const seed = Number(process.env['DAYBOOK_TAB_SEED'] ?? Date.now() % 100_000)
const killsPerBook = 20
const tabsAtOnce = 4

const print = (line: string) => process.stdout.write(`${line}\n`)
const dice = createRandom(seed)
const any = <Item>(items: readonly Item[]) => items[Math.floor(dice() * items.length)] as Item
const quantile = (times: readonly number[], q: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))] ?? 0

it(
  `loses no acknowledged write and doubles none in ${kills} random deaths (seed ${seed})`,
  { timeout: 60_000 + kills * 10_000 },
  async () => {
    const takeovers: number[] = []
    for (let done = 0; done < kills; done += killsPerBook) {
      const acked = new Set<string>()
      const tabs = await openTabs({ onAck: (key) => acked.add(key) })
      try {
        await killInOneBook(tabs, acked, Math.min(killsPerBook, kills - done), takeovers)
      } finally {
        await tabs[Symbol.asyncDispose]()
      }
    }
    const figures = [0.5, 0.95].map((q) => `${Math.round(quantile(takeovers, q))} ms`).join(', ')
    print(`${kills} deaths, ${takeovers.length} of owners: first write after it, p50 and p95: ${figures}`)
  },
)

async function killInOneBook(
  tabs: Tabs,
  acked: Set<string>,
  count: number,
  takeovers: number[],
): Promise<void> {
  const book = { name: `soak-${crypto.randomUUID().slice(0, 8)}` }
  let serial = 0
  const begin = async () => {
    const tab = await tabs.open()
    expect(await tab.open(book)).toBe('open')
    await tab.page.evaluate((prefix) => globalThis.tab.stream(prefix, 2), `t${++serial}`)
    return tab
  }
  let alive: Tab[] = await Promise.all(Array.from({ length: tabsAtOnce }, begin))
  for (let i = 0; i < count; i++) {
    const victim = any(alive)
    const others = alive.filter((tab) => tab !== victim)
    const owned = await victim.isOwner()
    const way = any(endsOfTab)
    if (way === 'kill') await victim.pid()
    const began = performance.now()
    const end = victim.end(way)
    const first = Promise.any(others.map((tab) => tab.store(`probe ${i} ${serial}`)))
    expect(await first).toMatch(/^[0-9a-f-]{36}$/)
    if (owned && (way === 'kill' || way === 'crash')) takeovers.push(performance.now() - began)
    await end
    if (way === 'worker') await victim.page.close()
    alive = [...others, await begin()]
  }
  await Promise.all(alive.map((tab) => tab.page.evaluate(() => globalThis.tab.stop())))
  // The probes went through several tabs at once.
  const goals = await any(alive).goals()
  expectWhole(
    goals.filter((goal) => !goal.startsWith('probe')),
    acked,
  )
}
