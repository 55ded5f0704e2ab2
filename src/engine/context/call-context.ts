// Builds two parts of a call: its view of the book, and the ports that its capability names in `uses`.
// Invariant: a capability gets only the ports in its `uses`; a guest's port reaches no further than its token.
import { type AbortSignalLike, neverAborted } from '../../core/abort.ts'
import { endingOf, localTime, utcZone } from '../../core/zone.ts'
import type { ArchivePort } from '../../core/capability/port/archive-port.ts'
import type {
  CallPort,
  PortName,
  PortParts,
  ReadPorts,
  StatusPort,
  TaskPorts,
  TaskRecords,
} from '../../core/capability/context.ts'
import type { ChapterPorts, ServiceParts } from '../../core/capability/chapter.ts'
import type { RecallPort, RecallQuery } from '../../core/capability/port/recall-port.ts'
import type { Caller } from '../../core/capability/caller.ts'
import type { PoolPort } from '../../core/pool.ts'
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { SyncDirection, SyncResult } from '../../core/capability/status.ts'
import { checkCallScope } from '../../core/book.ts'
import { defined } from '../../core/defined.ts'
import { lowestTrust } from '../../core/trusted.ts'
import { DaybookError } from '../../core/errors.ts'
import { isRecallable, kindNameOf, type Kinds } from '../../core/kind.ts'
import type { Keyring, Ports } from '../../core/ports.ts'
import type { Scope } from '../../core/record.ts'
import type { BookEmbedding } from '../../recall/book-embedding.ts'
import type { RecallParts } from '../../recall/explain/recall-parts.ts'
import { quoteOf } from '../../recall/pack.ts'
import type { RecallDeps } from '../../recall/recall.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { TimeSeen } from '../../store/time-seen.ts'
import { formatTime } from '../../core/time.ts'
import type { EndOfBook } from '../end-of-book.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { CallingTab, CallOptions } from '../engine-shape.ts'
import type { AccessAudit, AccessTrail } from '../service/access-audit.ts'
import type { Activity } from '../service/activity.ts'
import type { ConsentGate } from '../service/consent-gate.ts'
import type { BookRoom } from '../service/book-room.ts'
import type { Sealing } from '../service/sealing.ts'
import type { Tasks } from '../task/task-access.ts'
import { type Call, type CallView, namesAgent, requestName } from './call.ts'
import { createLaterRecall } from './later-recall.ts'
import type { createMirrorRead, MirrorCall } from './mirror-call.ts'
import type { RecordAccess } from './record-access.ts'
import type { Transact } from './transact.ts'
import type { TransferSessionStore } from './transfer-sessions.ts'

export const owner: Caller = { role: 'owner' }

export interface CallContextParts {
  readonly ports: Pick<Ports, 'clock' | 'digest' | 'cipher' | 'random' | 'scheduler'>
  readonly seen: Pick<TimeSeen, 'now'>
  readonly store: Pick<BookStore, 'purge' | 'requests' | 'staging'>
  readonly options: Pick<
    EngineOptions,
    'name' | 'archives' | 'durability' | 'scope' | 'tab' | 'llm' | 'embedder' | 'zone' | 'recallWithout'
  >
  /** `all`: every kind. `portable`: the kinds whose records may leave this copy of the book. */
  readonly kinds: { readonly all: Kinds; readonly portable: Kinds }
  readonly accessOf: (caller: Caller) => RecordAccess
  readonly transact: Transact
  readonly embedding: BookEmbedding | undefined
  readonly keys: Keyring
  readonly sealing: Pick<Sealing, 'port'>
  readonly tasks: Pick<Tasks, 'reader'>
  readonly sessions: TransferSessionStore
  readonly room: Pick<BookRoom, 'of'>
  readonly pool: PoolPort
  readonly chapterPorts: Pick<Required<ChapterPorts>, 'read'>
  readonly sync: (signal: AbortSignalLike, direction?: SyncDirection) => Promise<SyncResult>
  readonly askMirror: MirrorCall | undefined
  readonly readMirror: ReturnType<typeof createMirrorRead>
  readonly audit: Pick<AccessAudit, 'port'>
  readonly activity: Pick<Activity, 'port'>
  /** `opensMs`: when an exhausted rate limit of a guest opens again, in milliseconds since 1970 UTC. */
  readonly consent: Pick<ConsentGate, 'decide' | 'opensMs'>
  readonly end: EndOfBook
  readonly runRead: RecallDeps['runRead']
  readonly status: (view: CallView) => StatusPort
  readonly tell: ServiceParts['tell']
}

