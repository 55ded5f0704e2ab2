// What `book.status` answers: the owner learns how the whole book is, a guest how what it sees is, and nothing else.
import type { Guest, Status } from '../core/capability/capability.ts'
import type { EngineOptions } from './engine-options.ts'
import type { Desk, Seat, View } from './engine-shape.ts'
import type { BookStore } from '../store/book-store.ts'
import { schemaVersion } from '../store/schema/schema.ts'

/** More conflicts than this are not counted for a guest. */
const conflictLimit = 1000

interface StatusSource extends Pick<EngineOptions, 'name' | 'durability' | 'db'> {
  readonly store: BookStore
  /** What the host knows of its storage. */
  readonly host: EngineOptions['storage']
  /** The state of sync; undefined when the book has no mirror. */
  readonly sync: () => Status['sync'] | undefined
  /** What does not work as it should, each in words. */
  readonly degraded: (seat: Seat) => string[]
}

export function createStatus(source: StatusSource): (desk: Desk) => Promise<Status> {
  const { name, durability, db, store, host, sync, degraded } = source
  const forGuest = ({ agent }: Guest, { access }: View): Status => {
    const { bytes: usageBytes, pending } = access.seen.queries.usage()
    const conflicts = access.reader.conflicts({ limit: conflictLimit, undecided: true }).length
    const configured = sync() !== undefined
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
  return async ({ caller, view, seat }) => {
    if (caller.role === 'guest') return forGuest(caller, view)
    const { degraded: ofHost = [], ...storage } = (await host?.()) ?? {}
    return {
      name,
      agent: seat.scope.agent,
      durability,
      owner: seat.owner,
      schema: store.newer?.found ?? schemaVersion,
      records: store.queries.counts(),
      usageBytes: db.sizeBytes(),
      ...storage,
      unindexed: store.projection.behind(),
      ...checkpointAt(),
      sync: sync() ?? {
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
        ...evictedText(store, sync() !== undefined),
        ...ofHost,
        ...degraded(seat),
      ],
    }
  }
}

/** What is told of a book that the browser took away, until the mirror has given back what it has. */
export function evictedText({ settings }: BookStore, isMirrored: boolean): string[] {
  const at = settings.get('evicted')
  if (at === undefined || (settings.get('synced_at') ?? '') > at) return []
  const rest = isMirrored ? 'It is read again from the mirror.' : 'What was not exported or synced is gone.'
  return [`evicted: this browser had a book of this name, and on ${at} its files were missing. ${rest}`]
}

/** What the owner of a book is told that newer code wrote. */
function readOnlyText({ newer, projection }: BookStore): string[] {
  if (!newer) return []
  const behind = projection.behind()
  const left = behind > 0 ? ` ${behind} of its records can't be searched for.` : ''
  return [
    `book-newer: schema ${newer.found} is of a newer Daybook than this one. It is read as it stands, and neither written nor synced.${left}`,
  ]
}

/** What a tab is told whose mirror or language model is not the one that works for the book. */
export function unlikeOwner(
  seat: Seat,
  used: { mirror?: string | undefined; llm?: string | undefined },
): string[] {
  return (
    [
      ['mirror', 'sync'],
      ['llm', 'llm'],
    ] as const
  ).flatMap(([what, option]) => {
    const [wanted, has = 'none'] = [seat[what], used[what]]
    if (wanted === undefined || wanted === has) return []
    return [
      `${option}: this tab was opened with \`${wanted}\`, but the tab that holds the book has \`${has}\`, which is used.`,
    ]
  })
}

/** What a tab is told whose embedder is not the one that works for the book, because another tab holds it. */
export function unlikeEmbedder({ embedder: wanted }: Seat, used = 'none'): string | undefined {
  if (wanted === undefined || wanted === used) return undefined
  return `embedder: this tab was opened with \`${wanted}\`, but the tab that holds the book has \`${used}\`, which is used.`
}
