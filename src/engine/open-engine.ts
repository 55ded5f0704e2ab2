// Opens an engine, which runs one book in one host with the verbs of a table: the same engine in a worker, in a
// Durable Object and in Node.
// Invariant: every call, also the call of a task, takes the path in door/call.ts. This file only puts the parts
// together.
import { utcZone } from '../core/zone.ts'
import { DaybookError } from '../core/errors.ts'
import { formatTime } from '../core/time.ts'
import { type BookStore, openBookStore } from '../store/book-store.ts'
import { parseSyncPlan } from '../sync/device/sync-plan.ts'
import { Admission } from '../trust/admission.ts'
import { emptyKeyring } from '../trust/keyring.ts'
import {
  addAccessAudit,
  addActivity,
  addBookFile,
  addChapterServices,
  addEmbedding,
  addHealth,
  addIdleWork,
  addQueues,
  addSealing,
  addSync,
  addTimeSeen,
  openKeychain,
} from './book-services.ts'
import { createCallContexts, owner } from './context/call-context.ts'
import { createMirrorCall, createMirrorRead } from './context/mirror-call.ts'
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
import { createPoolAccess } from './pool-access.ts'
import { createBookEvents } from './service/book-events.ts'
import { createBookRoom } from './service/book-room.ts'
import { ConsentGate } from './service/consent-gate.ts'
import { poolTransportsOf } from './service/line-carrier.ts'
import { createStatus, createStatusFeed, evictedText } from './status.ts'
import type { VerbTable } from './verb-table.ts'

/** Opens the book in `options.db`; the engine answers calls of `verbs` on that book. */
export function openEngine(options: EngineOptions, verbs: VerbTable): Engine {
  const book = openBook(options, verbs)
  try {
    const engine = startEngine(book)
    book.start.isDone = true
    return engine
  } catch (error) {
    book.services.close()
    throw error
  }
}

/** Adds the services of the book, and returns its engine. If it throws, close the services that it added. */
function startEngine(book: Book): Engine {
  const { options, verbs, store, services, events } = book
  const work = addBookWork(book)
  const { room, sync, audit, tasks } = work
  const access = createBookAccess(book, work)
  const { admission } = access
  const contexts = createBookContexts(book, work, access)
  addServices(book, work, access, contexts)
  const call = createBookCalls(book, work, access, contexts)
  tasks.begin(call)
  return {
    store,
    room: room.copies,
    meeting: room.mirror,
    call,
    admit: (presented) => admission.admit(presented),
    check: (id, caller) => authorise(caller, verbs.find(id)),
    recheck: (admitted) => admission.recheckIdentity(admitted, formatTime(options.ports.clock.now())),
    background: sync?.background,
    together: (work) => store.writes.commitTogether(work),
    wake: services.wake,
    attend: (seen) => sync?.attend(seen),
    on: events.on,
    audit: {
      note: audit.note,
      flush: audit.flush,
      claimedCaller: (claimed) => admission.claimedCaller(claimed),
    },
    close: services.close,
  }
}

type Book = ReturnType<typeof openBook>
type Work = ReturnType<typeof addBookWork>
type Access = ReturnType<typeof createBookAccess>
type Contexts = ReturnType<typeof createBookContexts>

function openBook(options: EngineOptions, verbs: VerbTable) {
  const { ports, role = 'device', keys = emptyKeyring, care, existedBefore, checkpointFile } = options
  const services = createLifecycle()
  const keychain = openKeychain(options, () => store)
  const store: BookStore = openBookStore(options.db, {
    kinds: verbs.kinds,
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
    writesOpenMark: care !== undefined,
    existedBefore,
    checkpointFile,
  })
  const start = { isDone: false }
  return { options, verbs, role, keys, store, services, keychain, events: createBookEvents(), start }
}

/** Adds the services of the book. They are notified in this order, and closed in reverse order. */
function addBookWork(book: Book) {
  const { options, verbs, services, keychain } = book
  const plan = parseSyncPlan(options.sync ?? { triggers: 'manual' }, verbs.kinds)
  addBookFile(book)
  addHealth(book)
  const secrets = createSecretGuard(options.secrets, keychain)
  const embedding = addEmbedding(book, secrets)
  const sealing = addSealing(book, keychain)
  const tasks = addQueues(book, secrets)
  const audit = addAccessAudit(book, secrets)
  const activity = addActivity(book, sealing, secrets)
  const room = createBookRoom(book)
  const { line, carriers } = poolTransportsOf(options)
  const sync = addSync(book, plan, room.device, line)
  addIdleWork(book, tasks, () => sync?.isRunning() ?? false)
  const sessions = services.add(createTransferSessions(options.ports))
  return { embedding, sealing, secrets, tasks, audit, activity, room, carriers, sync, sessions }
}

