// A world to break sync in: devices and their mirror, each on a disk of its own, processes that die in the middle,
// and a network whose every letter moves only when told. The mirror and the devices are the code that ships.
import { neverAborted } from '../../../src/core/abort.ts'
import type { Carrier, Ports } from '../../../src/core/ports.ts'
import { createPublicKey } from '../../../src/engine/service/public-key.ts'
import type { BookStore } from '../../../src/store/book-store.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import type { SyncRequest, SyncResponse } from '../../../src/sync/wire/protocol.ts'
import { pendingRequests } from '../../../src/sync/device/background.ts'
import { SyncSession } from '../../../src/sync/device/session.ts'
import { createLiveLine, type LiveLine } from '../../../src/sync/device/live.ts'
import { parseSyncPlan, type SyncPreferences } from '../../../src/sync/device/sync-plan.ts'
import { SyncTrigger } from '../../../src/sync/device/sync-trigger.ts'
import { createNumbers } from '../../contract/mirror/mirror-world.ts'
import { giveBack } from './sim-disk.ts'
import { createSimPost, type Letter, type PostEvents } from './sim-letter.ts'
import { createSimLines, type SimLines } from './sim-line.ts'
import { createSite, type SimDevice, type SimMirror } from './sim-site.ts'
import { createDeviceSealer, createMirrorSealer } from './sim-sealer.ts'
import { createSimTime } from './sim-time.ts'

/** What the devices do by themselves, in their order. */
export const plans: readonly SyncPreferences[] = [
  { triggers: { on_wake: true, on_action: true }, live: true },
  { triggers: { periodic: { interval: '5m' } }, live: false },
  { triggers: { on_idle: { threshold: '1m' }, on_action: { kinds: ['merge', 'final'] } }, live: true },
]

/** An answer brings no more than a few changes, so that there is a next page to ask for. */
const page = { limit: 3, maxBytes: 1_000_000 } as const

export interface SimWorld extends PostEvents {
  readonly clock: { nowMs: number }
  readonly mirror: SimMirror
  readonly devices: readonly SimDevice[]
  /** In the order in which they were sent. */
  readonly letters: Letter[]
  readonly lines: SimLines
  /** Lets time pass, and what is due in it happen; in fair weather all that is under way arrives meanwhile. */
  pass(ms: number, weather: 'fair' | 'still'): Promise<void>
  addDevice(name: string): SimDevice
  /** Lets everything run that waits for nothing but its turn. */
  rest(): Promise<void>
  close(): void
}

export function createSimWorld(seed: number): SimWorld {
  const clock = { nowMs: Date.UTC(2026, 0, 1) }
  const numbers = createNumbers(seed)
  const devices: SimDevice[] = []
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

  const place = { clock, time, numbers }
  const mirrorSealer = createMirrorSealer()
  const { site: mirrorSite, more: onMirror } = createSite(
    { ...place, name: 'mirror', role: 'mirror', sealer: mirrorSealer },
    (store, ports) => ({
      mirror: new SyncMirror({ store, clock: ports.clock, random: ports.random }),
      publicKey: publicKeyOf('mirror', store, ports),
    }),
  )
  const mirror: SimMirror = Object.assign(mirrorSite, {
    blank: mirrorSite.disk.save(),
    sealer: mirrorSealer,
    publicHalf: () => onMirror().publicKey.read(),
    // A wire carries text: nothing but JSON comes through, and no object is shared.
    exchange: async (request: unknown) =>
      JSON.parse((await onMirror().mirror.exchange(JSON.stringify(request))).text) as SyncResponse,
    tidy: async () => void (await onMirror().mirror.collectTombstones()),
  })

  const { letters, ...post } = createSimPost(mirror, {
    onAnswer: (request, response) => world.onAnswer(request, response),
    onSilence: () => world.onSilence(),
  })

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
      const sealer = createDeviceSealer()
      const plan = plans[devices.length % plans.length] ?? {}
      const { site, more } = createSite({ ...place, name, role: 'device', sealer }, (store, ports, self) => {
        const handle = self.handle()
        const carrier: Carrier = {
          exchange: (request) => post.ask(device, request as SyncRequest),
          listen: (_device, hooks) => lines.listen(name, handle.alive, hooks),
        }
        const { push, pull } = self.selection
        const wanted = { ...parseSyncPlan(plan, self.kinds), push, pull, page }
        const nothing = () => undefined
        const session = new SyncSession({
          store,
          clock: ports.clock,
          carrier,
          selection: wanted,
          onChange: nothing,
          onState: nothing,
        })
        const trigger = new SyncTrigger({
          plan: wanted,
          session,
          store,
          ...ports,
          live: () => live?.state(),
        })
        const live: LiveLine | undefined = createLiveLine({
          store,
          carrier,
          isEnabled: wanted.live,
          ...ports,
          onPoke: () => trigger.mirrorChanged(),
          onOpen: () => trigger.lineOpened(),
          onState: nothing,
        })
        const publicKey = publicKeyOf(name, store, ports, sealer.keychain)
        return { session, trigger, live, publicKey, calls: 0 }
      })
      const device: SimDevice = Object.assign(site, {
        late: [] as SimDevice['late'],
        async spill() {
          const { store } = site.run()
          const requests = await store.writes.write(() => pendingRequests(store, site.selection, true))
          for (const request of requests) {
            post.leave(
              device,
              request,
              (answer) => void device.late.push({ request, response: answer as SyncResponse }),
            )
          }
        },
        plan,
        sealer,
        lock(isLocked: boolean) {
          sealer.keys = isLocked ? [] : [1]
          sealer.renew()
          site.run().arrivals?.renew()
        },
        publish: () => more().publicKey.publish('own'),
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
      for (const { disk } of [mirror, ...devices]) giveBack(disk)
    },
  }
  return world
}

type Keychain = Parameters<typeof createPublicKey>[0]['keychain']

/** The book's public key at one place; a mirror has no keys of its own. */
function publicKeyOf(
  agent: string,
  store: BookStore,
  { clock, log }: Ports,
  keychain: Keychain = { publicHalf: () => undefined, keyOfPair: () => undefined },
) {
  const wrote = () => undefined
  return createPublicKey({ store, keychain, clock, log, agent, hasMirror: true, wrote })
}
