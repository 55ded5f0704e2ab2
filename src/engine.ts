// The engine runs one book in one host: the same object in a worker, in a Durable Object and in Node.
// Invariant: `call` is the one door. Every call is looked up, checked, authorised, deduplicated and run here.
import { capabilityTable, kinds } from './capability-table.ts'
import { type AbortSignalLike, neverAborted } from './core/abort.ts'
import type { AnyCapability, Caller, Status, TaskContext, WriteContext } from './core/capability.ts'
import { DaybookError, toDaybookError } from './core/errors.ts'
import type { BookEvent } from './core/event.ts'
import { checkJson } from './core/json.ts'
import type { Carrier, Keyring, Llm, Ports, SqlDatabase } from './core/ports.ts'
import type { Durability, Scope } from './core/record.ts'
import { parseWith } from './core/schema.ts'
import { formatTime } from './core/time.ts'
import { createChangeFeed } from './engine-change.ts'
import { createHoldings } from './engine-holding.ts'
import { createRecordAccess } from './engine-record.ts'
import { createBookEmbedding, type EmbedderSource, noEmbedding } from './recall/embed/book-embedding.ts'
import { createRecall } from './recall/recall.ts'
import { createTextLegs } from './recall/text-leg.ts'
import { type BookStore, openBookStore } from './store/book-store.ts'
import type { Role } from './store/record-store.ts'
import { schemaVersion } from './store/schema.ts'
import { createSyncSession, type SyncSession } from './sync/session.ts'
import { readSyncPlan, type SyncPreferences } from './sync/sync-plan.ts'
import { createSyncTrigger } from './sync/sync-trigger.ts'
import { emptyKeyring } from './trust/keyring.ts'

export interface EngineOptions {
  readonly db: SqlDatabase
  readonly ports: Ports
  readonly name: string
  readonly scope: Scope
  readonly durability: Durability
  readonly role?: Role
  /** Keeps the text index in memory too, for fast recall. Default: on a device, not at the mirror. */
  readonly textLeg?: boolean
  /** The way to the mirror; without one, `sync` is a clear error. */
  readonly carrier?: Carrier
  /** A language model for summaries and profiles; without one, stated algorithms do that work. */
  readonly llm?: Llm | undefined
  /** When and what to sync. Default: only when called. */
  readonly sync?: SyncPreferences
  /** Verifies signatures, and signs where the book's private key is kept. Default: neither. */
  readonly keys?: Keyring
  /** Gives records vectors. Default: none, and recall is by full text alone. */
  readonly embedder?: EmbedderSource | undefined
  /** What only the host knows about its storage. */
  readonly storage?: () => Promise<Partial<Pick<Status, 'persisted' | 'quotaBytes'>>>
}

export interface CallOptions {
  /** A write with a requestId takes effect once, however often it is sent. */
  readonly requestId?: string
  readonly caller?: Caller
  readonly signal?: AbortSignalLike
  /** Where the call comes from, when several tabs share this engine. Default: the tab it runs in. */
  readonly seat?: { readonly scope: Scope; readonly owner: boolean }
}

/** What a page, a route or a tool needs of an engine, wherever it runs. */
export interface Engine {
  call(capabilityId: string, input: unknown, options?: CallOptions): Promise<unknown>
  on(listener: (event: BookEvent) => void): () => void
  /** Makes calls that came together: their writes share a commit, which is made at once. */
  together<Result>(calls: () => Result): Result
  /** The network came back, or the page into view: what waited for that goes on. */
  wake(): void
  /** The store beneath, for the edge's half of sync. Nothing else may go past the door. */
  readonly store: BookStore
  close(): void
}

const table: ReadonlyMap<string, AnyCapability> = new Map(
  capabilityTable.map((one) => [one.id, one as AnyCapability]),
)
const owner: Caller = { role: 'owner' }
/** Derived rows are filled in when no write came for this long, a few at a time so that calls don't wait. */
const idleMs = 60
const idleStepMs = 4
const idleBatch = 100
/** Texts are taken into memory in smaller portions, several at once while that takes less than this long. */
const textBatch = 20
const textSliceMs = 6
const textBatches = 25

