// A world to break sync in: devices and their mirror, each on a disk of its own, processes that die in the middle, and a
// network whose every letter moves only when told. The mirror and the devices are the code that ships.
import { neverAborted } from '../../src/core/abort.ts'
import { DaybookError, type ErrorShape, isDaybookError } from '../../src/core/errors.ts'
import type { Kinds } from '../../src/core/kind.ts'
import type { Carrier, Ports } from '../../src/core/ports.ts'
import { createRecordAccess, type RecordAccess } from '../../src/engine/context/record-access.ts'
import { type BookStore, openBookStore } from '../../src/store/book-store.ts'
import type { Role } from '../../src/store/record/mirror-places.ts'
import { createMirror, type Mirror } from '../../src/sync/mirror/mirror.ts'
import type { SyncSelection } from '../../src/sync/device/outbox.ts'
import type { SyncRequest, SyncResponse } from '../../src/sync/wire/protocol.ts'
import { spillRequests } from '../../src/sync/device/spill.ts'
import { createSyncSession, type SyncSession } from '../../src/sync/device/session.ts'
import { createBookLive, type Live } from '../../src/sync/device/live.ts'
import { readSyncPlan, type SyncPreferences } from '../../src/sync/device/sync-plan.ts'
import { createSyncTrigger, type SyncTrigger } from '../../src/sync/device/sync-trigger.ts'
import { createNumbers } from '../contract/mirror/mirror-world.ts'
import { createTestSealer, type TestSealer } from '../support/test-sealer.ts'
import { noCipher, noDigest } from '../support/server/no-port.ts'
import { type Disk, giveBack, type Handle, type Image, takeDisk } from './sim-disk.ts'
import { newKinds } from './sim-kind.ts'
import { createSimLines, type SimLines } from './sim-line.ts'
import { createSimTime } from './sim-time.ts'

/** A running process: the device's or the mirror's. */
interface Process {
  readonly handle: Handle
  readonly store: BookStore
  readonly access: RecordAccess
}

/** What may differ from one start of a process to the next. */
interface Setup {
  kinds: Kinds
  selection: SyncSelection
  skewMs: number
}

export interface Site extends Setup {
  readonly name: string
  readonly disk: Disk
  /** The process there, started if there is none. */
  run(): Process
  /** The process ends as if the power were cut. */
  crash(): void
  isRunning(): boolean
  /** What the process that runs there, or begins, has its disk by. */
  handle(): Handle
}

export interface SimDevice extends Site {
  session(): SyncSession
  /** What makes it sync by itself. */
  trigger(): SyncTrigger
  live(): Live | undefined
  /** Its keys for what is sealed: `[1]` or none. */
  readonly sealer: TestSealer
  /** What it does by itself: a plan of `plans`. */
  readonly plan: SyncPreferences
  /** Starts a sync or joins the one that runs; the promise resolves whatever becomes of it. */
  start(): Promise<void>
  /** Nothing that was started is unsettled. */
  isIdle(): boolean
  /** Its final bytes go as letters of somebody else. */
  spill(): Promise<void>
  /** The answers that somebody else got for it, until they are taken over. */
  readonly late: { readonly request: SyncRequest; readonly response: SyncResponse }[]
}

export interface SimMirror extends Site {
  /** An empty disk. */
  readonly blank: Image
  exchange(request: unknown): Promise<SyncResponse>
  tidy(): Promise<void>
}

interface Sending {
  readonly from: SimDevice
  readonly text: string
  readonly isAwaited: () => boolean
  readonly resolve: (answer: unknown) => void
  readonly reject: (why: DaybookError) => void
}

/** A request under way, and then its answer. */
export interface Letter {
  readonly from: SimDevice
  readonly text: string
  /** Who sent it still runs. */
  isAwaited(): boolean
  /** The mirror has answered, and the answer is under way. */
  answered(): boolean
  /** One hop on: to the mirror, or from there to the device. `without` its first op: something took it out on the way. */
  carry(without?: 'first-op'): Promise<void>
  /** The same request once more, whose answer nobody waits for. */
  copy(): void
  /** The device waits no longer. */
  drop(): void
}