/** The start of a call: its time (canonical UTC text), and the trail that makes its entry in the access log. */
export interface Begun {
  readonly now: string
  readonly trail: AccessTrail
}

export interface CallContexts {
  /** The owner's view from the tab that the engine runs in. */
  readonly own: CallView
  /** Builds a call of `capability`. Throws `forbidden` if the scope of a guest names another agent. */
  begin(capability: AnyCapability, input: unknown, begun: Begun, options: CallOptions): Call
  /** Context of a read or a task: `call`, and the ports in `uses`. `transact.ts` builds the context of a write. */
  contextOf(call: Call): object
}

/** Builders of the engine's ports. A chapter builds each port that has no builder here. */
type PortBuilders = { readonly [Name in PortName]?: (call: Call) => TaskPorts<PortName>[Name] }

export function createCallContexts(parts: CallContextParts): CallContexts {
  const { accessOf, tell } = parts
  const { durability, scope, tab = 'here', zone = utcZone } = parts.options
  const home: CallingTab = { tab, scope, owner: true }
  const ownAccess = accessOf(owner)
  const ownRecall = recallFor(parts, owner, ownAccess)
  const viewFor = (caller: Caller, tab: CallingTab, requested: Partial<Scope>): CallView => {
    if (caller.role === 'owner')
      return {
        caller,
        tab,
        scope: { ...tab.scope, ...requested },
        access: ownAccess,
        recall: () => ownRecall,
      }
    if (requested.agent !== undefined && requested.agent !== caller.agent) throw notTheHolder(caller.agent)
    const access = accessOf(caller)
    const scope = { ...access.scope, ...requested }
    return { caller, tab, scope, access, recall: () => recallFor(parts, caller, access) }
  }
  const builders = createPortBuilders(parts)
  const ofChapter = parts.chapterPorts.read
  const portOf = (name: PortName, call: Call) =>
    builders[name]?.(call) ?? ofChapter[name as keyof ReadPorts]?.(portParts(parts, call))

  return {
    own: viewFor(owner, home, {}),
    begin(capability, input, { now, trail }, options) {
      const {
        caller = owner,
        from = home,
        scope,
        signal,
        requestId,
        attempt,
        // `here`: over no network; else `https` or `http`.
        way = 'here',
        onProgress,
        onBegin,
      } = options
      const isNamed = caller.role === 'owner' && namesAgent(options)
      const requested = scope ? checkCallScope(scope) : {}
      const isAgent = caller.role === 'guest' || isNamed
      const trust = lowestTrust(isAgent ? 'agent' : undefined, requested.trust, from.scope.trust)
      const view = viewFor(caller, from, { ...requested, ...defined({ trust }) })
      const port: CallPort = {
        caller,
        scope: view.scope,
        namesAgent: isNamed,
        now,
        zone,
        durability,
        signal: signal ?? neverAborted,
        attempt,
        progress(step) {
          onProgress?.()
          tell('progress', { ...step, capability: capability.id })
        },
      }
      return { capability, input, requestId, onBegin, view, trail, port, way, activity: {} }
    },
    contextOf(call) {
      const { effect, uses = [] } = call.capability
      const at: Record<string, unknown> = { call: call.port }
      for (const name of uses)
        at[name] = name === 'records' && effect === 'read' ? call.view.access.reader : portOf(name, call)
      return at
    },
  }
}

function portParts({ consent, room }: CallContextParts, { view, way, requestId }: Call): PortParts {
  const { caller, tab, access } = view
  return {
    caller,
    way,
    ledger: access.ledger,
    decide: (names) => consent.decide(names, way),
    opensMs: () => (caller.role === 'owner' ? undefined : consent.opensMs(caller)),
    room: () => room.of(tab.tab, requestId),
  }
}

/** Error for a guest whose scope names another agent: a guest writes in its own name. */
function notTheHolder(agent: string): DaybookError {
  return new DaybookError('forbidden', `The token is ${agent}'s, and works in no other name.`, {
    details: { path: 'agent' },
  })
}

/**
 * Only the owner gets the vector leg: it compares vectors of the whole book, and the embedder may be trained on the
 * whole book.
 */
function recallFor(
  { ports, options, embedding, runRead }: CallContextParts,
  { role }: Caller,
  { seen }: RecordAccess,
) {
  const { zone, recallWithout: withoutParts } = options
  const otherLegs = role === 'owner' && embedding ? [embedding.leg] : []
  const { clock, scheduler } = ports
  return createLaterRecall({ store: seen, clock, scheduler, zone, withoutParts, runRead }, otherLegs)
}

