// Stores the commits of a database in memory: changed pages go to the journal in the order of commits,
// grouped while an earlier group is being stored.
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

/** Most bytes after a snapshot; opening reads them all again. */
const snapshotBytes = 8 << 20
/** When idle and at the end, smaller amounts are merged into the snapshot too. */
const idleBytes = 1 << 20
const idleMs = 2000
/** Bytes that forgetting may add, and how far beyond the limit in all. */
const tombstoneBytes = 4 * pageBytes
const overdraw = 1.1

interface Round {
  readonly done: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: DaybookError) => void
  isPromised: boolean
}

function createRound(): Round {
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  // Maybe nobody awaits it.
  done.catch(() => undefined)
  return { done, resolve, reject, isPromised: false }
}

export interface JournalKeeperOptions {
  readonly scheduler: Pick<Scheduler, 'later'>
  /**
   * Writes that make the database larger are refused with `storage-full`, before the browser refuses
   * anything. Unpromised changes may exceed it: rows derived for a read must find space. Default: none.
   */
  readonly limitBytes?: number
}

export interface JournalKeeperParts {
  readonly journal: Journal
  /** The image of `journal`; only one SQLite connection writes it. */
  readonly image: PageImage
  /** Changes after the journal's last snapshot. */
  readonly appended: readonly PageChange[]
}

export class JournalKeeper {
  readonly #journal: Journal
  readonly #image: PageImage
  readonly #scheduler: Pick<Scheduler, 'later'>
  readonly #limitBytes: number
  /** Extents that differ from the snapshot. */
  readonly #stale = new Set<number>()
  #appendedBytes = 0
  #storedBytes: number
  #current: Round | undefined
  #next: Round | undefined
  #broken: DaybookError | undefined
  #isRunning = false
  #isFull = false
  #isFinishing = false
  #mustRewrite = false
  #hearFault: () => void = () => undefined
  #cancelIdle: (() => void) | undefined

  constructor(
    { journal, image, appended }: JournalKeeperParts,
    { scheduler, limitBytes = Infinity }: JournalKeeperOptions,
  ) {
    this.#journal = journal
    this.#image = image
    this.#scheduler = scheduler
    this.#limitBytes = limitBytes
    this.#storedBytes = usedBytes(image)
    for (const { numbers } of appended) this.#note(numbers)
  }

  /** Called after each commit. Throws if the keeper broke: the next work was not begun. */
  settle(): void {
    // Not begun, so the next owner may safely run it.
    if (this.#broken) throw new DaybookError('book-closed', undefined, { cause: this.#broken })
    this.#start()
  }

  /**
   * Resolves when all commits are stored. A `write` is promised: it rejects with the cause if it isn't
   * stored, and the keeper breaks. A `read` rejects with `storage-failed` if the keeper broke; on full
   * storage it is answered from memory, where only derived rows are not stored.
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

  /** Removes overwritten and deleted data from the journal too. */
  rewrite(): void {
    this.#mustRewrite = true
  }

  /** Calls `hear` when the keeper breaks. */
  watchFault(hear: () => void): void {
    this.#hearFault = hear
  }

  /** Resolves when nothing is being stored. No commits may follow. */
  async finish(): Promise<void> {
    this.#isFinishing = true
    this.#cancelIdle?.()
    this.#foldIn()
    while (this.#broken === undefined && (this.#current || this.#isWanted())) {
      this.#start()
      await this.#current?.done.catch(() => undefined)
    }
  }

  #note(numbers: readonly number[]): void {
    for (const number of numbers) this.#stale.add(Math.floor((number * pageBytes) / extentBytes))
    this.#appendedBytes += numbers.length * pageBytes
  }

  #extents(): PageSnapshot['extents'] {
    const count = Math.ceil(this.#image.sizeBytes / extentBytes)
    // Copies: the image changes meanwhile.
    return [...this.#stale]
      .filter((index) => index < count)
      .map((index) => [index, this.#image.extent(index).slice()] as const)
  }

  /** False if there was no space: the appended changes stay, which takes less. */
  async #keepSnapshot(sizeBytes: number): Promise<boolean> {
    this.#mustRewrite = false
    // The last extent may have been cut.
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

  /** Beyond the limit a write may shrink the book, or add a little: forgetting leaves a tombstone. */
  #allowedBytes(): number {
    const forgetting = Math.min(this.#storedBytes + tombstoneBytes, this.#limitBytes * overdraw)
    return Math.max(this.#limitBytes, this.#storedBytes, forgetting)
  }

  /**
   * One transaction of the journal. No SQLite transaction is open between tasks, so the image equals the
   * commits.
   */
  async #keep({ isPromised }: Round): Promise<void> {
    const change = this.#image.take()
    this.#note(change.numbers)
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
    // The caller marks the write as promised in the same task.
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

  /** The storage is full and nothing is promised: the waiters only read. */
  #excuseReads(): void {
    if (this.#next?.isPromised !== false) return
    this.#next.resolve()
    this.#next = undefined
  }

  #fail(why: DaybookError, round: Round): void {
    this.#broken = why
    // First trigger the reopening, so that the callers refused below can wait for it.
    this.#hearFault()
    round.reject(why)
    this.#next?.reject(why)
    this.#next = undefined
  }

  /** Merges appended changes into the snapshot when idle and at the end. */
  #foldIn(): void {
    if (this.#appendedBytes < idleBytes) return
    this.#mustRewrite = true
    this.#start()
  }
}

/**
 * Size of a database without its free pages, which SQLite counts at this offset
 * (https://sqlite.org/fileformat.html).
 */
const freeCountAt = 36
function usedBytes(image: PageImage): number {
  const count = new Uint8Array(4)
  image.read(count, freeCountAt)
  return image.sizeBytes - new DataView(count.buffer).getUint32(0) * pageBytes
}

/** Error for readers: the book must be reopened, then they can ask again. */
function readFault(cause: unknown): DaybookError {
  return new DaybookError(
    'storage-failed',
    'The book in memory differs from the stored one: it is reopened.',
    { cause },
  )
}
