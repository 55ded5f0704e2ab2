// Adds the services of a book, each only if the host or the options need it.
// Invariant: a read-only book (`store.newer`: a newer Daybook wrote it) is not synced, gets no derived rows, and its
// files are not checked.
import { z } from 'zod'
import type { DeviceRoom } from '../commons/room/device-room.ts'
import type { AnyCapability } from '../core/capability/capability.ts'
import type { Service, ServiceParts } from '../core/capability/chapter.ts'
import { formatTime } from '../core/time.ts'
import { type BookEmbedding, createBookEmbedding } from '../recall/book-embedding.ts'
import type { BookStore } from '../store/book-store.ts'
import { createTimeSeen, type TimeSeen } from '../store/time-seen.ts'
import { mirrorNameKey } from '../sync/device/session.ts'
import type { SyncPlan } from '../sync/device/sync-plan.ts'
import { type BookNames, Keychain } from '../trust/seal/keychain.ts'
import { readPublicKey } from './service/public-key.ts'
import type { CallContexts } from './context/call-context.ts'
import type { SecretGuard } from './context/secret-guard.ts'
import type { Transact } from './context/transact.ts'
import type { EngineOptions } from './engine-options.ts'
import type { Lifecycle } from './lifecycle.ts'
import { type AccessAudit, type AccessTrail, createAccessAudit } from './service/access-audit.ts'
import { Activity } from './service/activity.ts'
import { type BookEventFeed, createChangeFeed } from './service/book-events.ts'
import { BookSync } from './service/book-sync.ts'
import { createHealth } from './service/health.ts'
import { createCheckpointWork, createIdleWork } from './service/idle-work.ts'
import type { LineCarrier } from './service/line-carrier.ts'
import { createSealing, hadKeys, type Sealing } from './service/sealing.ts'
import { createOutdatedWork } from './service/outdated-work.ts'
import { Tasks } from './task/task-access.ts'
import type { VerbTable } from './verb-table.ts'

export interface BookServiceParts {
  readonly options: EngineOptions
  readonly verbs: VerbTable
  readonly store: BookStore
  readonly services: Lifecycle
  readonly events: BookEventFeed
  /** `isDone`: false until the engine has started. */
  readonly start: { readonly isDone: boolean }
}

export function openKeychain(options: EngineOptions, storeOf: () => BookStore): Keychain {
  const { ports, vault } = options
  const names = () => namesOf(options, storeOf())
  const { aes, encapsulation } = ports
  // `storeOf` is called only after the store is open: the store gets this keychain as its sealer.
  const wereHere = () => hadKeys(storeOf())
  return new Keychain({ ...ports, aes, encapsulation, names, vault, wereHere })
}

/**
 * The names of the book for its keychain. `present`: the name to which new seals are bound. A mirrored book has one
 * such name on all devices, also on a device that opens it by another name without the mirror. `earlier`: names under
 * which its keys may have been stored or exported before.
 */
function namesOf({ name, carrier, scope }: EngineOptions, { settings, records }: BookStore): BookNames {
  const mirrored = settings.get(mirrorNameKey)
  const possibleNames = [name, mirrored, readPublicKey(records)?.book, scope.agent]
  return {
    present: carrier ? name : (mirrored ?? name),
    earlier: possibleNames.filter((one) => one !== undefined),
  }
}