function createPortBuilders(parts: CallContextParts): PortBuilders {
  const { ports, store, keys, tasks, sessions, status } = parts
  const { digest, random, cipher } = ports
  return {
    records: (call) => taskRecords(parts, call),
    own: ({ view }) => view.access.own,
    recall: (call) => recallPort(parts, call),
    tasks: () => tasks.reader,
    trust: ({ view }) => ({
      ledger: view.access.ledger,
      keys,
      digest,
      random,
      owner: parts.options.scope.agent,
      time: () => formatTime(parts.seen.now()),
      sealing: parts.sealing.port,
    }),
    transfer: ({ view }) => ({
      staging: store.staging,
      sessions: sessions.of(view.caller),
      digest,
      random,
      cipher,
      keys,
      unknownKinds: view.access.unknownKinds,
    }),
    mirror({ port: { now, signal }, requestId }) {
      const { askMirror, readMirror } = parts
      return {
        sync: (direction) => parts.sync(signal, direction),
        ...(askMirror
          ? { ask: (id, agent, input) => askMirror(id, agent, input, { signal, now, requestId }) }
          : {}),
        ...(readMirror ? { read: (id, input) => readMirror(id, input, signal) } : {}),
      }
    },
    end: ({ port: { signal } }) => parts.end(signal),
    archive: () => archivePort(parts.options),
    access: ({ view }) => ({ ...parts.audit.port, reached: view.access.reached }),
    sync: ({ view }) => view.access.sync,
    activity: () => parts.activity.port,
    pool: () => parts.pool,
    status: ({ view }) => status(view),
  }
}

function archivePort({ name, archives }: CallContextParts['options']): ArchivePort {
  return {
    book: name,
    open(target) {
      if (archives) return archives.open(target)
      throw new DaybookError('archive-off')
    },
  }
}

function recallPort(
  { kinds, embedding, options: { llm, recallWithout } }: CallContextParts,
  { view, port, activity }: Call,
): RecallPort {
  const isOwner = view.caller.role === 'owner'
  const completed = ({ at, knownAt, kinds: names, ...query }: RecallQuery): RecallQuery => {
    const [asOf, known] = [at, knownAt].map((time) => time && endingOf(localTime(time, port.zone), port.zone))
    const named = names ? { kinds: names.map((name) => kindNameOf(kinds.all, name)) } : {}
    return { ...query, ...named, ...defined({ at: asOf, knownAt: known }) }
  }
  return {
    ask: (query) => view.recall()(completed(query), port.signal),
    parts: (query) =>
      ({
        query: completed(query),
        recall: view.recall(),
        seen: view.access.seen,
        embedding: isOwner ? embedding : undefined,
        isOwner,
        withoutParts: recallWithout,
        signal: port.signal,
      }) satisfies RecallParts,
    note(note) {
      activity.note = note
    },
    quote: (record, passage) => quoteOf(kinds.all, record, passage),
    isRecalled(record) {
      const kind = kinds.all.get(record.kind)
      return kind !== undefined && isRecallable(kind, record)
    },
    questionVector: async (text) => (isOwner ? embedding?.embedQuestion(text, port.signal) : undefined),
    embed: (texts) => embedding?.embed(texts) ?? Promise.reject(new DaybookError('embedder-off')),
    llm: isOwner ? llm : undefined,
  }
}

/**
 * The records port of a task. If a repeatable task with a `requestId` runs again, its nth write that is `once` has no
 * second effect: the stored answer is found under `requestId/n`.
 */
function taskRecords(
  { store: { purge, requests }, kinds, transact }: CallContextParts,
  call: Call,
): TaskRecords<PortName> {
  const { capability, input, requestId, view, port } = call
  let writes = 0
  return {
    ...view.access.reader,
    kinds: kinds.portable,
    scrub() {
      // Scrubbing is slow in a large book: after a guest's call, idle work scrubs later.
      if (view.caller.role === 'owner' && purge.isDue()) purge.scrub()
    },
    write(work, how = 'once') {
      if (requestId === undefined || !capability.repeatable || how === 'every-run')
        return transact(call, work)
      const { key, capabilityKey } = requestName(`${requestId}/${++writes}`, view.caller, capability.id)
      return transact(call, (at) =>
        requests.once({ requestId: key, capability: capabilityKey, input, now: port.now }, () => work(at)),
      )
    },
  }
}
