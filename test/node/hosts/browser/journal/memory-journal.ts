// A journal on a shelf in memory, with everything that was on the shelf after each change, and faults where a test wants them.
import { DaybookError } from '../../../../../src/core/errors.ts'
import {
  extentBytes,
  type Journal,
  type StoredPages,
  type PageChange,
  type PageSnapshot,
  type PlacedExtent,
} from '../../../../../src/core/journal.ts'

/** What is kept. Never changed, only replaced: what was kept earlier can still be opened. */
export interface Shelf {
  readonly writer: number
  readonly sizeBytes: number
  readonly extents: readonly PlacedExtent[]
  readonly changes: readonly PageChange[]
}

/** What happens to a change instead of being kept: refused for want of room, or lost with or without having arrived. */
export type JournalFault = 'full' | 'lost' | 'arrived' | undefined

export class MemoryJournals {
  /** The last is what is kept now. */
  readonly shelves: Shelf[]
  /** How many changes were snapshots. */
  snapshots = 0
  fault: () => JournalFault = () => undefined
  /** Let go of before each change is kept. */
  gate: () => Promise<unknown> = () => Promise.resolve()

  constructor(start: Shelf = { writer: 0, sizeBytes: 0, extents: [], changes: [] }) {
    this.shelves = [start]
  }

  get shelf(): Shelf {
    return this.shelves.at(-1) as Shelf
  }

  open(): Journal {
    const last = Math.ceil(this.shelf.sizeBytes / extentBytes) - 1
    if ((this.shelf.extents.at(-1)?.[0] ?? -1) !== last)
      throw new DaybookError('storage-failed', 'Parts of the book are missing.')
    const writer = this.shelf.writer + 1
    this.shelves.push({ ...this.shelf, writer })
    const nothing: StoredPages = { sizeBytes: 0, extents: [], changes: [] }
    const { sizeBytes, extents, changes } = this.shelf
    let kept: StoredPages = { sizeBytes, extents, changes }
    let state: 'open' | 'broken' | 'closed' = 'open'
    const keep = async (next: (shelf: Shelf) => Shelf) => {
      await this.gate()
      if (state !== 'open') throw new DaybookError('storage-failed', `The journal is ${state}.`)
      if (this.shelf.writer !== writer) throw new DaybookError('open-elsewhere')
      const fault = this.fault()
      if (fault === 'full') throw new DaybookError('storage-full')
      if (fault !== 'lost') this.shelves.push(next(this.shelf))
      if (fault === undefined) return
      state = 'broken'
      throw new DaybookError('storage-failed', 'The connection was lost.')
    }
    return {
      takeStored() {
        const taken = kept
        kept = nothing
        return taken
      },
      append: (change) => keep((shelf) => ({ ...shelf, changes: [...shelf.changes, change] })),
      snapshot: async (snapshot) => {
        await keep((shelf) => folded(shelf, snapshot))
        this.snapshots += 1
      },
      close: () => void (state = 'closed'),
    }
  }
}

function folded(shelf: Shelf, { sizeBytes, extents: given }: PageSnapshot): Shelf {
  const rows = new Map([...shelf.extents, ...given])
  const end = Math.ceil(sizeBytes / extentBytes)
  const extents = [...rows].filter(([index]) => index < end).sort(([a], [b]) => a - b)
  return { ...shelf, sizeBytes, extents, changes: [] }
}