/** What the devices do by themselves, in their order. */
export const plans: readonly SyncPreferences[] = [
  { triggers: { on_wake: true, on_action: true }, live: true },
  { triggers: { periodic: { interval: '5m' } }, live: false },
  { triggers: { on_idle: { threshold: '1m' }, on_action: { kinds: ['merge', 'final'] } }, live: true },
]

/** An answer brings no more than a few changes, so that there is a next page to ask for. */
const page = { limit: 3, maxBytes: 1_000_000 } as const

export interface SimWorld {
  readonly clock: { nowMs: number }
  readonly mirror: SimMirror
  readonly devices: readonly SimDevice[]
  /** In the order in which they were sent. */
  readonly letters: Letter[]
  readonly lines: SimLines
  /** Lets time pass, and what is due in it happen; in fair weather all that is under way arrives meanwhile. */
  pass(ms: number, weather: 'fair' | 'still'): Promise<void>
  addDevice(name: string): SimDevice
  /** Called with each request and the mirror's answer to it. */
  onAnswer: (request: SyncRequest, response: SyncResponse) => void
  /** Called when the mirror died over a request: nobody knows what it had done. */
  onSilence: () => void
  /** Lets everything run that waits for nothing but its turn. */
  rest(): Promise<void>
  close(): void
}

