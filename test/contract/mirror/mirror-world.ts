// A small world to test sync in: one mirror and its devices, each over a database of its own, with a clock that
// stands still until told and a network that does what a test says. The mirror and the devices are the code that
// ships.
import { noCipher, noDigest } from '../../support/server/no-port.ts'
import { z } from 'zod'
import { neverAborted } from '../../../src/core/abort.ts'
import type { SyncDirection, SyncResult, SyncState } from '../../../src/core/capability/status.ts'
import type { ConflictEntry } from '../../../src/core/op.ts'
import { DaybookError } from '../../../src/core/errors.ts'
import { type ConflictPolicy, createKinds, type Kind, type Kinds } from '../../../src/core/kind.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import type { Ports, SqlDatabase, Truth } from '../../../src/core/ports.ts'
import type { Scope, Stored } from '../../../src/core/record.ts'
import { type Sealer, sealedOf, type Sensitivity } from '../../../src/core/sealed.ts'
import { formatTime } from '../../../src/core/time.ts'
import type { RecordWriter } from '../../../src/core/capability/port/record-port.ts'
import type { SyncWriter } from '../../../src/core/capability/port/sync-port.ts'
import { createRecordAccess, type RecordAccess } from '../../../src/engine/context/record-access.ts'
import { noSecretGuard } from '../../../src/engine/context/secret-guard.ts'
import { type BookStore, openBookStore } from '../../../src/store/book-store.ts'
import { toRecord } from '../../../src/store/schema/record-row.ts'
import { createTestSealer } from '../../support/test-sealer.ts'
import type { Role } from '../../../src/store/record/mirror-places.ts'
import type { MarkChange } from '../../../src/core/mark.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import type { SyncRequest, SyncResponse } from '../../../src/sync/wire/protocol.ts'
import type { SyncReach } from '../../../src/sync/mirror/sync-reach.ts'
import { decideConflict } from '../../../src/sync/sync-chapter.ts'
import type { SyncSelection } from '../../../src/sync/device/outbox.ts'
import { SyncSession } from '../../../src/sync/device/session.ts'

/** Where databases are. The same name is the same database; work on it happens where it lives. */
export interface DatabaseHost {
  within<Result>(name: string, work: (db: SqlDatabase) => Result | Promise<Result>): Promise<Result>
  /** What the database of a mirror is a copy of, where it is one. */
  truth?(name: string, db: SqlDatabase, ports: Ports): Promise<CopiedTruth>
  /** Throws away everything in memory around that database. */
  evict(name: string): Promise<void>
}

/** A truth to which a test attaches the store that follows it. */
export interface CopiedTruth extends Truth {
  attach(store: BookStore): void
}

/** The fate of one request on the network: delivered, lost, its answer lost, delivered twice, or chosen by a test. */
export type Fault =
  'none' | 'lose-request' | 'lose-answer' | 'twice' | ((send: Send, session: SyncSession) => Promise<unknown>)
type Send = (request?: unknown) => Promise<SyncResponse>

const policies: readonly ConflictPolicy[] = [
  'local_wins',
  'remote_wins',
  'last_write_wins',
  'merge',
  'manual',
]

export const createTestKind = (name: string, policy: ConflictPolicy, more: Partial<Kind> = {}): Kind => ({
  name,
  policy,
  summary: 'For tests.',
  version: 1,
  text: ['text'],
  facets: {},
  schema: z.looseObject({
    text: z.string(),
    short: z.string().max(20).optional(),
  }),
  ...more,
})

/** One kind for each policy, of its name, and `later_revives`. Bodies are `{ text }` and anything else. */
export const testKinds = createKinds([
  ...policies.map((policy) => createTestKind(policy, policy, { merge: { uses: 'counter', short: 'both' } })),
  createTestKind('later_revives', 'last_write_wins', { laterEditRevives: true }),
])

/** A generator of numbers below 2^32 from a seed: mulberry32. */
export function createNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

export interface Site {
  put(
    kind: string,
    id: string,
    body: JsonObject,
    scope?: Partial<Scope> & { readonly sensitivity?: Sensitivity },
  ): Promise<string>
  putMany(kind: string, bodies: readonly (readonly [id: string, body: JsonObject])[]): Promise<void>
  forget(id: string): Promise<boolean>
  purge(id: string): Promise<boolean>
  /** Marks a record, as the capability does. */
  mark(id: string, change: MarkChange): Promise<unknown>
  /** Decides a conflict, as the capability does. */
  choose(input: object): Promise<unknown>
  get(id: string): Promise<Stored<JsonObject> | undefined>
  /** All live records by id, heads included. */
  all(): Promise<Record<string, Stored<JsonObject>>>
  conflicts(): Promise<ConflictEntry[]>
  /** Goes past the door, for what only a test asks. */
  look<Result>(work: (store: BookStore) => Result): Promise<Result>
  /** Everything in memory is gone; the database stays. */
  restart(): Promise<void>
}