/** Opens the book in `options.db` and answers calls on it. */
export function createEngine(options: EngineOptions): Engine {
  const {
    db,
    ports,
    name,
    scope,
    durability,
    role = 'device',
    carrier,
    keys = emptyKeyring,
    llm,
    textLeg = role === 'device',
  } = options
  const listeners = new Set<(event: BookEvent) => void>()
  const emit = (event: BookEvent) => {
    for (const listener of listeners) listener(event)
  }
  let closed = false
  let cancelIdle: (() => void) | undefined
  const deriveWhenIdle = (delayMs = idleMs) => {
    cancelIdle?.()
    cancelIdle = ports.scheduler.later(delayMs, () => {
      if (closed) return
      if (store.projection.step(idleBatch) || takeTexts()) deriveWhenIdle(idleStepMs)
      else embedding?.wake()
    })
  }
  const takeTexts = () => {
    const began = ports.clock.now()
    for (let i = 0; i < textBatches; i++) {
      if (!store.textLeg?.step(textBatch)) return false
      if (ports.clock.now() - began >= textSliceMs) break
    }
    return true
  }
  const store = openBookStore(db, { kinds, role, ports, textLeg, onCommit: () => deriveWhenIdle() })
  deriveWhenIdle()
  const changes = createChangeFeed(ports.scheduler, (detail) => emit({ name: 'change', detail }))
  const plan = readSyncPlan(options.sync ?? { triggers: 'manual' }, kinds)
  const session: SyncSession | undefined =
    carrier &&
    createSyncSession({
      store,
      carrier,
      clock: ports.clock,
      selection: plan,
      onChange: changes.add,
      onState: (state, result) =>
        emit({ name: 'sync', detail: { ...(trigger?.state() ?? state), ...(result ? { result } : {}) } }),
    })
  const trigger = session && createSyncTrigger({ plan, session, store, ...ports })
  const access = createRecordAccess({ store, ports, scope })
  const holdings = createHoldings(ports)
  const embedding =
    options.embedder &&
    createBookEmbedding({
      ...{ store, ports, source: options.embedder },
      onProgress: ({ embedded: done, total }) =>
        emit({
          name: 'progress',
          detail: { done, total, what: 'Records with a vector', capability: 'embed:status' },
        }),
    })
  const legs = [...createTextLegs(store), ...(embedding ? [embedding.leg] : [])]
  const recall = createRecall({ store, clock: ports.clock, legs })

  const home = { scope, owner: true }
  const status = async (seat: typeof home): Promise<Status> => {
    const storage = (await options.storage?.()) ?? {}
    return {
      name,
      agent: seat.scope.agent,
      durability,
      owner: seat.owner,
      schema: schemaVersion,
      records: store.queries.counts(),
      usageBytes: db.sizeBytes(),
      ...storage,
      unindexed: store.projection.behind(),
      sync: trigger?.state() ?? {
        configured: false,
        phase: 'off',
        running: false,
        pending: store.ops.pendingCount(),
        conflicts: store.conflicts.count(),
        repairs: store.settings.getNumber('repairs'),
      },
      degraded: [],
    }
  }

  /** Writes for a task. The nth of a repeatable one that has a requestId is done once, however often the task is run. */
  const writerOf = (
    { id, repeatable = false }: AnyCapability,
    now: string,
    input: unknown,
    { caller = owner, seat = home, requestId }: CallOptions,
  ): TaskContext['write'] => {
    let writes = 0
    return (work) => {
      if (requestId === undefined || !repeatable) return write(now, caller, seat.scope, work)
      const nth = `${requestId}/${++writes}`
      return write(now, caller, seat.scope, (at) => store.requests.once(nth, id, input, now, () => work(at)))
    }
  }

  const context = (
    capability: AnyCapability,
    now: string,
    input: unknown,
    callOptions: CallOptions,
  ): TaskContext => {
    const { caller = owner, signal = neverAborted, seat = home } = callOptions
    return {
      caller,
      scope: seat.scope,
      now,
      durability,
      signal,
      records: access.reader,
      recall: (query) => recall(query, signal),
      status: () => status(seat),
      embedStatus: () => embedding?.status() ?? noEmbedding,
      embed: (texts) => embedding?.embed(texts) ?? Promise.reject(new DaybookError('embedder-off')),
      write: writerOf(capability, now, input, callOptions),
      progress: (step) => emit({ name: 'progress', detail: { ...step, capability: capability.id } }),
      keys,
      llm,
      sync: () => trigger?.sync(signal) ?? Promise.reject(new DaybookError('sync-off')),
      kinds,
      holdings: holdings.of(caller),
      staging: store.staging,
      digest: ports.digest,
      cipher: ports.cipher,
      random: ports.random,
    }
  }

  const write = async <Result>(
    now: string,
    caller: Caller,
    scope: Scope,
    work: (at: WriteContext) => Result,
  ): Promise<Result> => {
    const { result, changed } = await store.writes.write(() => {
      const writer = access.writer(now, scope)
      return {
        result: work({ caller, scope, now, durability, records: writer.records }),
        changed: writer.changed,
      }
    })
    for (const { id, kind } of changed) {
      changes.add(id, kind)
      trigger?.acted(kind)
    }
    return result
  }

  const call = async (id: string, input: unknown, callOptions: CallOptions = {}): Promise<unknown> => {
    if (closed) throw new DaybookError('book-closed')
    const capability = table.get(id)
    if (!capability) {
      throw new DaybookError('unknown-capability', `There is no capability \`${String(id).slice(0, 80)}\`.`, {
        details: { path: 'capability' },
      })
    }
    const { requestId, caller = owner, seat = home } = callOptions
    if (caller.role !== 'owner') throw new DaybookError('forbidden')
    if (callOptions.signal?.aborted) throw new DaybookError('aborted')
    trigger?.touched()
    checkJson(input)
    const parsed = parseWith(capability.input, input) as never
    const now = formatTime(ports.clock.now())
    if (capability.effect !== 'write')
      return capability.run(parsed, context(capability, now, input, callOptions) as never)
    return write(now, caller, seat.scope, (at) => {
      const run = () => capability.run(parsed, at as never)
      return requestId === undefined ? run() : store.requests.once(requestId, id, input, now, run)
    })
  }

  return {
    store,
    together: store.writes.together,
    wake: () => trigger?.wake(),
    async call(id, input, callOptions) {
      try {
        return await call(id, input, callOptions)
      } catch (error) {
        throw toDaybookError(error)
      }
    },
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      if (closed) return
      closed = true
      cancelIdle?.()
      holdings.close()
      trigger?.close()
      embedding?.stop()
      store.writes.close()
      changes.flush()
      emit({ name: 'closed', detail: { reason: 'closed' } })
      listeners.clear()
      db.close()
    },
  }
}
