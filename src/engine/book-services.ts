// The services of a book, each added where the host or the way it was opened calls for it.
// Invariant: what only reads a book neither syncs it nor fills it in, and looks after no files.
import type { DeviceRoom } from '../commons/room/device-room.ts'
import { type BookEmbedding, createBookEmbedding } from '../recall/book-embedding.ts'
import type { BookStore } from '../store/book-store.ts'
import { mirrorName } from '../sync/device/session.ts'
import type { SyncPlan } from '../sync/device/sync-plan.ts'
import { type BookNames, Keychain } from '../trust/seal/keychain.ts'
import { readPublicKey } from './service/public-key.ts'
import { capabilityTable, chapters, effectOf, findCapability, kinds } from './capability-table.ts'
import type { SecretGuard } from './context/secret-guard.ts'
import type { EngineOptions } from './engine-options.ts'
import type { Lifecycle } from './lifecycle.ts'
import { type AccessAudit, createAccessAudit } from './service/access-audit.ts'
import { type Activity, createActivity } from './service/activity.ts'
import type { BookEventFeed } from './service/book-events.ts'
import { type BookSync, createBookSync } from './service/book-sync.ts'
import { createChangeFeed } from './service/change-feed.ts'
import { createCheckpointWork } from './service/checkpoint-work.ts'
import { createHealth } from './service/health.ts'
import { createIdleWork } from './service/idle-work.ts'
import { hadKeys } from './service/keys-here.ts'
import type { LineCarrier } from './service/line-carrier.ts'
import { createSealing, type Sealing } from './service/sealing.ts'
import { createTellAnewWork } from './service/tell-anew-work.ts'
import { createTasks, type Tasks } from './task/task-access.ts'

export interface BookServiceParts {
  readonly options: EngineOptions
  readonly store: BookStore
  readonly services: Lifecycle
  readonly events: BookEventFeed
}

export function openKeychain(options: EngineOptions, storeOf: () => BookStore): Keychain {
  const { ports, vault } = options
  const names = () => namesOf(options, storeOf())
  const { aes, encapsulation } = ports
  const wereHere = () => hadKeys(storeOf())
  return new Keychain({ ...ports, aes, encapsulation, names, vault, wereHere })
}

/**
 * What the book is called where it seals. A book that has a mirror has the same name on all devices, also while one of them
 * opens it by another and without that mirror.
 */
function namesOf({ name, carrier, scope }: EngineOptions, { settings, records }: BookStore): BookNames {
  const mirrored = settings.get(mirrorName)
  const others = [name, mirrored, readPublicKey(records)?.book, scope.agent]
  return { present: carrier ? name : (mirrored ?? name), others: others.filter((one) => one !== undefined) }
}

/** The file itself, and whoever listens: there until everything else has ended. */
export function addBookFile({ options, store, services, events }: BookServiceParts): void {
  services.add({
    name: 'book file',
    close() {
      if (options.care && !store.newer) store.mark.leave()
      options.db.close()
    },
  })
  services.add(events)
  services.add(createChangeFeed(options.ports.scheduler, (detail) => events.tell('change', detail)))
}

export function addHealth({ options: { care, ports }, store, services }: BookServiceParts): void {
  if (!care || store.newer) return
  services.add(
    createHealth({
      store,
      scheduler: ports.scheduler,
      check: care.check,
      onDamage(reason) {
        services.stateChanged(true)
        care.onDamage?.(reason)
      },
    }),
  )
}

export function addEmbedding({
  options: { embedder: source, ports, recallWithout: without },
  store,
  services,
  events,
}: BookServiceParts): BookEmbedding | undefined {
  if (!source || store.newer) return undefined
  const embedding = createBookEmbedding({
    store,
    ports,
    source,
    tell: (detail) => events.tell('progress', detail),
    onState: services.stateChanged,
    without,
  })
  const { wake, degraded, stop } = embedding
  services.add({ name: 'embedding', idle: wake, degraded, close: stop })
  return embedding
}