export interface TestDevice extends Site {
  sync(direction?: SyncDirection): Promise<SyncResult>
  /** Works with the session where it is, so that what happens in one turn there does. */
  within<Result>(work: (session: SyncSession) => Promise<Result>): Promise<Result>
  state(): Promise<SyncState>
  /** Sends and fetches only these kinds, from the next restart on. */
  select(selection: SyncSelection): void
  /** What becomes of the next requests, one each; after them the network is whole again. */
  faults(...faults: Fault[]): void
  /** What was said of its state, in order. */
  readonly told: { state: SyncState; result: SyncResult | undefined }[]
  /** Every request that was sent, as JSON text. */
  readonly sent: string[]
  /** Its keys for sensitive records, by number; the last one seals. At first `[1]`. */
  keys: readonly number[]
  /** This device's clock is so far from the world's. */
  skewMs: number
  /** How far its sync goes, where it is a guest's. */
  reach: SyncReach | undefined
}

export interface TestMirror extends Site {
  exchange(request: unknown, reach?: SyncReach): Promise<SyncResponse>
  tidy(): Promise<number>
}

export interface World {
  readonly clock: { nowMs: number }
  readonly mirror: TestMirror
  /** The device of that name; `selection` counts when it is first named. */
  device(name: string, selection?: SyncSelection): TestDevice
}

type Opened = { readonly store: BookStore; readonly truth: Truth | undefined; readonly access: RecordAccess }

let serial = 0

interface SiteParts {
  readonly name: string
  readonly role: Role
  readonly ports: Ports
  readonly sealer?: Sealer
}

/**
 * An empty world over databases of `host`. `kindsAtMirror` is what the mirror knows, and
 * `kindsAt` what each site knows from its next start on, for tests of skew. Two worlds that meet in one
 * test need a `seed` each: the names of their devices come from it.
 */
