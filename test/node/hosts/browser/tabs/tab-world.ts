// A world of tabs without a browser: the real tabs of a book and their engines over one disk, with channels, locks and time that the test
// moves by hand. Tabs die, freeze, thaw and lose the book behind their backs, in an order that a seed decides.
import { DaybookError, isDaybookError } from '../../../../../src/core/errors.ts'
import type { RoomEvent } from '../../../../../src/core/capability/port/room-port.ts'
import type { Ports, SqlDatabase } from '../../../../../src/core/ports.ts'
import { capabilityTable } from '../../../../../src/engine/capability-table.ts'
import type { AnyCapability } from '../../../../../src/core/capability/capability.ts'
import { createEngine } from '../../../../../src/engine/engine.ts'
import type { CallMessage, Reply } from '../../../../../src/book/share/line-message.ts'
import { defined } from '../../../../../src/core/defined.ts'
import type { LineEnd, TabPort } from '../../../../../src/hosts/browser/tab/tab-port.ts'
import { BookTab } from '../../../../../src/hosts/browser/tab/book-tab.ts'
import { lineName } from '../../../../../src/hosts/browser/tab/tab-wire.ts'
import { openNodeDatabase } from '../../../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { createDice } from './tab-dice.ts'
import { TabLocks } from './tab-locks.ts'

export interface SimTab {
  readonly name: string
  readonly book: BookTab
  frozen: boolean
  dead: boolean
  evicted: boolean
  numbers: number
  /** Calls that have no outcome yet. */
  readonly flying: Set<number>
}

export interface TabWorld {
  readonly tabs: readonly SimTab[]
  /** What no run may ever show: two tabs that have the book at once. */
  readonly violations: readonly string[]
  /** Opens another tab. Those of one page are named after it, see `call-name.ts`. */
  add(name?: string): SimTab
  call(tab: SimTab, id: string, inputs: readonly unknown[], requestId?: string): Promise<Reply[]>
  /** Ends it at once; of what it had said a part may still arrive. */
  kill(tab: SimTab): void
  /** Takes locks and files from a frozen tab that has the book, and does not notice. */
  evict(tab: SimTab): void
  /** Breaks its line: what was on its way may be lost, and what is said until the owner's end notices. */
  cut(tab: SimTab): void
  /** Lets one thing happen: a message arrives, a lock is granted, a task or timer runs. False when nothing can. */
  step(): Promise<boolean>
  read(): SqlDatabase
}

interface Happening {
  /** Who it happens to; a dead or frozen tab is spared. */
  readonly tab: SimTab | undefined
  /** Things of one lane happen in their order. */
  readonly lane: string
  /** The channel of a message. */
  readonly channel?: string
  readonly run: () => void
}

interface End {
  readonly tab: SimTab
  readonly name: string
  readonly hear: (message: never) => void
  readonly line: LineEnd | undefined
  open: boolean
}

const longMs = 60_000

const natures = new Map(
  capabilityTable
    .map((one): AnyCapability => one)
    .map(({ id, effect, repeatable = false }) => [id, { effect, repeatable }]),
)

