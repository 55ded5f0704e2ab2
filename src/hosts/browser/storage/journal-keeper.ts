// Keeps the commits of a database in memory: what changed goes to the journal, in the order of the commits, together with
// whatever was committed while it was on its way.
// Invariants: what is promised is kept before it is said. When a promise can't be kept the keeper breaks: from then on the
// memory is ahead of the journal, nothing more is begun on it, and the book must be opened again from what was kept.
import { DaybookError, isDaybookError, toDaybookError } from '../../../core/errors.ts'
import {
  extentBytes,
  type Journal,
  pageBytes,
  type PageChange,
  type Snapshot,
} from '../../../core/journal.ts'
import type { Scheduler } from '../../../core/ports.ts'
import type { PageImage } from './page-image.ts'

/** Appended since the last snapshot, at most; opening reads all of it again. */
const snapshotBytes = 8 << 20
/** When nothing was committed for a while, and at the end, less is folded in as well. */
const idleBytes = 1 << 20
const idleMs = 2000
/** What forgetting may add, and how far beyond the limit in all. */
const tombstoneBytes = 4 * pageBytes
const overdraw = 1.1

export interface JournalKeeper {
  /** Follows each commit. Throws when the keeper broke: what was about to begin was not begun. */
  settle(): void
  /**
   * Resolves when everything committed so far is kept. A `write` is promised: it rejects with what kept it from being kept,
   * and the keeper breaks. A `read` rejects with `storage-failed` once the keeper broke; where the storage is full it is
   * answered from memory, which then has nothing that was promised and only derived rows that were not kept.
   */
  settled(what: 'read' | 'write'): Promise<void> | undefined
  /** What was overwritten or cut off shall not stand in the journal either. */
  rewrite(): void
  /** Calls `hear` once the keeper breaks. */
  watchFault(hear: () => void): void
  /** Resolves when nothing is on its way any more. Nothing may be committed after the call. */
  finish(): Promise<void>
}

interface Round {
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: DaybookError) => void
  isPromised: boolean
}

function createRound(): Round {
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  // Whether anybody waits for it is not known here.
  done.catch(() => undefined)
  return { done, resolve, reject, isPromised: false }
}

export interface JournalKeeperOptions {
  readonly scheduler: Pick<Scheduler, 'later'>
  /**
   * A write that makes the database larger than this is refused with `storage-full`, before the browser would refuse
   * anything. What was not promised may go beyond it: what is derived for a read must find space. Default: none.
   */
  readonly limitBytes?: number
}

/**
 * `image` is what `journal` had kept, `appended` since its last snapshot, and is written by nobody but one connection of
 * SQLite.
 */
