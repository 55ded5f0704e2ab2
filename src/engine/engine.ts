// The engine runs one book in one host: the same object in a worker, in a Durable Object and in Node.
// Invariant: `call` is the one door. Every call is looked up, checked, authorised, deduplicated and run here.
import { capabilityTable, kinds } from './capability-table.ts'
import { neverAborted } from '../core/abort.ts'
import type { AnyCapability, Caller, TaskContext, WriteContext } from '../core/capability/capability.ts'
import { DaybookError, isDaybookError, toDaybookError } from '../core/errors.ts'
import type { BookEvent } from '../core/capability/event.ts'
import { checkJson } from '../core/json/json.ts'
import type { Kinds } from '../core/kind.ts'
import { parseWith } from '../core/schema.ts'
import { formatTime } from '../core/time.ts'
import { createMeetingRoom } from '../commons/room/meeting-room.ts'
import { authorise, requestName } from './door/authorise.ts'
import { createChangeFeed } from './service/change-feed.ts'
import { createCheckpointWork } from './service/checkpoint-work.ts'
import { createInboxBell } from '../commons/inbox/inbox-feed.ts'
import type { EngineOptions } from './engine-options.ts'
import { createGuestDesk } from '../trust/admission.ts'
import { createHealth } from './service/health.ts'
import { createMirrorCall } from './context/mirror-call.ts'
import { createHoldings } from './context/transfer-sessions.ts'
import { createIdleWork } from './service/idle-work.ts'
import { createReads } from './door/read-again.ts'
import { withReserve } from './door/reserve.ts'
import { createRecordAccess } from './context/record-access.ts'
import { roomFor } from '../commons/room/guest-room.ts'
import type { CallOptions, Desk, Engine, Seat, View } from './engine-shape.ts'
import { createSealing } from './service/sealing.ts'
import { whenKept } from './door/settled.ts'
import { createStatusFeed } from './service/status-feed.ts'
import { createStatus, evictedText, unlikeEmbedder, unlikeOwner } from './status.ts'
import { createBookEmbedding, noEmbedding } from '../recall/book-embedding.ts'
import { createTasks } from './task/task-access.ts'
import { createRecall } from '../recall/recall.ts'
import { quoteOf } from '../recall/quote.ts'
import { createTextLegs } from '../recall/text-leg.ts'
import { openBookStore } from '../store/book-store.ts'
import { createBackground } from '../sync/device/background.ts'
import { createBookLive, type Live } from '../sync/device/live.ts'
import { createSyncSession, type SyncSession } from '../sync/device/session.ts'
import { isAutomatic, readSyncPlan } from '../sync/device/sync-plan.ts'
import { createSyncTrigger, type SyncTrigger } from '../sync/device/sync-trigger.ts'
import { emptyKeyring } from '../trust/keyring.ts'

export type { EngineOptions } from './engine-options.ts'
export type { Engine } from './engine-shape.ts'

const table: ReadonlyMap<string, AnyCapability> = new Map(
  capabilityTable.map((one) => [one.id, one as AnyCapability]),
)
/** What bundles know of. */
const portableKinds: Kinds = new Map([...kinds].filter(([, { bound }]) => !bound))
const owner: Caller = { role: 'owner' }
/** Anything may have changed. */
const everything = { ids: [], kinds: [...kinds.keys()], more: 0 }

function named(id: string): AnyCapability {
  const capability = table.get(id)
  if (capability) return capability
  throw new DaybookError('unknown-capability', `There is no capability \`${String(id).slice(0, 80)}\`.`, {
    details: { path: 'capability' },
  })
}

