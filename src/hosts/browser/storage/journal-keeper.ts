// Stores the commits of a database in memory: writes changed pages to the journal in the order of commits.
// Commits that arrive while a group is being stored form the next group. A journal has a snapshot of the database, in
// extents of 64 pages, and the pages changed since.
// Invariants: a promised write is stored before it is acknowledged. If that fails, the keeper breaks: memory
// is then ahead of the journal, no new work begins, and the book must be reopened from the journal.
import { DaybookError, isDaybookError, toDaybookError } from '../../../core/errors.ts'
import {
  extentBytes,
  type Journal,
  pageBytes,
  type PageChange,
  type PageSnapshot,
} from '../../../core/journal.ts'
import type { Scheduler } from '../../../core/ports.ts'
import type { PageImage } from './page-image.ts'

/** Most bytes of changes after a snapshot, before the next snapshot; opening reads these changes again. */
const snapshotBytes = 8 << 20
/** When idle for `idleMs`, and at the end, this many bytes of changes suffice for a new snapshot. */
const idleBytes = 1 << 20
const idleMs = 2000
/**
 * Bytes that a forgetting write may add; `overdraw`: factor of the limit that such writes may reach in all.
 */
const tombstoneBytes = 4 * pageBytes
const overdraw = 1.1

/** A group of commits that are stored together. */
interface Round {
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: DaybookError) => void
  /** A write waits for the group, so it must be stored. */
  isPromised: boolean
}

function createRound(): Round {
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  // No caller may await it: a rejection must not count as unhandled.
  done.catch(() => undefined)
  return { done, resolve, reject, isPromised: false }
}

export interface JournalKeeperOptions {
  readonly scheduler: Pick<Scheduler, 'later'>
  /**
   * Largest size of the database in bytes. A promised write that would exceed it fails with `storage-full`.
   * Changes that no write waits for may exceed it, because a read may store derived rows. Default: no limit.
   */
  readonly limitBytes?: number
}

export interface JournalKeeperParts {
  readonly journal: Journal
  /** Size of the database in the journal's last snapshot. */
  readonly sizeBytes: number
  /** The image of the database in `journal`; only one SQLite connection writes it. */
  readonly image: PageImage
  /** Changes after the journal's last snapshot. */
  readonly appended: readonly PageChange[]
}

export class JournalKeeper {
  readonly #journal: Journal
  readonly #image: PageImage
  readonly #scheduler: Pick<Scheduler, 'later'>
  readonly #limitBytes: number
  /** Indexes of the extents that differ from the snapshot. */
  readonly #stale = new Set<number>()
  /** Size of the database after the last counted change. */
  #sizeBytes: number
  /** Bytes of the changes after the snapshot; infinite after a snapshot failed, so that the next group tries again. */
  #appendedBytes = 0
  /** Used bytes of the stored database. */
  #storedBytes: number
  /** The group that is being stored, and the group that the next commits belong to. */
  #current: Round | undefined
  #next: Round | undefined
  #broken: DaybookError | undefined
  #isRunning = false
  /** The storage had no space for the last group, which no write waited for. */
  #isFull = false
  #isFinishing = false
  /** The next group must be a snapshot. */
  #mustRewrite = false
  #hearFault: () => void = () => undefined
  #cancelIdle: (() => void) | undefined

  constructor(
    { journal, sizeBytes, image, appended }: JournalKeeperParts,
    { scheduler, limitBytes = Infinity }: JournalKeeperOptions,
  ) {
    this.#journal = journal
    this.#image = image
    this.#scheduler = scheduler
    this.#limitBytes = limitBytes
    this.#storedBytes = usedBytes(image)
    this.#sizeBytes = sizeBytes
    for (const change of appended) this.#note(change)
  }