/** Adds the book's file and its listeners first, because they close after all other services. */
export function addBookFile({ options, store, services, events, start }: BookServiceParts): void {
  services.add({
    name: 'book file',
    close() {
      // The host closes the file of a book that failed to open, and the file keeps the mark of its last engine.
      if (!start.isDone) return
      if (options.care && !store.newer) store.openMark.markClosed()
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

export function addEmbedding(
  {
    options: { embedder: source, ports, recallWithout: withoutParts },
    store,
    services,
    events,
  }: BookServiceParts,
  secrets: Pick<SecretGuard, 'maskInput'>,
): BookEmbedding | undefined {
  if (!source || store.newer) return undefined
  const embedding = createBookEmbedding({
    store,
    ports,
    source,
    emitProgress: (detail) => events.tell('progress', detail),
    onStateChange: services.stateChanged,
    masked: (question) => String(secrets.maskInput(question)),
    withoutParts,
  })
  const { wake, degradedReason, stop } = embedding
  services.add({ name: 'embedding', idle: wake, degraded: degradedReason, close: stop })
  return embedding
}

export function addSealing(
  { options, verbs, store, services, events }: BookServiceParts,
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
      onState: () => services.stateChanged(),
      onChange() {
        // No ids, and all kinds: any record may be readable or locked now.
        events.tell('change', { ids: [], kinds: [...verbs.kinds.keys()], more: 0 })
        services.stateChanged()
      },
    }),
  )
}

/** Adds the write queue, and the task queue, which writes until it is closed. */
export function addQueues(
  { options, verbs, store, services, events }: BookServiceParts,
  secrets: SecretGuard,
): Tasks {
  const { ports, role = 'device' } = options
  const { clock, random, scheduler } = ports
  const declared = verbs.chapters.flatMap(({ recurring = [] }) => recurring)
  const wanted = [...declared, ...(options.recurring ?? [])]
  services.add({ name: 'write queue', close: () => store.writes.close() })
  return services.add(
    new Tasks({
      clock,
      random,
      scheduler,
      store,
      recurring: wanted.filter(({ at = 'device' }) => (at === 'mirror') === (role === 'mirror')),
      scope: options.scope,
      hostWakesWhenDue: options.wakesTasks,
      // With a `truth`, several engines may run this book and its queue.
      isShared: options.truth !== undefined,
      verbs,
      cover: secrets.maskInput,
      checkNames: secrets.checkNames,
      emit: (detail) => events.tell('task', detail),
      onFault: services.failed,
    }),
  )
}

/** Adds the access log. It closes before the write queue, which then commits pending entries. */
export function addAccessAudit(
  { options, verbs, store, services }: BookServiceParts,
  secrets: Pick<SecretGuard, 'maskInput' | 'maskName'>,
): AccessAudit {
  return services.add(
    createAccessAudit({
      ...options.ports,
      store,
      kinds: verbs.kinds,
      secrets,
      isVerb: (id) => verbs.effectOf(id) !== undefined,
    }),
  )
}

export function addActivity(
  { options, verbs, store, services, events }: BookServiceParts,
  sealing: Sealing,
  secrets: Pick<SecretGuard, 'maskInput' | 'maskName'>,
): Activity {
  return services.add(
    new Activity({
      ...options.ports,
      store,
      sealing,
      secrets,
      isLogged: options.activity ?? true,
      writes: verbs.facts.filter(({ effect }) => effect === 'write').map(({ id }) => id),
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
    new BookSync({
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

/** Adds the services that work in idle moments. */
export function addIdleWork(
  { options, verbs, store, services }: BookServiceParts,
  tasks: Pick<Tasks, 'wake'>,
  isBusy: () => boolean,
): void {
  const { clock, scheduler, log } = options.ports
  if (!store.newer)
    services.add(
      createOutdatedWork({
        kinds: verbs.kinds,
        store,
        clock,
        log,
        wakeTasks: () => tasks.wake(),
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

/**
 * Adds a service that stores the latest time seen in idle moments, for a book that is only read: each write stores it
 * too.
 */
export function addTimeSeen({ options, store, services }: BookServiceParts): TimeSeen {
  const { writes, newer } = store
  const seen = createTimeSeen(store.settings, options.ports.clock)
  let isClosed = false
  services.add<Service>({
    name: 'time',
    idle() {
      if (isClosed || newer || !seen.isStale()) return
      // A failed write is repeated by the next write or idle moment.
      writes.write(() => seen.store()).catch(() => undefined)
    },
    close() {
      isClosed = true
    },
  })
  return seen
}

const ignore = () => undefined
/** The access log has no entry for the work of services, because there is no caller. */
const unlogged: AccessTrail = { admitted: ignore, wrote: ignore, answered: ignore, failed: ignore }
const serviceWork: AnyCapability = {
  id: 'daybook:service',
  methods: [],
  summary: 'The work of a chapter’s service.',
  input: z.undefined(),
  output: z.unknown(),
  effect: 'write',
  uses: ['records', 'pool'],
  run: ignore,
}

/** Adds the services of the chapters. */
export function addChapterServices(
  { verbs, services }: Pick<BookServiceParts, 'verbs' | 'services'>,
  contexts: Pick<CallContexts, 'begin'>,
  transact: Transact,
  parts: Omit<ServiceParts, 'write'>,
): void {
  const allParts: ServiceParts = {
    ...parts,
    write(work) {
      const now = formatTime(parts.clock.now())
      return transact(contexts.begin(serviceWork, undefined, { now, trail: unlogged }, {}), work)
    },
  }
  for (const { services: begin } of verbs.chapters)
    for (const service of begin?.(allParts) ?? []) services.add(service)
}
