// Books in one virtual time that take part in a pool: one at a time by envelopes that a test hands in, or many over carriers.
import { createEngine, type Engine, type EngineOptions } from '../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../src/hosts/node/book/node-database.ts'
import { openNodeKeyring } from '../../../../src/hosts/node/key/key-file.ts'
import { DaybookError } from '../../../../src/core/errors.ts'
import type { Carrier } from '../../../../src/core/ports.ts'
import { nodePorts } from '../../../../src/hosts/node/port/node-ports.ts'
import { SyncMirror } from '../../../../src/sync/mirror/mirror.ts'
import type { PoolCarrier } from '../../../../src/core/pool.ts'
import { createTestTime } from '../../../support/test-engine.ts'

export interface Answer {
  readonly result: string
  readonly reason: string
  readonly waits?: boolean
}

const stepMs = 250

export function createWorld() {
  const { ports, pass } = createTestTime()
  const engines: Engine[] = []
  let serial = 0
  const at = (ms = 0) => new Date(ports.clock.now() + ms).toISOString()
  /** Lets so much time pass at most; a signature takes its real while, and none of this time. */
  async function waits(isSo: () => Promise<boolean>, ms: number): Promise<void> {
    for (let passed = 0; !(await isSo()); passed += stepMs) await pass(passed < ms ? stepMs : 0)
  }
  const open = (
    agent = 'me',
    carriers: readonly PoolCarrier[] = [],
    more: Partial<
      Pick<EngineOptions, 'db' | 'keys' | 'role' | 'sync' | 'carrier' | 'poolLine' | 'vault' | 'openMemory'>
    > = {},
  ): Engine => {
    const db = more.db ?? openNodeDatabase({ path: ':memory:' })
    const keys = more.keys ?? openNodeKeyring(undefined)
    const scope = { agent }
    const own = { db, ports, keys, carriers, scope, name: 'main', durability: 'memory' } as const
    const engine = createEngine({ ...more, ...own })
    engines.push(engine)
    return engine
  }
  return {
    open,
    /** A mirror, as a device of the book syncs with it when it is called to. It does not answer while `isAway`. */
    openMirror(isAway = () => false) {
      const { store } = open('mirror', [], { role: 'mirror' })
      const mirror = new SyncMirror({ store, ...nodePorts })
      const carrier: Carrier = {
        async exchange(request) {
          if (isAway()) throw new DaybookError('offline')
          return JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown
        },
      }
      const synced: Pick<EngineOptions, 'carrier' | 'sync'> = { carrier, sync: { triggers: 'manual' } }
      return { store, synced }
    },
    /** Lets time pass, and what that has set going come to its end. */
    async pass(ms: number): Promise<void> {
      await pass(ms)
      for (let turns = 0; turns < 10; turns++) await pass(0)
    },
    at,
    /** An envelope of another claw, said now. */
    envelope: (claw: string, type: string, payload: object, more: object = {}) => ({
      schemaVersion: 'v1',
      type,
      traceId: 'tr-test',
      timestamp: at(),
      idempotencyKey: `test:${++serial}`,
      clawId: claw,
      instanceId: `${claw}#1`,
      payload,
      ...more,
    }),
    until: (isSo: () => Promise<boolean>) => waits(isSo, 100_000),
    /** While at most two seconds pass. */
    soon: (isSo: () => Promise<boolean>) => waits(isSo, 2000),
    close(): void {
      for (const engine of engines.splice(0)) engine.close()
    },
  }
}
export type World = ReturnType<typeof createWorld>

const open = new WeakSet<Engine>()

/** Hands an envelope to a book, where anybody counts. */
export async function give(engine: Engine, envelope: object): Promise<Answer> {
  if (!open.has(engine)) await engine.call('pool:configure', { admission: 'anyone' })
  open.add(engine)
  return handIn(engine, envelope)
}

/** Hands an envelope to a book that is as it was opened. */
export const handIn = (engine: Engine, envelope: object): Promise<Answer> =>
  engine.call('pool:take_in', { envelope }) as Promise<Answer>

export const ask = async <Found>(engine: Engine, id: string, input: object = {}): Promise<Found> =>
  (await engine.call(id, input)) as Found

interface Entry {
  readonly type: string
  readonly result: string
  readonly reason: string
}

/** What the audit of a book says of one type, the newest first: `accepted: new_vote`. */
export async function audited(engine: Engine, type: string): Promise<string[]> {
  const { entries } = await ask<{ entries: Entry[] }>(engine, 'pool:audit', { type })
  return entries.map(({ result, reason }) => `${result}: ${reason}`)
}