  /**
   * Starts to store commits. Call it after each commit, and before the next work. Throws `book-closed` if the
   * keeper broke.
   */
  settle(): void {
    // `book-closed` means that the work has not begun, so the next owner may run it.
    if (this.#broken) throw new DaybookError('book-closed', undefined, { cause: this.#broken })
    this.#start()
  }

  /**
   * Resolves when all commits are stored. Returns undefined if they are stored already, and for a `read` on
   * full storage. A `write` is promised: if it can't be stored, the promise rejects with the cause and the
   * keeper breaks. A `read` rejects with `storage-failed` if the keeper broke; on full storage it doesn't,
   * because only derived rows are missing in the journal.
   */
  settled(effect: 'read' | 'write'): Promise<void> | undefined {
    if (this.#broken) return Promise.reject(effect === 'write' ? this.#broken : readFault(this.#broken))
    if (effect === 'read' && this.#isFull) return undefined
    if (this.#image.isChanged || this.#mustRewrite) this.#next ??= createRound()
    const round = this.#next ?? this.#current
    if (!round) return undefined
    if (effect === 'write') round.isPromised = true
    this.#start()
    if (effect === 'write') return round.done
    return round.done.catch((error: unknown) => {
      throw readFault(error)
    })
  }

  /** Makes the next group a snapshot, which removes overwritten and deleted data from the journal. */
  rewrite(): void {
    this.#mustRewrite = true
  }

  /** Calls `hear` when the keeper breaks. */
  watchFault(hear: () => void): void {
    this.#hearFault = hear
  }

  /** Stores the rest, and resolves when all commits are stored or the keeper broke. No commit may follow. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    this.#cancelIdle?.()
    this.#foldIn()
    while (this.#broken === undefined && (this.#current || this.#isWanted())) {
      this.#start()
      await this.#current?.done.catch(() => undefined)
    }
  }

  /** Counts these pages as changed since the snapshot. */
  #note({ sizeBytes, numbers }: PageChange): void {
    // SQLite doesn't write a new page that the same transaction frees, so an extent may be new without a
    // changed page.
    for (let i = Math.floor(this.#sizeBytes / extentBytes); i * extentBytes < sizeBytes; i++)
      this.#stale.add(i)
    this.#sizeBytes = sizeBytes
    for (const number of numbers) this.#stale.add(Math.floor((number * pageBytes) / extentBytes))
    this.#appendedBytes += numbers.length * pageBytes
  }

  #extents(): PageSnapshot['extents'] {
    const count = Math.ceil(this.#image.sizeBytes / extentBytes)
    // Copy the extents: the image changes while they are being stored.
    return [...this.#stale]
      .filter((index) => index < count)
      .map((index) => [index, this.#image.extent(index).slice()] as const)
  }

  /**
   * Stores a snapshot. False on full storage: the caller then appends the change instead, which needs less
   * space.
   */
  async #keepSnapshot(sizeBytes: number): Promise<boolean> {
    this.#mustRewrite = false
    // The last extent may have been cut, so write it too.
    if (sizeBytes > 0) this.#stale.add(Math.floor((sizeBytes - 1) / extentBytes))
    try {
      await this.#journal.snapshot({ sizeBytes, extents: this.#extents() })
    } catch (error) {
      if (!isDaybookError(error, 'storage-full')) throw error
      this.#appendedBytes = Infinity
      return false
    }
    this.#stale.clear()
    this.#appendedBytes = 0
    return true
  }

  /**
   * Largest allowed size after a write. Beyond the limit a write may shrink the book, or add
   * `tombstoneBytes`, because forgetting writes a tombstone.
   */
  #allowedBytes(): number {
    const forgetting = Math.min(this.#storedBytes + tombstoneBytes, this.#limitBytes * overdraw)
    return Math.max(this.#limitBytes, this.#storedBytes, forgetting)
  }

  /**
   * Stores all changes in one transaction of the journal. No SQLite transaction is open between tasks, so the
   * image has whole commits only.
   */
  async #keep({ isPromised }: Round): Promise<void> {
    // The `bytes` of the changed pages, their `numbers` (from 0), and the size of the database.
    const change = this.#image.take()
    this.#note(change)
    try {
      const used = usedBytes(this.#image)
      if (isPromised && used > this.#allowedBytes()) throw new DaybookError('storage-full')
      const isDue = this.#mustRewrite || this.#appendedBytes > snapshotBytes
      if (!isDue || !(await this.#keepSnapshot(change.sizeBytes))) await this.#journal.append(change)
      this.#storedBytes = used
    } catch (error) {
      this.#image.giveBack(change.numbers)
      throw error
    }
  }

  /** Whether a group must be stored now. On full storage only a group that a write waits for is tried. */
  #isWanted(): boolean {
    const isThere = this.#image.isChanged || this.#mustRewrite
    return isThere && (!this.#isFull || this.#next?.isPromised === true)
  }

  #start(): void {
    if (!this.#isRunning && this.#broken === undefined && this.#isWanted()) void this.#run()
  }

  async #run(): Promise<void> {
    this.#cancelIdle?.()
    this.#isRunning = true
    // Wait until the end of the task, in which `settled` may mark the write as promised.
    await Promise.resolve()
    while (this.#broken === undefined && this.#isWanted()) await this.#runRound(this.#next ?? createRound())
    this.#isRunning = false
    if (this.#broken !== undefined || this.#isFull || this.#isFinishing) return
    this.#cancelIdle = this.#scheduler.later(idleMs, () => this.#foldIn())
  }

  async #runRound(round: Round): Promise<void> {
    this.#current = round
    this.#next = undefined
    try {
      await this.#keep(round)
      this.#isFull = false
      this.#current = undefined
      round.resolve()
    } catch (error) {
      this.#current = undefined
      const why = toDaybookError(error)
      if (round.isPromised || !isDaybookError(why, 'storage-full')) return this.#fail(why, round)
      this.#isFull = true
      round.resolve()
      this.#excuseReads()
    }
  }

  /** Resolves waiting reads on full storage: no write waits for this group. */
  #excuseReads(): void {
    if (this.#next?.isPromised !== false) return
    this.#next.resolve()
    this.#next = undefined
  }

  #fail(why: DaybookError, round: Round): void {
    this.#broken = why
    // Start the reopening first, so that the callers refused below can wait for the reopened book.
    this.#hearFault()
    round.reject(why)
    this.#next?.reject(why)
    this.#next = undefined
  }

  /** Starts a new snapshot if the appended changes have `idleBytes`. */
  #foldIn(): void {
    if (this.#appendedBytes < idleBytes) return
    this.#mustRewrite = true
    this.#start()
  }
}

/** Offset of the number of free pages in the header of a database (https://sqlite.org/fileformat.html). */
const freeCountAt = 36

/** Bytes of the database without its free pages. */
function usedBytes(image: PageImage): number {
  const count = new Uint8Array(4)
  image.read(count, freeCountAt)
  return image.sizeBytes - new DataView(count.buffer).getUint32(0) * pageBytes
}

/** The error for readers: they may repeat the read when the book is reopened. */
function readFault(cause: unknown): DaybookError {
  return new DaybookError(
    'storage-failed',
    'The book in memory differs from the stored one: it is reopened.',
    { cause },
  )
}
