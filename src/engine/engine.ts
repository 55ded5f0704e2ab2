// The engine runs one book in one host: the same object in a worker, in a Durable Object and in Node.
// Invariant: `call` is the one door, for tasks too: see door/call.ts. Here everything is only put together.
import { utcZone } from '../core/calendar/zone.ts'
import { DaybookError } from '../core/errors.ts'
import type { Kinds } from '../core/kind.ts'
import { formatTime } from '../core/time.ts'
import { type BookStore, openBookStore } from '../store/book-store.ts'
import { readSyncPlan } from '../sync/device/sync-plan.ts'
import { Admission } from '../trust/admission.ts'
import { emptyKeyring } from '../trust/keyring.ts'
import {
  addAccessAudit,
  addActivity,
  addBookFile,
  addEmbedding,
  addHealth,
  addIdleWork,
  addQueues,
  addSealing,
  addSync,
  openKeychain,
} from './book-services.ts'
import { chapters, findCapability, kinds } from './capability-table.ts'
import { createCallContexts, owner } from './context/call-context.ts'
import { createMirrorCall, createMirrorRead } from './context/mirror-call.ts'
import { createPoolAccess } from './pool-access.ts'
import { createRecordAccess } from './context/record-access.ts'
import { createSecretGuard } from './context/secret-guard.ts'
import { createTransact } from './context/transact.ts'
import { createTransferSessions } from './context/transfer-sessions.ts'
import { authorise } from './door/authorise.ts'
import { createCallPath } from './door/call.ts'
import { createReads } from './door/read-again.ts'
import { createEndOfBook } from './end-of-book.ts'
import type { EngineOptions } from './engine-options.ts'
import type { Engine } from './engine-shape.ts'
import { createLifecycle } from './lifecycle.ts'
import { addTimeSeen } from './service/time-keeping.ts'
import { createConsentGate } from './service/consent-gate.ts'
import { createBookEvents } from './service/book-events.ts'
import { createBookRoom } from './service/book-room.ts'
import { addChapterServices } from './chapter-services.ts'
import { waysOf } from './service/line-carrier.ts'
import { createStatusFeed } from './service/status-feed.ts'
import { createStatus, evictedText } from './status.ts'

export type { EngineOptions } from './engine-options.ts'
export type { Engine } from './engine-shape.ts'

/** Kinds of record that may leave this copy of the book. */
const portable: Kinds = new Map([...kinds].filter(([, { bound }]) => !bound))

/** Opens the book in `options.db` and answers calls on it. */
export function createEngine(options: EngineOptions): Engine {
  const { ports, scope, role = 'device', keys = emptyKeyring } = options
  const { clock, random, scheduler, digest } = ports
  const plan = readSyncPlan(options.sync ?? { triggers: 'manual' }, kinds)
  const services = createLifecycle()
  const events = createBookEvents()
  const keychain = openKeychain(options, () => store)
  const store: BookStore = openBookStore(options.db, {
    kinds,
    role,
    ports,
    zone: options.zone,
    textIndex: options.textIndex ?? role === 'device',
    truth: options.truth,
    quotas: options.quotas,
    onCommit: services.committed,
    sealer: keychain,
    openMemory: options.openMemory,
    isAudited: options.isAudited,
    ...fileOf(options),
  })

  const parts = { options, store, services, events }
  addBookFile(parts)
  addHealth(parts)
  const embedding = addEmbedding(parts)
  const sealing = addSealing(parts, keychain)
  const secrets = createSecretGuard(options.secrets, keychain)
  const tasks = addQueues(parts, secrets)
  const audit = addAccessAudit(parts, secrets)
  const activity = addActivity(parts, sealing, secrets)
  const room = createBookRoom(parts)
  const { line, carriers } = waysOf(options)
  const sync = addSync(parts, plan, room.device, line)
  addIdleWork(parts, tasks, () => sync?.isRunning() ?? false)
  const sessions = services.add(createTransferSessions(ports))

  const seen = addTimeSeen(parts, clock)
  const consent = createConsentGate({ store, ports, seen, zone: options.zone ?? utcZone })
  const accessOf = createRecordAccess({ store, ports, scope, secrets, renew: consent.renew })
  const { ledger, reader: records } = accessOf(owner)
  const admission = new Admission({ clock, digest, keys, ledger, seen, owner: scope.agent })
  const pool = createPoolAccess({ store, options: { ...options, carriers }, keys, random })
  const transact = createTransact({
    store,
    seen,
    admission,
    consent,
    sealing,
    tasks,
    services,
    pool,
    tell: events.tell,
  })
  const status = createStatus({
    options,
    store,
    roomSize: room.size,
    sync: sync?.state,
    degraded: () => [...services.degraded(), ...room.degraded()],
  })
  const contexts = createCallContexts({
    ports,
    seen,
    store,
    options,
    kinds: { all: kinds, portable },
    accessOf,
    transact,
    embedding,
    keys,
    sealing,
    tasks,
    sessions,
    room,
    pool,
    sync: (signal, direction) =>
      sync?.sync(signal, direction) ?? Promise.reject(store.newer?.error() ?? new DaybookError('sync-off')),
    audit,
    activity,
    consent,
    readMirror: createMirrorRead(options.carrier, random),
    end: createEndOfBook({ options, sync, events }),
    askMirror: store.newer ? undefined : createMirrorCall(options.carrier, store, random),
    status,
    tell: events.tell,
  })
  services.add(
    createStatusFeed({
      scheduler,
      role,
      settings: store.settings,
      why: () => [...services.degraded(), ...evictedText(store, sync !== undefined)],
      ask: () => status(contexts.own),
      tell: (detail) => events.tell('status', detail),
    }),
  )
  addChapterServices({
    ...ports,
    chapters,
    contexts,
    transact,
    services,
    records,
    keys,
    pool,
    carriers,
    isDevice: role === 'device' && !store.newer,
    tell: events.tell,
  })

  const pause = async () => {
    await new Promise<void>((resolve) => scheduler.soon(resolve))
    if (services.isClosed()) throw new DaybookError('book-closed')
  }
  const call = createCallPath({
    db: options.db,
    clock,
    place: {
      role,
      hasKeys: async () => keychain.state() !== 'off' || (await keys.signer()) !== undefined,
    },
    requests: store.requests,
    admission,
    consent,
    audit,
    activity,
    secrets,
    sealing,
    contexts,
    transact,
    runRead: createReads(store.projection, pause, options.lag),
    services,
    useReserve: options.useReserve,
  })
  tasks.begin(call)

  return {
    store,
    room: room.copies,
    meeting: room.mirror,
    call,
    admit: (presented) => admission.admit(presented),
    check: (id, caller) => authorise(caller, findCapability(id)),
    recheck: (admitted) => admission.recheckAll(admitted, formatTime(clock.now())),
    background: sync?.background,
    together: (work) => store.writes.together(work),
    wake: services.wake,
    attend: (seen) => sync?.attend(seen),
    on: events.on,
    audit: { note: audit.note, flush: audit.flush, claimant: (claimed) => admission.claimant(claimed) },
    close: services.close,
  }
}

/** What a store is told of the file of its book. */
const fileOf = ({ care, wasKept, checkpointFile }: EngineOptions) => ({
  isMarked: care !== undefined,
  wasKept,
  checkpointFile,
})