export function createJournalKeeper(
  journal: Journal,
  image: PageImage,
  appended: readonly PageChange[],
  { scheduler, limitBytes = Infinity }: JournalKeeperOptions,
): JournalKeeper {
  let keptBytes = usedBytes(image)
  /** Extents that differ from the snapshot. */
  const stale = new Set<number>()
  let appendedBytes = 0
  const note = (numbers: readonly number[]) => {
    for (const number of numbers) stale.add(Math.floor((number * pageBytes) / extentBytes))
    appendedBytes += numbers.length * pageBytes
  }
  for (const { numbers } of appended) note(numbers)

  let current: Round | undefined
  let next: Round | undefined
  let broken: DaybookError | undefined
  let isRunning = false
  let isFull = false
  let isFinishing = false
  let mustRewrite = false
  let hearFault: () => void = () => undefined
  let cancelIdle: (() => void) | undefined

  const extents = (): Snapshot['extents'] => {
    const count = Math.ceil(image.sizeBytes / extentBytes)
    // Copies: the image goes on while they are on their way.
    return [...stale]
      .filter((index) => index < count)
      .map((index) => [index, image.extent(index).slice()] as const)
  }

  /** False when there was no space for one: what it would have folded in stays where it is, and takes less. */
  const keepSnapshot = async (sizeBytes: number) => {
    mustRewrite = false
    // The last extent may have been cut within.
    if (sizeBytes > 0) stale.add(Math.floor((sizeBytes - 1) / extentBytes))
    try {
      await journal.snapshot({ sizeBytes, extents: extents() })
    } catch (error) {
      if (!isDaybookError(error, 'storage-full')) throw error
      appendedBytes = Infinity
      return false
    }
    stale.clear()
    appendedBytes = 0
    return true
  }

  /** Beyond the limit a write may do with less, or with a little more: what is forgotten leaves a tombstone. */
  const allowedBytes = () =>
    Math.max(limitBytes, keptBytes, Math.min(keptBytes + tombstoneBytes, limitBytes * overdraw))

  /** One transaction of the journal. Between two tasks no transaction of SQLite is open: the image is what was committed. */
  const keep = async ({ isPromised }: Round) => {
    const change = image.take()
    note(change.numbers)
    try {
      const used = usedBytes(image)
      if (isPromised && used > allowedBytes()) throw new DaybookError('storage-full')
      const isDue = mustRewrite || appendedBytes > snapshotBytes
      if (!isDue || !(await keepSnapshot(change.sizeBytes))) await journal.append(change)
      keptBytes = used
    } catch (error) {
      image.giveBack(change.numbers)
      throw error
    }
  }

  const isWanted = () => (image.isChanged || mustRewrite) && (!isFull || next?.isPromised === true)

  const run = async () => {
    cancelIdle?.()
    isRunning = true
    // Whoever committed says in the same task whether he promised it.
    await Promise.resolve()
    while (broken === undefined && isWanted()) {
      const round = next ?? createRound()
      current = round
      next = undefined
      try {
        await keep(round)
        isFull = false
        current = undefined
        round.resolve()
      } catch (error) {
        current = undefined
        const why = toDaybookError(error)
        if (isDaybookError(why, 'storage-full') && !round.isPromised) {
          isFull = true
          round.resolve()
          excuseReads()
        } else fail(why, round)
      }
    }
    isRunning = false
    if (broken === undefined && !isFull && !isFinishing) cancelIdle = scheduler.later(idleMs, foldIn)
  }

  /** The storage is full, and nothing was promised of what comes next: who waits for it only wanted to read. */
  const excuseReads = () => {
    if (next?.isPromised !== false) return
    next.resolve()
    next = undefined
  }

  const fail = (why: DaybookError, round: Round) => {
    broken = why
    // First those who can have the book opened again, so that whoever is refused below can already wait for that.
    hearFault()
    for (const one of [round, next]) one?.reject(why)
    next = undefined
  }

  const start = () => {
    if (!isRunning && broken === undefined && isWanted()) void run()
  }

  const roundUnderWay = (): Round | undefined => current

  const foldIn = () => {
    if (appendedBytes < idleBytes) return
    mustRewrite = true
    start()
  }

  return {
    settle() {
      // Not begun, and so safe to be asked of whoever has the book next.
      if (broken) throw new DaybookError('book-closed', undefined, { cause: broken })
      start()
    },
    settled(what) {
      if (broken) return Promise.reject(what === 'write' ? broken : unsound(broken))
      if (what === 'read' && isFull) return undefined
      if (image.isChanged || mustRewrite) next ??= createRound()
      const round = next ?? current
      if (!round) return undefined
      if (what === 'write') round.isPromised = true
      start()
      if (what === 'write') return round.done
      return round.done.catch((error: unknown) => {
        throw unsound(error)
      })
    },
    rewrite() {
      mustRewrite = true
    },
    watchFault(hear) {
      hearFault = hear
    },
    async finish() {
      isFinishing = true
      cancelIdle?.()
      foldIn()
      while (broken === undefined && (current || isWanted())) {
        start()
        await roundUnderWay()?.done.catch(() => undefined)
      }
    },
  }
}

/** What a database takes without its free pages, which SQLite counts at this place (https://sqlite.org/fileformat.html). */
const freeCountAt = 36
function usedBytes(image: PageImage): number {
  const count = new Uint8Array(4)
  image.read(count, freeCountAt)
  return image.sizeBytes - new DataView(count.buffer).getUint32(0) * pageBytes
}

/** What those are told who only wanted to read: the book has to be opened again, and can be asked again then. */
function unsound(cause: unknown): DaybookError {
  return new DaybookError('storage-failed', 'What is in memory is not what was kept.', { cause })
}