export function createSimWorld(seed: number): SimWorld {
  const clock = { nowMs: Date.UTC(2026, 0, 1) }
  const numbers = createNumbers(seed)
  const letters: Letter[] = []
  const devices: SimDevice[] = []
  const disks: Disk[] = []
  const time = createSimTime(clock)
  const headOf = () =>
    Number(mirror.disk.db.get<{ value: string }>("SELECT value FROM book WHERE key = 'head'")?.value ?? 0)
  const lines = createSimLines(headOf)
  let told = 0
  /** The mirror says where it stands, if that is news. */
  const tell = () => {
    const head = headOf()
    if (head !== told) lines.poke(head)
    told = head
  }

  const createSite = <More extends object>(
    name: string,
    role: Role,
    sealer: TestSealer | undefined,
    extend: (store: BookStore, ports: Ports, site: Site) => More,
  ): { site: Site; more(): More } => {
    const disk = takeDisk(newKinds)
    disks.push(disk)
    let process: (Process & { more: More }) | undefined
    let plugged: Handle | undefined
    const ports: Ports = {
      clock: { now: () => clock.nowMs + site.skewMs },
      random: { bytes: (size) => Uint8Array.from({ length: size }, () => numbers() & 0xff) },
      scheduler: {
        soon: (task) => queueMicrotask(task),
        later(delayMs, task) {
          const by = plugged
          return time.later(delayMs, task, () => by?.alive() === true)
        },
      },
      digest: noDigest,
      cipher: noCipher,
      log: { warn: () => undefined },
    }
    const run = () => {
      if (process?.handle.alive()) return process
      const handle = (plugged = disk.plug())
      const store = openBookStore(handle, {
        kinds: site.kinds,
        role,
        ports,
        sealer,
        onCommit: () => undefined,
      })
      const access = createRecordAccess({ store, ports, scope: { agent: name } })({ role: 'owner' })
      return (process = { handle, store, access, more: extend(store, ports, site) })
    }
    const site: Site = {
      name,
      disk,
      kinds: newKinds,
      selection: {},
      skewMs: 0,
      run,
      crash() {
        process?.handle.die()
        process = undefined
      },
      isRunning: () => process?.handle.alive() === true,
      handle: () => plugged ?? disk.plug(),
    }
    return { site, more: () => run().more }
  }

  const { site: mirrorSite, more: onMirror } = createSite(
    'mirror',
    'mirror',
    undefined,
    (store, { clock: time, random }) => ({
      mirror: createMirror({ store, clock: time, random }) as Mirror,
    }),
  )
  const mirror: SimMirror = Object.assign(mirrorSite, {
    blank: mirrorSite.disk.save(),
    // A wire carries text: nothing but JSON comes through, and no object is shared.
    exchange: async (request: unknown) =>
      JSON.parse((await onMirror().mirror.exchange(JSON.stringify(request))).text) as SyncResponse,
    tidy: async () => void (await onMirror().mirror.tidy()),
  })

  const post = (from: SimDevice, request: SyncRequest): Promise<unknown> => {
    const text = JSON.stringify(request)
    const { handle } = from.run()
    return new Promise((resolve, reject) => {
      send({ from, text, isAwaited: handle.alive, resolve, reject })
    })
  }

  const send = ({ from, text, isAwaited, resolve, reject }: Sending) => {
    let answer: { ok: SyncResponse } | { refused: ErrorShape } | undefined
    const leave = () => void letters.splice(letters.indexOf(letter), letters.includes(letter) ? 1 : 0)
    const letter: Letter = {
      from,
      text,
      isAwaited,
      answered: () => answer !== undefined,
      async carry(without) {
        if (!answer) {
          answer = await ask(text, without === 'first-op' ? 1 : 0)
          return
        }
        leave()
        if ('ok' in answer) return resolve(answer.ok)
        reject(DaybookError.from(answer.refused))
      },
      copy: () =>
        send({ from, text, isAwaited: () => false, resolve: () => undefined, reject: () => undefined }),
      drop() {
        leave()
        reject(new DaybookError('offline'))
      },
    }
    letters.push(letter)
  }

  const ask = async (text: string, skip: number): Promise<{ ok: SyncResponse } | { refused: ErrorShape }> => {
    const whole = JSON.parse(text) as SyncRequest
    const request = { ...whole, ops: whole.ops.slice(skip) }
    try {
      const ok = await mirror.exchange(request)
      world.onAnswer(request, ok)
      return { ok }
    } catch (error) {
      // A mirror that died in the middle answers nothing.
      if (!mirror.isRunning()) world.onSilence()
      const isOurs = isDaybookError(error) && mirror.isRunning()
      if (isOurs && error.code === 'internal') throw error
      return { refused: isOurs ? error.toJSON() : new DaybookError('offline').toJSON() }
    }
  }

  const world: SimWorld = {
    clock,
    mirror,
    devices,
    letters,
    lines,
    pass: (ms, weather) =>
      time.pass(ms, async () => {
        for (let moved = true; moved;) {
          await world.rest()
          tell()
          moved = lines.deliver()
          if (weather === 'still') continue
          const letter = letters[0]
          moved = moved || letter !== undefined
          await letter?.carry()
        }
      }),
    onAnswer: () => undefined,
    onSilence: () => undefined,
    addDevice(name) {
      const sealer = createTestSealer()
      const plan = plans[devices.length % plans.length] ?? {}
      const { site, more } = createSite(name, 'device', sealer, (store, ports, self) => {
        const handle = self.handle()
        const carrier: Carrier = {
          exchange: (request) => post(device, request as SyncRequest),
          listen: (_device, hooks) => lines.listen(name, handle.alive, hooks),
        }
        const { push, pull } = self.selection
        const wanted = { ...readSyncPlan(plan, self.kinds), push, pull, page }
        const nothing = () => undefined
        const session = createSyncSession({
          store,
          clock: ports.clock,
          carrier,
          selection: wanted,
          onChange: nothing,
          onState: nothing,
        })
        const trigger = createSyncTrigger({
          plan: wanted,
          session,
          store,
          ...ports,
          live: () => live?.state(),
        })
        const live: Live | undefined = createBookLive({
          store,
          carrier,
          wanted: wanted.live,
          ...ports,
          onPoke: trigger.poked,
          onState: nothing,
        })
        return { session, trigger, live, calls: 0 }
      })
      const device: SimDevice = Object.assign(site, {
        late: [] as SimDevice['late'],
        async spill() {
          const { store } = site.run()
          const requests = await store.writes.write(() => spillRequests(store, site.selection, true))
          for (const request of requests) {
            const resolve = (answer: unknown) =>
              void device.late.push({
                request,
                response: answer as SyncResponse,
              })
            send({
              from: device,
              text: JSON.stringify(request),
              isAwaited: () => false,
              resolve,
              reject: () => undefined,
            })
          }
        },
        plan,
        sealer,
        session: () => more().session,
        trigger: () => more().trigger,
        live: () => more().live,
        isIdle: () => !site.isRunning() || (more().calls === 0 && !more().session.isRunning()),
        async start() {
          const process = more()
          process.calls += 1
          await process.trigger.sync(neverAborted).catch(() => undefined)
          process.calls -= 1
        },
      })
      devices.push(device)
      return device
    },
    rest: () => new Promise((resolve) => setImmediate(resolve)),
    close() {
      for (const disk of disks) giveBack(disk)
    },
  }
  return world
}
