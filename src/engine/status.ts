// The state of a book: the answer of `book.status`, and the event `status`. The owner gets the state of the whole
// book, a guest the state of the records that it sees.
import { roomSizeText } from '../commons/room/room-size.ts'
import type { Guest } from '../core/capability/caller.ts'
import type { StatusPort } from '../core/capability/context.ts'
import type { BookEvents } from '../core/capability/event.ts'
import type { RoomSize } from '../core/capability/port/room-port.ts'
import type { Service } from '../core/capability/chapter.ts'
import type { EmbedStatus, Status } from '../core/capability/status.ts'
import { defined } from '../core/defined.ts'
import { isDaybookError } from '../core/errors.ts'
import type { Scheduler } from '../core/ports.ts'
import { noEmbedding } from '../recall/book-embedding.ts'
import type { BookStore } from '../store/book-store.ts'
import { schemaVersion } from '../store/schema/schema.ts'
import type { CallView } from './context/call.ts'
import type { EngineOptions } from './engine-options.ts'
import type { CallingTab } from './engine-shape.ts'

/** A guest's conflicts are counted up to this number. */
const conflictLimit = 1000

type StatusStore = Pick<
  BookStore,
  'newer' | 'queries' | 'guests' | 'projection' | 'checkpoint' | 'ops' | 'conflicts' | 'settings'
>

export interface StatusSource {
  readonly options: Pick<
    EngineOptions,
    'name' | 'durability' | 'db' | 'storage' | 'embedder' | 'mirror' | 'llm'
  >
  readonly store: StatusStore
  readonly embedding: { status(): EmbedStatus } | undefined
  /** The size of the meeting room, which all tabs share. */
  readonly roomSize: () => RoomSize
  /** The state of sync; undefined if the book has no mirror. */
  readonly sync: (() => Status['sync']) | undefined
  /** The faults of the services, one text for each. */
  readonly degraded: () => readonly string[]
}

export function createStatus(source: StatusSource): (view: CallView) => StatusPort {
  return (view) => ({
    book: async () =>
      view.caller.role === 'guest'
        ? guestStatus(source, view.caller, view)
        : ownerStatus(source, view, (await source.options.storage?.()) ?? {}),
    embedder() {
      const now = source.embedding?.status() ?? noEmbedding
      const why = otherEmbedder(view.tab, source.options)
      return why === undefined ? now : { ...now, why: [why, now.why].filter(Boolean).join(' ') }
    },
  })
}

/** A guest is shown nothing of the tabs, the index, the faults and the runs of sync: those fields are constants. */
function guestStatus({ options, sync }: StatusSource, { agent }: Guest, { access }: CallView): Status {
  const { bytes: usageBytes, pending } = access.seen.queries.usage()
  const conflicts = access.sync.conflicts({ limit: conflictLimit, undecided: true }).length
  const configured = sync !== undefined
  return {
    name: options.name,
    agent,
    durability: options.durability,
    owner: true,
    schema: schemaVersion,
    unindexed: 0,
    degraded: [],
    records: access.seen.queries.countsByKind(),
    usageBytes,
    sync: {
      configured,
      running: false,
      phase: configured ? 'idle' : 'off',
      pending,
      refused: 0,
      conflicts,
      repairs: 0,
    },
  }
}

function ownerStatus(
  { options, store, sync, degraded, roomSize }: StatusSource,
  { tab }: CallView,
  { degraded: ofHost = [], ...storage }: Awaited<ReturnType<NonNullable<EngineOptions['storage']>>>,
): Status {
  const checkpointAt = store.checkpoint?.completeAt()
  return {
    name: options.name,
    agent: tab.scope.agent,
    durability: options.durability,
    owner: tab.owner,
    schema: store.newer?.schemaVersion ?? schemaVersion,
    records: store.queries.countsByKind(),
    usageBytes: options.db.sizeBytes(),
    ...storage,
    unindexed: store.projection.lagCount(),
    ...defined({ checkpointAt }),
    ...(store.guests.hasPayers() ? { guestQuota: store.guests.readQuotaState() } : {}),
    sync: sync?.() ?? {
      configured: false,
      phase: 'off',
      running: false,
      pending: store.ops.pendingCount(),
      refused: store.ops.refusedCount(),
      conflicts: store.conflicts.undecidedCount(),
      repairs: store.settings.getNumber('repairs'),
    },
    degraded: [
      ...readOnlyText(store),
      ...evictedText(store, sync !== undefined),
      ...ofHost,
      ...degraded(),
      ...otherOptions(tab, { ...options, room: roomSizeText(roomSize()) }),
    ],
  }
}