/** `onDeath` is told of each tab that ends without a word. */
export function createTabWorld(seed: number, onDeath: (tab: SimTab) => void): TabWorld {
  const dice = createDice(seed)
  const disk = openNodeDatabase({ path: ':memory:' })
  const tabs: SimTab[] = []
  const violations: string[] = []
  const ends = new Set<End>()
  const broken = new Set<string>()
  let happenings: Happening[] = []
  let timers: { tab: SimTab; due: number; run: () => void }[] = []
  let holder: { tab: SimTab; revoked: boolean } | undefined
  let now = Date.UTC(2026, 0, 1)

  const soon = (tab: SimTab | undefined, lane: string, run: () => void, channel = '') =>
    happenings.push({ tab, lane, run, channel })

  const locks = new TabLocks<SimTab>((tab, name, granted) => soon(tab, `lock ${name}`, granted))

  const portOf = (tab: SimTab): TabPort => ({
    open(name, hear, line) {
      const end: End = { tab, name, hear: hear as (message: never) => void, line, open: true }
      ends.add(end)
      return {
        post(message) {
          if (!end.open || tab.dead || broken.has(name)) return
          const copy = structuredClone(message)
          for (const other of ends) {
            if (other === end || other.name !== name) continue
            const arrive = () => {
              if (other.open) other.hear(copy as never)
            }
            soon(other.tab, `${tab.name} > ${other.tab.name}`, arrive, name)
          }
        },
        close() {
          end.open = false
          ends.delete(end)
        },
      }
    },
    lock: (name, signal) => locks.take(tab, name, signal),
    later: (delayMs, run) => later(tab, delayMs, run),
  })

  const later = (tab: SimTab, delayMs: number, run: () => void) => {
    const timer = { tab, due: now + delayMs, run }
    timers.push(timer)
    return () => void (timers = timers.filter((one) => one !== timer))
  }

  const engineOf = (tab: SimTab, after: number, room: readonly RoomEvent[]) => {
    const mine = { tab, revoked: false }
    // Files are exclusive: who has lost its lock unawares finds them in other hands.
    if (holder && tab.evicted) throw new DaybookError('open-elsewhere')
    if (holder) {
      violations.push(`${tab.name} opened the book while ${holder.tab.name} had it`)
      holder.revoked = true
    }
    holder = mine
    const use = <Result>(work: () => Result): Result => {
      if (mine.revoked || tab.dead) throw new DaybookError('storage-failed', 'The files are gone.')
      return work()
    }
    const db: SqlDatabase = {
      exec: (sql) => use(() => disk.exec(sql)),
      run: (sql, params) => use(() => disk.run(sql, params)),
      all: (sql, params) => use(() => disk.all(sql, params)),
      get: (sql, params) => use(() => disk.get(sql, params)),
      transaction: (work) => use(() => disk.transaction(work)),
      sizeBytes: () => disk.sizeBytes(),
      scrub: () => use(() => disk.scrub()),
      close: () => undefined,
    }
    const ports: Ports = {
      ...nodePorts,
      clock: { now: () => now },
      scheduler: {
        soon: (task) => void soon(tab, `soon ${tab.name}`, task),
        // What waits for minutes would come up by chance between two calls.
        later: (delayMs, task) => (delayMs < longMs ? later(tab, delayMs, task) : () => undefined),
      },
    }
    const engine = createEngine({
      db,
      ports,
      name: 'sim',
      scope: { agent: tab.name },
      durability: 'opfs',
      textIndex: false,
      tab: tab.name,
      room,
    })
    const { settings } = engine.store
    const epoch = Math.max(after, settings.getNumber('owner_epoch')) + 1
    db.transaction(() => settings.set('owner_epoch', epoch))
    const release = () => {
      if (holder === mine) holder = undefined
    }
    return { engine, epoch, durability: 'opfs' as const, makeStrict: () => undefined, release }
  }

  const forget = (tab: SimTab) => {
    if (holder?.tab === tab) {
      holder.revoked = true
      holder = undefined
    }
    locks.forget(tab)
  }

  const kill = (tab: SimTab) => {
    tab.dead = true
    timers = timers.filter((one) => one.tab !== tab)
    for (const end of ends) if (end.tab === tab) ends.delete(end)
    // What was on its way from it arrives up to some point, then nothing.
    const fromIt = happenings.filter(({ lane }) => lane.startsWith(`${tab.name} >`))
    const lost = new Set(fromIt.slice(Math.floor(dice() * (fromIt.length + 1))))
    happenings = happenings.filter((one) => !lost.has(one))
    forget(tab)
    onDeath(tab)
  }

  /** A worker in which something throws is ended by its page. */
  const happen = (tab: SimTab | undefined, run: () => void) => {
    try {
      run()
    } catch (error) {
      if (!tab || !isDaybookError(error, 'storage-failed')) throw error
      kill(tab)
    }
  }

  return {
    tabs,
    violations,
    read: () => disk,
    add(name = `tab${tabs.length}`) {
      const tab = {
        name,
        frozen: false,
        dead: false,
        evicted: false,
        numbers: 0,
        flying: new Set(),
      } as SimTab & {
        book: BookTab
      }
      tabs.push(tab)
      tab.book = new BookTab({
        book: 'sim',
        tab: name,
        scope: { agent: name },
        strict: false,
        acceptMemory: false,
        port: portOf(tab),
        clock: { now: () => now },
        natureOf: (id) => natures.get(id) ?? { effect: 'read', repeatable: true },
        open: async ({ after, room }) => {
          // Opening takes a moment in which anything may happen.
          await new Promise<void>((resolve) => soon(tab, `open ${name}`, resolve))
          return engineOf(tab, after, room())
        },
        tell: () => undefined,
      })
      tab.book.ready.catch(() => undefined)
      return tab
    },
    call(tab, id, inputs, requestId) {
      const named = defined({ requestId })
      const calls = inputs.map((input): CallMessage => ({ number: ++tab.numbers, input, ...named }))
      for (const { number } of calls) tab.flying.add(number)
      const [settled] = tab.flying
      return tab.book.call(id, structuredClone(calls), settled).finally(() => {
        for (const { number } of calls) tab.flying.delete(number)
      })
    },
    kill,
    evict(tab) {
      if (holder?.tab !== tab) return
      tab.evicted = true
      forget(tab)
    },
    cut(tab) {
      const channel = lineName('sim', tab.name)
      const end = [...ends].find((one) => one.name === channel && one.line?.of === 'tab')
      if (end?.line?.of !== 'tab' || broken.has(channel)) return
      const { cut } = end.line
      const lanes = new Map<string, Happening[]>()
      for (const one of happenings)
        if (one.channel === channel) lanes.set(one.lane, [...(lanes.get(one.lane) ?? []), one])
      const lost = new Set(
        [...lanes.values()].flatMap((all) => all.slice(Math.floor(dice() * (all.length + 1)))),
      )
      happenings = happenings.filter((one) => !lost.has(one))
      broken.add(channel)
      // Either end may be the first to notice; the owner's then tells the tab.
      const isFirst = dice() < 0.5
      if (isFirst) soon(tab, `cut ${channel}`, cut)
      soon(undefined, `mend ${channel}`, () => {
        broken.delete(channel)
        if (!isFirst) soon(tab, `cut ${channel}`, cut)
      })
    },
    async step() {
      const isAwake = (tab: SimTab | undefined) => !tab?.frozen
      happenings = happenings.filter(({ tab }) => !tab?.dead)
      const heads = new Map<string, Happening>()
      for (const one of happenings)
        if (isAwake(one.tab) && !heads.has(`${one.lane}`)) heads.set(one.lane, one)
      const ready = [...heads.values()]
      const due = timers.filter(({ tab }) => isAwake(tab) && !tab.dead).sort((a, b) => a.due - b.due)[0]
      if (ready.length > 0 && (!due || dice() < 0.95)) {
        const one = ready[Math.floor(dice() * ready.length)] as Happening
        happenings.splice(happenings.indexOf(one), 1)
        happen(one.tab, one.run)
      } else if (due) {
        timers = timers.filter((timer) => timer !== due)
        now = Math.max(now, due.due)
        happen(due.tab, due.run)
      } else return false
      await new Promise((resolve) => setImmediate(resolve))
      return true
    },
  }
}