/** Admission, consent, readers and writers. */
function createBookAccess(book: Book, { secrets, sealing, tasks, carriers }: Work) {
  const { options, verbs, store, services, events, keys } = book
  const { ports, scope } = options
  const seen = addTimeSeen(book)
  // A mirror logs syncs that no call runs.
  const uncounted = [
    'daybook:sync',
    ...verbs.facts.filter(({ isUncounted }) => isUncounted).map(({ id }) => id),
  ]
  const consent = new ConsentGate({ store, ports, seen, zone: options.zone ?? utcZone, uncounted })
  const renew: ConsentGate['renew'] = (guest) => consent.renew(guest)
  const accessOf = createRecordAccess({ store, ports, scope, secrets, renew })
  const own = accessOf(owner)
  const admission = new Admission({
    ...ports,
    keys,
    ledger: own.ledger,
    latestTime: seen,
    owner: scope.agent,
  })
  const pool = createPoolAccess({ store, options: { ...options, carriers }, keys, random: ports.random })
  const transact = createTransact({
    store,
    seen,
    admission,
    consent,
    sealing,
    tasks,
    services,
    pool,
    chapterPorts: verbs.ports,
    tell: events.tell,
  })
  return { seen, consent, accessOf, own, admission, pool, transact }
}

function createBookContexts(book: Book, work: Work, access: Access) {
  const { options, verbs, store, services, events, keys } = book
  const { ports, carrier } = options
  const { kinds } = verbs
  const pause = async () => {
    await new Promise<void>((resolve) => ports.scheduler.soon(resolve))
    if (services.isClosed()) throw new DaybookError('book-closed')
  }
  const runRead = createReads(store.projection, pause, options.lag)
  const { room, sync } = work
  const status = createStatus({
    options,
    store,
    embedding: work.embedding,
    roomSize: room.size,
    sync: sync && (() => sync.state()),
    degraded: () => [...services.degraded(), ...room.degraded()],
  })
  const contexts = createCallContexts({
    ...work,
    ...access,
    ports,
    store,
    options,
    keys,
    status,
    chapterPorts: verbs.ports,
    runRead,
    // Records of a bound kind stay in this copy of the book.
    kinds: { all: kinds, portable: new Map([...kinds].filter(([, { bound }]) => !bound)) },
    sync: (signal, direction) =>
      sync?.sync(signal, direction) ?? Promise.reject(store.newer?.error() ?? new DaybookError('sync-off')),
    end: createEndOfBook({ options, sync, events }),
    readMirror: createMirrorRead(carrier, ports.random),
    askMirror: store.newer ? undefined : createMirrorCall(carrier, store, ports.random),
    tell: events.tell,
  })
  return { ...contexts, status, runRead }
}

function addServices(book: Book, { sync, carriers }: Work, access: Access, contexts: Contexts): void {
  const { options, role, store, services, events, keys } = book
  services.add(
    createStatusFeed({
      scheduler: options.ports.scheduler,
      role,
      settings: store.settings,
      why: () => [...services.degraded(), ...evictedText(store, sync !== undefined)],
      ask: () => contexts.status(contexts.own).book(),
      tell: (detail) => events.tell('status', detail),
    }),
  )
  const { transact, pool } = access
  addChapterServices(book, contexts, transact, {
    ...options.ports,
    records: access.own.reader,
    keys,
    pool,
    carriers,
    isDevice: role === 'device' && !store.newer,
    tell: events.tell,
  })
}

function createBookCalls(book: Book, work: Work, access: Access, contexts: Contexts) {
  const { options, verbs, role, store, services, keychain, keys } = book
  const { db, ports, useReserve } = options
  return createCallPath({
    ...work,
    ...access,
    db,
    verbs,
    contexts,
    services,
    useReserve,
    clock: ports.clock,
    place: {
      role,
      hasKeys: async () => keychain.state() !== 'off' || (await keys.signer()) !== undefined,
    },
    requests: store.requests,
    runRead: contexts.runRead,
  })
}
