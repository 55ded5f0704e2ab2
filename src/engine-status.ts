// What `book.status` answers: the owner learns how the whole book is, a guest how what it sees is, and nothing else.
import type { Guest, Status } from './core/capability.ts'
import type { EngineOptions } from './engine-options.ts'
import type { Desk, Seat, View } from './engine-shape.ts'
import type { BookStore } from './store/book-store.ts'
import { schemaVersion } from './store/schema.ts'

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
      ...{ name, agent, durability, owner: true, schema: schemaVersion, unindexed: 0, degraded: [] },
      ...{ records: access.seen.queries.counts(), usageBytes },
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
  return async ({ caller, view, seat }) => {
    if (caller.role === 'guest') return forGuest(caller, view)
    return {
      ...{ name, agent: seat.scope.agent, durability, owner: seat.owner, schema: schemaVersion },
      records: store.queries.counts(),
      usageBytes: db.sizeBytes(),
      ...(await host?.()),
      unindexed: store.projection.behind(),
      sync: sync() ?? {
        ...{ configured: false, phase: 'off', running: false },
        pending: store.ops.pendingCount(),
        refused: store.ops.refusedCount(),
        conflicts: store.conflicts.count(),
        repairs: store.settings.getNumber('repairs'),
      },
      degraded: degraded(seat),
    }
  }
}

/** What a tab is told whose embedder is not the one that works for the book, because another tab holds it. */
export function unlikeEmbedder({ embedder: wanted }: Seat, used = 'none'): string | undefined {
  if (wanted === undefined || wanted === used) return undefined
  return `embedder: this tab was opened with \`${wanted}\`, but the tab that holds the book has \`${used}\`, which is used.`
}
