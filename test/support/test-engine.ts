// An engine in virtual time: what was to run later runs when a test lets time pass.
import type { Ports, SqlDatabase } from '../../src/core/ports.ts'
import { createEngine, type Engine, type EngineOptions } from '../../src/engine/engine.ts'
import { openNodeDatabase } from '../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../src/hosts/node/port/node-ports.ts'

export interface TestEngine {
  readonly engine: Engine
  readonly db: SqlDatabase
  readonly ports: Ports
  /** Lets this much time pass, and what is due in it happen, one after another. */
  pass(ms?: number): Promise<void>
}

/** Real promises get to run between two timers. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

export function createTestTime(start = Date.UTC(2026, 6, 1)) {
  let now = start
  let timers: { at: number; task: () => void }[] = []
  const ports: Ports = {
    ...nodePorts,
    clock: { now: () => now },
    log: { warn: () => undefined },
    scheduler: {
      soon: nodePorts.scheduler.soon,
      later(delayMs, task) {
        const timer = { at: now + delayMs, task }
        timers.push(timer)
        return () => (timers = timers.filter((one) => one !== timer))
      },
    },
  }
  return {
    ports,
    async pass(ms = 10_000) {
      const end = now + ms
      await turn()
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        timers = timers.filter((one) => one !== next)
        now = Math.max(now, next.at)
        next.task()
        await turn()
      }
      now = end
    },
  }
}

export type TestEngineOptions = Partial<
  Pick<EngineOptions, 'db' | 'carrier' | 'embedder' | 'role' | 'textIndex' | 'lag' | 'isAudited' | 'quotas'>
>

export function openTestEngine({
  db = openNodeDatabase({ path: ':memory:' }),
  ...more
}: TestEngineOptions = {}): TestEngine {
  const { ports, pass } = createTestTime()
  const engine = createEngine({ db, ports, name: 'b', scope: { agent: 'a' }, durability: 'memory', ...more })
  return { engine, db, ports, pass }
}
