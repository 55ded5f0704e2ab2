// What `book.status` answers: the owner learns how the whole book is, a guest how what it sees is, and nothing else.
import type { Guest } from '../core/capability/caller.ts'
import type { Status } from '../core/capability/status.ts'
import type { EngineOptions } from './engine-options.ts'
import type { CallView } from './context/call.ts'
import { roomSizeText } from '../commons/room/room-size.ts'
import type { RoomSize } from '../core/capability/port/room-port.ts'
import { unlikeOwner } from './unlike-tab.ts'
import type { BookStore } from '../store/book-store.ts'
import { schemaVersion } from '../store/schema/schema.ts'

/** More conflicts than this are not counted for a guest. */
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
  /** How large the meeting room is that all tabs share. */
  readonly roomSize: () => RoomSize
  /** The state of sync; undefined when the book has no mirror. */
  readonly sync: (() => Status['sync']) | undefined
  /** What does not work as it should, each in words. */
  readonly degraded: () => readonly string[]
}

export function createStatus(source: StatusSource): (view: CallView) => Promise<Status> {
  const { options, store, sync } = source
  const { name, durability, db, storage: host } = options
  const configured = sync !== undefined
  const forGuest = ({ agent }: Guest, { access }: CallView): Status => {
    const { bytes: usageBytes, pending } = access.seen.queries.usage()
    const conflicts = access.reader.conflicts({ limit: conflictLimit, undecided: true }).length
    return {
      name,
      agent,
      durability,
      owner: true,
      schema: schemaVersion,
      unindexed: 0,
      degraded: [],
      records: access.seen.queries.counts(),
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
  const checkpointAt = () => {
    const at = store.checkpoint?.completeAt()
    return at === undefined ? {} : { checkpointAt: at }
  }
  return async (view) => {
    const { caller, tab } = view
    if (caller.role === 'guest') return forGuest(caller, view)
    const { degraded: ofHost = [], ...storage } = (await host?.()) ?? {}
    return {
      name,
      agent: tab.scope.agent,
      durability,
      owner: tab.owner,
      schema: store.newer?.found ?? schemaVersion,
      records: store.queries.counts(),
      usageBytes: db.sizeBytes(),
      ...storage,
      unindexed: store.projection.behind(),
      ...checkpointAt(),
      ...(store.guests.isCounting() ? { guestQuota: store.guests.state() } : {}),
      sync: sync?.() ?? {
        configured: false,
        phase: 'off',
        running: false,
        pending: store.ops.pendingCount(),
        refused: store.ops.refusedCount(),
        conflicts: store.conflicts.count(),
        repairs: store.settings.getNumber('repairs'),
      },
      degraded: [
        ...readOnlyText(store),
        ...evictedText(store, configured),
        ...ofHost,
        ...source.degraded(),
        ...unlikeOwner(tab, { ...options, room: roomSizeText(source.roomSize()) }),
      ],
    }
  }
}

/** The warning of a book whose files are missing or empty, until the mirror has given back what it has. */
export function evictedText({ settings }: Pick<BookStore, 'settings'>, isMirrored: boolean): string[] {
  const at = settings.get('evicted')
  if (at === undefined || (settings.get('synced_at') ?? '') > at) return []
  const rest = isMirrored ? 'It is read again from the mirror.' : 'What was not exported or synced is gone.'
  return [
    `evicted: there was a book of this name here, and on ${at} its files were missing or empty. ${rest}`,
  ]
}

/** What the owner of a book is told that newer code wrote. */
function readOnlyText({ newer, projection }: Pick<BookStore, 'newer' | 'projection'>): string[] {
  if (!newer) return []
  const behind = projection.behind()
  const left = behind > 0 ? ` ${behind} of its records can't be searched for.` : ''
  return [
    `book-newer: schema ${newer.found} is of a newer Daybook than this one. It is read as it stands, and neither written nor synced.${left}`,
  ]
}