/** A warning if the book's files were missing or empty at an opening, until the first sync after that. */
export function evictedText({ settings }: Pick<BookStore, 'settings'>, isMirrored: boolean): string[] {
  const at = settings.get('evicted')
  if (at === undefined || (settings.get('synced_at') ?? '') > at) return []
  const rest = isMirrored ? 'It is read again from the mirror.' : 'What was not exported or synced is gone.'
  return [
    `evicted: there was a book of this name here, and on ${at} its files were missing or empty. ${rest}`,
  ]
}

/** A warning if a newer version of Daybook wrote the book. */
function readOnlyText({ newer, projection }: Pick<BookStore, 'newer' | 'projection'>): string[] {
  if (!newer) return []
  const behind = projection.lagCount()
  const missing = behind > 0 ? ` ${behind} of its records can't be searched for.` : ''
  return [
    `book-newer: schema ${newer.schemaVersion} is of a newer Daybook than this one. It is read as it stands, and neither written nor synced.${missing}`,
  ]
}

type UsedOptions = Pick<EngineOptions, 'embedder' | 'mirror' | 'llm'> & { readonly room: string }

/**
 * Warns about each option of `tab` that differs from the engine's: the options of the tab that owns the engine apply.
 */
function otherOptions(tab: CallingTab, used: UsedOptions): string[] {
  return [
    otherEmbedder(tab, used),
    otherOption('sync', tab.mirror, used.mirror),
    otherOption('llm', tab.llm, used.llm?.name),
    otherOption('room', tab.room, used.room),
  ].filter((why) => why !== undefined)
}

const otherEmbedder = (tab: CallingTab, { embedder }: Pick<EngineOptions, 'embedder'>) =>
  otherOption('embedder', tab.embedder, embedder?.name)

function otherOption(option: string, wanted: string | undefined, used = 'none'): string | undefined {
  if (wanted === undefined || wanted === used) return undefined
  return `${option}: this tab or process was opened with \`${wanted}\`, but the one that holds the book has \`${used}\`, which is used.`
}

export interface StatusFeedParts {
  readonly scheduler: Pick<Scheduler, 'later'>
  readonly settings: BookStore['settings']
  readonly role: 'device' | 'mirror'
  /** The faults that are known without a call of the host, with the faults of this feed. */
  readonly why: () => readonly string[]
  /** Returns the status of the book, with the faults that the host reports. */
  readonly ask: () => Promise<Status>
  readonly tell: (detail: BookEvents['status']) => void
}

/** Faults at the opening are reported after this delay: listeners are added by then. */
const firstTellMs = 500

/**
 * Sends one event `status` when a fault appears or ends, also if several parts notice it. A change of numbers in a
 * fault's text, such as progress, sends no event.
 */
export function createStatusFeed(parts: StatusFeedParts): Service {
  const { scheduler, settings, role, why, ask, tell } = parts
  let isFull = false
  let closed = false
  let cancel: (() => void) | undefined
  const withoutNumbers = () => why().join('\n').replaceAll(/\d+/g, '')
  let last = withoutNumbers()

  const tellNow = () => {
    last = withoutNumbers()
    void ask().then(
      ({ owner, durability, degraded }) => closed || tell({ owner, durability, degraded }),
      () => undefined,
    )
  }
  // Check later, when the caller's work has ended: several parts often notice the same fault.
  const look = () => {
    cancel ??= scheduler.later(0, () => {
      cancel = undefined
      if (!closed && withoutNumbers() !== last) tellNow()
    })
  }
  // Settings that the opening stored: the files were missing, or damaged and repaired.
  if (role === 'device' && ['evicted', 'mended'].some((name) => settings.get(name) !== undefined))
    scheduler.later(firstTellMs, () => closed || tellNow())
  const setFull = (now: boolean) => {
    if (isFull === now) return
    isFull = now
    look()
  }
  return {
    name: 'status feed',
    stateChanged: (isCertain) => (isCertain ? tellNow() : look()),
    failed(error) {
      if (isDaybookError(error, 'storage-full')) setFull(true)
    },
    answered(effect) {
      if (effect === 'write') setFull(false)
    },
    degraded: () =>
      isFull
        ? 'storage-full: a write was refused for want of room. The book can be read, and forgetting makes room.'
        : undefined,
    close() {
      closed = true
      cancel?.()
    },
  }
}
