// A place in a simulated world: a disk, and the process that runs on it until it is ended, as if the power were cut.
import type { Kinds } from '../../../src/core/kind.ts'
import type { Ports } from '../../../src/core/ports.ts'
import { createRecordAccess, type RecordAccess } from '../../../src/engine/context/record-access.ts'
import { noSecretGuard } from '../../../src/engine/context/secret-guard.ts'
import { SealedArrivals } from '../../../src/engine/service/sealed-arrivals.ts'
import { type BookStore, openBookStore } from '../../../src/store/book-store.ts'
import type { Role } from '../../../src/store/record/mirror-places.ts'
import type { LiveLine } from '../../../src/sync/device/live.ts'
import type { SyncSelection } from '../../../src/sync/device/outbox.ts'
import type { SyncSession } from '../../../src/sync/device/session.ts'
import type { SyncPreferences } from '../../../src/sync/device/sync-plan.ts'
import type { SyncTrigger } from '../../../src/sync/device/sync-trigger.ts'
import type { SyncRequest, SyncResponse } from '../../../src/sync/wire/protocol.ts'
import type { PublicHalf } from '../../../src/trust/seal/key-pair.ts'
import { noCipher, noDigest } from '../../support/server/no-port.ts'
import { type Disk, type Handle, type Image, takeDisk } from './sim-disk.ts'
import { newKinds } from './sim-kind.ts'
import type { DeviceSealer, MirrorSealer } from './sim-sealer.ts'
import type { SimTime } from './sim-time.ts'

/** A running process: the device's or the mirror's. */
interface Process {
  readonly handle: Handle
  readonly store: BookStore
  readonly access: RecordAccess
  /** On a device: receives the keys of what was left at the mirror. */
  readonly arrivals: SealedArrivals | undefined
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
  live(): LiveLine | undefined
  /** Its keys for what is sealed: `[1]` or none. */
  readonly sealer: DeviceSealer
  /** Its keys are put away, or there again. */
  lock(isLocked: boolean): void
  /** Puts the book's public key in, where that is due. */
  publish(): Promise<void>
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
  readonly sealer: MirrorSealer
  /** The book's public key, as far as it is known there. */
  publicHalf(): PublicHalf | undefined
  exchange(request: unknown): Promise<SyncResponse>
  tidy(): Promise<void>
}

interface SiteParts {
  readonly name: string
  readonly role: Role
  readonly sealer: DeviceSealer | MirrorSealer
  readonly clock: { readonly nowMs: number }
  readonly time: SimTime
  readonly numbers: () => number
}

/** `extend` says what more a process has there, each time that one starts. */
export function createSite<More extends object>(
  { name, role, sealer, clock, time, numbers }: SiteParts,
  extend: (store: BookStore, ports: Ports, site: Site) => More,
): { site: Site; more(): More } {
  const disk = takeDisk(newKinds)
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
    const access = createRecordAccess({
      secrets: noSecretGuard,
      renew: (guest) => guest,
      store,
      ports,
      scope: { agent: name },
    })({
      role: 'owner',
    })
    const arrivals =
      'keychain' in sealer
        ? new SealedArrivals({ store, keychain: { ...sealer, ...sealer.keychain } })
        : undefined
    return (process = { handle, store, access, arrivals, more: extend(store, ports, site) })
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
      if ('renew' in sealer) sealer.renew()
    },
    isRunning: () => process?.handle.alive() === true,
    handle: () => plugged ?? disk.plug(),
  }
  return { site, more: () => run().more }
}