export function addSealing(
  { options, store, services, events }: BookServiceParts,
  keychain: Keychain,
): Sealing {
  const { clock, random, cipher, scheduler, log } = options.ports
  return services.add(
    createSealing({
      clock,
      random,
      cipher,
      scheduler,
      log,
      agent: options.scope.agent,
      wrote: services.wrote,
      keychain,
      store,
      hasMirror: options.carrier !== undefined,
      progress: (detail) => events.tell('progress', detail),
      onChange() {
        // Anything may have changed.
        events.tell('change', { ids: [], kinds: [...kinds.keys()], more: 0 })
        services.stateChanged()
      },
    }),
  )
}

/** The queue of writes, and that of tasks, which writes as long as it is open. */
export function addQueues(
  { options, store, services, events }: BookServiceParts,
  secrets: SecretGuard,
): Tasks {
  const { ports, role = 'device' } = options
  const { clock, random, scheduler } = ports
  const wanted = [...chapters.flatMap(({ recurring = [] }) => recurring), ...(options.recurring ?? [])]
  services.add({ name: 'write queue', close: () => store.writes.close() })
  return services.add(
    createTasks({
      clock,
      random,
      scheduler,
      store,
      recurring: wanted.filter(({ at = 'device' }) => (at === 'mirror') === (role === 'mirror')),
      scope: options.scope,
      isWoken: options.wakesTasks,
      isShared: options.truth !== undefined,
      table: capabilityTable,
      find: findCapability,
      cover: secrets.maskInput,
      checkNames: secrets.checkNames,
      tell: (detail) => events.tell('task', detail),
      onFault: services.failed,
    }),
  )
}

/** Closed before the queue of writes, which then commits what it has left to be written. */
export function addAccessAudit(
  { options, store, services }: BookServiceParts,
  secrets: Pick<SecretGuard, 'maskInput' | 'maskName'>,
): AccessAudit {
  return services.add(
    createAccessAudit({
      ...options.ports,
      store,
      kinds,
      secrets,
      isVerb: (id) => effectOf(id) !== undefined,
    }),
  )
}

export function addActivity(
  { options, store, services, events }: BookServiceParts,
  sealing: Sealing,
  secrets: Pick<SecretGuard, 'maskInput' | 'maskName'>,
): Activity {
  return services.add(
    createActivity({
      ...options.ports,
      store,
      sealing,
      secrets,
      isKept: options.activity ?? true,
      writes: capabilityTable.filter(({ effect }) => effect === 'write').map(({ id }) => id),
      tell: (detail) => events.tell('activity', detail),
    }),
  )
}

export function addSync(
  { options, store, services, events }: BookServiceParts,
  plan: SyncPlan,
  room: DeviceRoom | undefined,
  line: LineCarrier | undefined,
): BookSync | undefined {
  const { carrier } = options
  if (!carrier || store.newer) return undefined
  const { clock, random, scheduler } = options.ports
  return services.add(
    createBookSync({
      name: options.name,
      store,
      clock,
      random,
      scheduler,
      carrier,
      plan,
      room,
      line,
      spillPlace: options.spillPlace,
      onChange: services.changed,
      onState: services.stateChanged,
      tell: (detail) => events.tell('sync', detail),
    }),
  )
}

/** What is done when no call came for a moment. */
export function addIdleWork(
  { options, store, services }: BookServiceParts,
  tasks: Pick<Tasks, 'wake'>,
  isBusy: () => boolean,
): void {
  const { clock, scheduler, log } = options.ports
  if (!store.newer)
    services.add(
      createTellAnewWork({
        kinds,
        store,
        clock,
        log,
        wakeTasks: () => tasks.wake?.(),
        wrote: (changed) => void services.wrote(changed),
      }),
    )
  if (store.checkpoint) {
    services.add(
      createCheckpointWork({
        checkpoint: store.checkpoint,
        scheduler,
        onFault: services.failed,
        onGivenUp: options.reopen,
      }),
    )
  }
  services.add(
    createIdleWork({
      store,
      clock,
      scheduler,
      log,
      onIdle: services.idle,
      isBusy,
      lag: options.lag,
      isScarce: options.isScarce,
    }),
  )
}