/** Opens the book in `options.db` and answers calls on it. */
export function createEngine(options: EngineOptions): Engine {
  const { db, ports, name, scope, durability } = options
  const { role = 'device', truth, keys = emptyKeyring, llm, textLeg = role === 'device' } = options
  const listeners = new Set<(event: BookEvent) => void>()
  const emit = (event: BookEvent) => {
    for (const listener of listeners) listener(event)
  }
  let closed = false
  const plan = readSyncPlan(options.sync ?? { triggers: 'manual' }, kinds)
  const sealing = createSealing({
    ...ports,
    book: name,
    vault: options.vault,
    store: () => store,
    hasMirror: options.carrier !== undefined,
    progress: (detail) =>
      emit({
        name: 'progress',
        detail,
      }),
    onChange: () => [
      emit({
        name: 'change',
        detail: everything,
      }),
      feed.look(),
    ],
  })
  const store = openBookStore(db, {
    kinds: plan.kinds,
    role,
    ports,
    textIndex: textLeg,
    truth,
    onCommit: () => idle.committed(),
    sealer: sealing.keychain,
    openMemory: options.openMemory,
    isMarked: options.care !== undefined,
    wasKept: options.wasKept,
    checkpointFile: options.spare,
  })
  const copying =
    store.checkpoint &&
    createCheckpointWork(store.checkpoint, ports.scheduler, (error) => health?.heard(error))
  const idle = createIdleWork({
    ...ports,
    store,
    after: () => [embedding?.wake(), health?.wake(), copying?.wake()],
    lag: options.lag,
    isBusy: () => session?.isRunning() ?? false,
  })
  const { newer } = store
  const { care } = options
  const health =
    care && !newer
      ? createHealth({
          store,
          ...ports,
          check: care.check,
          onDamage: (reason) => [feed.tell(), care.onDamage?.(reason)],
        })
      : undefined
  // What only reads a book neither syncs it nor fills it in.
  const { carrier, embedder: source } = newer ? {} : options
  if (!newer) idle.opened()
  const changes = createChangeFeed(ports.scheduler, (detail) => emit({ name: 'change', detail }))
  const heard = (id: string, kind: string) => {
    changes.add(id, kind)
    ring(id, kind)
  }
  const session: SyncSession | undefined =
    carrier &&
    createSyncSession({
      store,
      carrier,
      clock: ports.clock,
      selection: plan,
      onChange: heard,
      onState(state, result) {
        emit({ name: 'sync', detail: { ...(trigger?.state() ?? state), ...(result ? { result } : {}) } })
        feed.look()
      },
    })
  const background =
    session &&
    options.spillPlace &&
    createBackground({
      store,
      ...ports,
      place: options.spillPlace,
      selection: plan,
      isAutomatic: isAutomatic(plan),
      onChange: heard,
      onState: () =>
        trigger &&
        emit({
          name: 'sync',
          detail: trigger.state(),
        }),
    })
  const trigger: SyncTrigger | undefined =
    session && createSyncTrigger({ plan, session, background, store, live: () => live?.state(), ...ports })
  const live: Live | undefined =
    trigger &&
    createBookLive({
      store,
      carrier,
      wanted: plan.live,
      ...ports,
      onPoke: trigger.poked,
      onState: () =>
        emit({
          name: 'sync',
          detail: trigger.state(),
        }),
    })
  const atMirror = createMirrorCall(carrier, store, ports.random)
  const holdings = createHoldings(ports)
  const embedding =
    source &&
    createBookEmbedding({
      store,
      ports,
      source,
      tell: (detail) =>
        emit({
          name: 'progress',
          detail,
        }),
      onState: () => feed.look(),
    })
  const accessOf = createRecordAccess({ store, ports, scope })
  const viewOf = (caller: Caller): View => {
    const access = accessOf(caller)
    const { seen } = access
    // Vectors are compared over the whole book, and a model may be made from all of it: they are the owner's.
    const vector = caller.role === 'owner' && embedding ? [embedding.leg] : []
    const legs = [...createTextLegs(seen), ...vector]
    return { access, recall: createRecall({ store: seen, clock: ports.clock, legs }) }
  }
  const ownView = viewOf(owner)
  const ring = createInboxBell(ownView.access.reader, (detail) => emit({ name: 'inbox', detail }))

  const room = createMeetingRoom(ports.clock, (detail) => emit({ name: 'room', detail }))
  for (const event of options.room ?? []) room.apply(event)

  const home: Seat = { tab: options.tab ?? 'here', scope, owner: true }
  const deskOf = ({ caller = owner, seat = home }: CallOptions): Desk => {
    const view = caller.role === 'owner' ? ownView : viewOf(caller)
    return { caller, view, seat, scope: caller.role === 'owner' ? seat.scope : view.access.scope }
  }

  const troubles = () => [health?.degraded(), embedding?.degraded(), sealing.degraded()]
  const status = createStatus({
    name,
    durability,
    store,
    db,
    host: options.storage,
    sync: () => trigger?.state(),
    degraded: (seat) =>
      [
        ...[...troubles(), feed.degraded(), unlikeEmbedder(seat, options.embedder?.name)],
        ...unlikeOwner(seat, {
          mirror: options.mirror,
          llm: llm?.name,
        }),
      ].filter((why) => why !== undefined),
  })
  const feed = createStatusFeed({
    ...ports,
    ...store,
    role,
    why: () => [...troubles(), ...evictedText(store, carrier !== undefined)],
    ask: () => status(deskOf({})),
    emit: (detail) =>
      emit({
        name: 'status',
        detail,
      }),
  })

  /** Writes for a task. The nth of a repeatable one that has a requestId is done once, however often the task is run. */
  const writerOf = (
    { id, repeatable = false }: AnyCapability,
    now: string,
    input: unknown,
    desk: Desk,
    requestId: string | undefined,
  ): TaskContext['write'] => {
    let writes = 0
    return (work) => {
      if (requestId === undefined || !repeatable) return write(now, desk, work)
      const { key, asked } = requestName(`${requestId}/${++writes}`, desk.caller, id)
      return write(now, desk, (at) =>
        store.requests.once({ requestId: key, capability: asked, input, now }, () => work(at)),
      )
    }
  }

  const context = (
    capability: AnyCapability,
    now: string,
    input: unknown,
    desk: Desk,
    { signal = neverAborted, requestId, attempt, onProgress }: CallOptions,
  ): TaskContext => {
    const { caller, scope, view } = desk
    return {
      caller,
      scope,
      rules: view.access.rules,
      ledger: view.access.ledger,
      now,
      durability,
      signal,
      records: view.access.reader,
      tasks: tasks.reader,
      recall: (query) => view.recall(query, signal),
      saying: (record) => quoteOf(kinds, record),
      status: () => status(desk),
      room: roomFor(caller, room.of(desk.seat.tab, requestId)),
      embedStatus() {
        const now = embedding?.status() ?? noEmbedding
        const why = unlikeEmbedder(desk.seat, options.embedder?.name)
        return why === undefined ? now : { ...now, why: [why, now.why].filter(Boolean).join(' ') }
      },
      questionVector: async (text) =>
        caller.role === 'owner' ? embedding?.question(text, signal) : undefined,
      embed: (texts) => embedding?.embed(texts) ?? Promise.reject(new DaybookError('embedder-off')),
      write: writerOf(capability, now, input, desk, requestId),
      progress(step) {
        onProgress?.()
        emit({ name: 'progress', detail: { ...step, capability: capability.id } })
      },
      keys,
      llm: caller.role === 'owner' ? llm : undefined,
      scrub: store.purge.scrub,
      ...(attempt ? { attempt } : {}),
      sync: () => trigger?.sync(signal) ?? Promise.reject(newer?.error() ?? new DaybookError('sync-off')),
      ...(atMirror ? { atMirror: (to, who, asked) => atMirror(to, who, asked, { signal, requestId }) } : {}),
      kinds: portableKinds,
      holdings: holdings.of(caller),
      staging: store.staging,
      digest: ports.digest,
      cipher: ports.cipher,
      random: ports.random,
      seal: sealing.desk,
    }
  }

  const write = async <Result>(
    now: string,
    { caller, scope, view: { access } }: Desk,
    work: (at: WriteContext) => Result,
  ): Promise<Result> => {
    if (newer) throw newer.error()
    const attempt = () =>
      store.writes.write(() => {
        if (caller.role === 'guest') guests.recheck(caller, now)
        const writer = access.writer(now, scope)
        const queued = tasks.writer(now, { caller, scope })
        return {
          result: work({
            caller,
            scope,
            rules: access.rules,
            now,
            durability,
            records: writer.records,
            tasks: queued.tasks,
            ledger: writer.ledger,
          }),
          changed: writer.changed,
          afterTasks: queued.after,
        }
      })
    const { result, changed, afterTasks } = await sealing.withKey(attempt)
    for (const { id, kind } of changed) {
      heard(id, kind)
      trigger?.acted(kind)
    }
    afterTasks()
    if (changed.some(({ kind }) => kinds.get(kind)?.urgent)) pushNow()
    return result
  }

  /** What is urgent does not wait for a trigger. Without a connection it goes with the next sync, ahead of all else. */
  const pushNow = () => void trigger?.sync(neverAborted).catch(() => undefined)
  const guests = createGuestDesk({ ...ports, keys, ledger: ownView.access.ledger })

  const call = async (id: string, input: unknown, given: CallOptions = {}): Promise<unknown> => {
    const callOptions = guests.isAsked(given) ? { ...given, ...(await guests.admit(given)) } : given
    if (sealing.isUnread()) await sealing.begin().then(feed.look)
    if (closed) throw new DaybookError('book-closed')
    const capability = named(id)
    const { requestId, caller = owner, signal } = callOptions
    authorise(caller, capability)
    if (signal?.aborted) throw new DaybookError('aborted')
    trigger?.touched()
    checkJson(input)
    const parsed = parseWith(capability.input, input) as never
    const now = formatTime(ports.clock.now())
    const desk = deskOf(callOptions)
    const perform = async () => {
      if (capability.effect !== 'write') {
        const run = () => capability.run(parsed, context(capability, now, input, desk, callOptions) as never)
        return capability.effect === 'read' ? runRead(run) : run()
      }
      return write(now, desk, (at) => {
        const run = () => capability.run(parsed, at as never)
        if (requestId === undefined) return run()
        const { key, asked } = requestName(requestId, caller, id)
        return store.requests.once({ requestId: key, capability: asked, input, now }, run)
      })
    }
    return withReserve(capability, perform, options.lend)
  }

  /** A call with all that belongs to it. Tasks come this way too, so that what they fail for is known as well. */
  const answer: Engine['call'] = async (id, input, callOptions) => {
    try {
      const answer = call(id, input, callOptions)
      const effect = table.get(id)?.effect
      const value = await (db.settled ? whenKept(db, effect, answer) : answer)
      if (effect === 'write') feed.wrote()
      return value
    } catch (error) {
      health?.heard(error)
      feed.heard(error)
      if (isDaybookError(error, 'storage-full') && store.checkpoint?.giveUp()) options.reopen?.()
      throw toDaybookError(error)
    }
  }

  const runRead = createReads(
    store.projection,
    async () => {
      await new Promise<void>((resolve) => ports.scheduler.soon(resolve))
      if (closed) throw new DaybookError('book-closed')
    },
    options.lag,
  )
  const tasks = createTasks({
    store,
    ports,
    named,
    call: answer,
    isWoken: options.wakesTasks,
    isShared: truth !== undefined,
    tell: (detail) =>
      emit({
        name: 'task',
        detail,
      }),
  })

  return {
    store,
    room,
    admit: guests.admit,
    check: (id, caller) => authorise(caller, named(id)),
    background,
    recheck: (admitted) => guests.recheckAll(admitted, formatTime(ports.clock.now())),
    together: store.writes.together,
    wake() {
      trigger?.wake()
      tasks.wake()
      live?.wake()
    },
    attend: (seen) => live?.attend(seen),
    call: answer,
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      if (closed) return
      closed = true
      idle.stop()
      health?.close()
      feed.close()
      copying?.close()
      holdings.close()
      trigger?.close()
      live?.close()
      embedding?.stop()
      tasks.close()
      store.writes.close()
      sealing.close()
      changes.flush()
      emit({ name: 'closed', detail: { reason: 'closed' } })
      listeners.clear()
      if (care && !newer) store.mark.leave()
      db.close()
    },
  }
}