export function createWorld(
  host: DatabaseHost,
  options: { seed?: number; kindsAtMirror?: Kinds; kindsAt?: Record<string, Kinds>; name?: string } = {},
): World {
  const prefix = options.name ?? `world-${++serial}`
  const clock = { nowMs: Date.UTC(2026, 0, 1) }
  const numbers = createNumbers(options.seed ?? 1)
  const portsOf = (skewMs: () => number): Ports => ({
    clock: { now: () => clock.nowMs + skewMs() },
    random: { bytes: (size) => Uint8Array.from({ length: size }, () => numbers() & 0xff) },
    scheduler: { soon: (task) => queueMicrotask(task), later: () => () => undefined },
    digest: noDigest,
    cipher: noCipher,
    log: { warn: () => undefined },
  })

  const createSite = <More extends object>(
    { name, role, ports, sealer }: SiteParts,
    more: (store: BookStore) => More,
  ): { site: Site; on<Result>(work: (at: Opened & More) => Result | Promise<Result>): Promise<Result> } => {
    const place = `${prefix}-${name}`
    const opened = new Map<SqlDatabase, Promise<Opened & More>>()
    const kindsOf = () =>
      options.kindsAt?.[name] ?? (role === 'mirror' ? options.kindsAtMirror : undefined) ?? testKinds
    const open = async (db: SqlDatabase): Promise<Opened & More> => {
      const truth = role === 'mirror' ? await host.truth?.(place, db, ports) : undefined
      const store = openBookStore(db, {
        kinds: kindsOf(),
        role,
        ports,
        truth,
        sealer,
        onCommit: () => undefined,
      })
      truth?.attach(store)
      return {
        store,
        truth,
        access: createRecordAccess({
          secrets: noSecretGuard,
          renew: (guest) => guest,
          store,
          ports,
          scope: { agent: name },
        })({
          role: 'owner',
        }),
        ...more(store),
      }
    }
    const on = <Result>(work: (at: Opened & More) => Result | Promise<Result>) =>
      host.within(place, async (db) => {
        const at = opened.get(db) ?? open(db)
        opened.set(db, at)
        await (await at).truth?.follow()
        return work(await at)
      })
    const write = <Result>(work: (records: RecordWriter, sync: SyncWriter) => Result) =>
      on(({ store, access }) =>
        store.writes.write(() => {
          const { records, sync } = access.writer(formatTime(ports.clock.now()))
          return work(records, sync)
        }),
      )
    const site: Site = {
      put: (kind, id, body, scope = {}) => write((records) => records.put({ kind, id, body, scope })),
      putMany: (kind, bodies) =>
        write((records) => {
          for (const [id, body] of bodies) records.put({ kind, id, body })
        }),
      forget: (id) => write((records) => records.forget(id)),
      purge: (id) => write((records) => records.purge(id)),
      mark: (id, change) => write((records) => records.mark(id, change)),
      choose: (input) => write((records, sync) => decideConflict(input, { records, sync })),
      get: (id) => on(({ access }) => access.reader.get(id)),
      all: () =>
        on(({ store, access }) => {
          const rows = store.db.all<{ id: string }>('SELECT id FROM records WHERE deleted = 0 ORDER BY id')
          return Object.fromEntries(
            rows.flatMap(({ id }) => [[id, readable(store, access, id)] as const]).filter(isFound),
          )
        }),
      conflicts: () => on(({ store }) => store.conflicts.list({ limit: 1000 })),
      look: (work) =>
        on(async ({ store, truth }) => {
          const seen = work(store)
          // Whoever looks may have changed something on the way.
          await truth?.commit(() => undefined)
          return seen
        }),
      async restart() {
        opened.clear()
        await host.evict(place)
      },
    }
    return { site, on }
  }

  const mirrorPorts = portsOf(() => 0)
  const { site: mirrorSite, on: onMirror } = createSite(
    { name: 'mirror', role: 'mirror', ports: mirrorPorts },
    (store) => ({
      mirror: new SyncMirror({ store, clock: mirrorPorts.clock, random: mirrorPorts.random }),
    }),
  )
  const mirror: TestMirror = {
    ...mirrorSite,
    // A wire carries text: nothing but JSON comes through, and no object is shared.
    tidy: () => onMirror((at) => at.mirror.collectTombstones()),
    exchange: async (request, reach) => {
      const { text } = await onMirror((at) => at.mirror.exchange(JSON.stringify(request), reach))
      return JSON.parse(text) as SyncResponse
    },
  }

  const createDevice = (name: string, first: SyncSelection): TestDevice => {
    let selection = first
    const sealer = createTestSealer()
    const sent: string[] = []
    const told: TestDevice['told'] = []
    let waiting: Fault[] = []
    const carry = async (request: unknown, session: SyncSession): Promise<unknown> => {
      sent.push(JSON.stringify(request))
      const fault = waiting.shift() ?? 'none'
      const send: Send = (other = request) => mirror.exchange(other, device.reach)
      if (typeof fault === 'function') return fault(send, session)
      if (fault === 'lose-request') throw new DaybookError('offline')
      if (fault === 'twice') await send()
      const answer = await send()
      if (fault === 'lose-answer') throw new DaybookError('offline')
      return answer
    }
    const ports = portsOf(() => device.skewMs)
    const { site, on } = createSite({ name, role: 'device', ports, sealer }, (store) => {
      const session: SyncSession = new SyncSession({
        store,
        carrier: { exchange: (request) => carry(request, session) },
        clock: ports.clock,
        selection,
        onChange: () => undefined,
        onState: (state, result) =>
          told.push({
            state,
            result,
          }),
      })
      return { session }
    })
    const device: TestDevice = {
      ...site,
      get keys() {
        return sealer.keys
      },
      set keys(keys) {
        sealer.keys = keys
      },
      sent,
      told,
      skewMs: 0,
      reach: undefined,
      sync: (direction) => on(({ session }) => session.sync(neverAborted, direction)),
      within: (work) => on(({ session }) => work(session)),
      state: () => on(({ session }) => session.state()),
      select: (other) => void (selection = other),
      faults: (...faults) => void (waiting = faults),
    }
    return device
  }

  const devices = new Map<string, TestDevice>()
  return {
    clock,
    mirror,
    device(name, selection = {}) {
      const device = devices.get(name) ?? createDevice(name, selection)
      devices.set(name, device)
      return device
    },
  }
}

/** The record as this copy reads it; without the key of a sealed record, its sealed body, which all copies share. */
function readable(store: BookStore, access: RecordAccess, id: string): Stored<JsonObject> | undefined {
  const row = store.records.row(id)
  const sealed = row && sealedOf(row.body)
  if (!row || !sealed) return access.reader.get(id)
  const body = store.bodies.read(row, row.body)
  return toRecord(row, body ?? ({ ...sealed } as unknown as JsonObject))
}

function isFound<Value>(entry: readonly [string, Value | undefined]): entry is readonly [string, Value] {
  return entry[1] !== undefined
}

/** The request that `device` sent last, as it went out. */
export function lastRequest(device: TestDevice): SyncRequest {
  return JSON.parse(device.sent.at(-1) ?? 'null') as SyncRequest
}
