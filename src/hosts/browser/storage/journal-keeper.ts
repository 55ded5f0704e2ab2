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

export interface JournalKeeperParts {
  readonly journal: Journal
  /** What `journal` had kept; nobody writes it but one connection of SQLite. */
  readonly image: PageImage
  /** What was appended since the journal's last snapshot. */
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
  #keptBytes: number
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
    this.#keptBytes = usedBytes(image)
    for (const { numbers } of appended) this.#note(numbers)
  }

  /** Follows each commit. Throws when the keeper broke: what was about to begin was not begun. */
  settle(): void {
    // Not begun, and so safe to be asked of whoever has the book next.
    if (this.#broken) throw new DaybookError('book-closed', undefined, { cause: this.#broken })
    this.#start()
  }

  /**
   * Resolves when everything committed so far is kept. A `write` is promised: it rejects with what kept it from being kept,
   * and the keeper breaks. A `read` rejects with `storage-failed` once the keeper broke; where the storage is full it is
   * answered from memory, which then has nothing that was promised and only derived rows that were not kept.
   */
  settled(what: 'read' | 'write'): Promise<void> | undefined {
    if (this.#broken) return Promise.reject(what === 'write' ? this.#broken : unsound(this.#broken))
    if (what === 'read' && this.#isFull) return undefined
    if (this.#image.isChanged || this.#mustRewrite) this.#next ??= createRound()
    const round = this.#next ?? this.#current
    if (!round) return undefined
    if (what === 'write') round.isPromised = true
    this.#start()
    if (what === 'write') return round.done
    return round.done.catch((error: unknown) => {
      throw unsound(error)
    })
  }

  /** What was overwritten or cut off shall not stand in the journal either. */
  rewrite(): void {
    this.#mustRewrite = true
  }

  /** Calls `hear` once the keeper breaks. */
  watchFault(hear: () => void): void {
    this.#hearFault = hear
  }

  /** Resolves when nothing is on its way any more. Nothing may be committed after the call. */
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

  #extents(): Snapshot['extents'] {
    const count = Math.ceil(this.#image.sizeBytes / extentBytes)
    // Copies: the image goes on while they are on their way.
    return [...this.#stale]
      .filter((index) => index < count)
      .map((index) => [index, this.#image.extent(index).slice()] as const)
  }

  /** False when there was no space for one: what it would have folded in stays where it is, and takes less. */
  async #keepSnapshot(sizeBytes: number): Promise<boolean> {
    this.#mustRewrite = false
    // The last extent may have been cut within.
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

  /** Beyond the limit a write may do with less, or with a little more: what is forgotten leaves a tombstone. */
  #allowedBytes(): number {
    const forgetting = Math.min(this.#keptBytes + tombstoneBytes, this.#limitBytes * overdraw)
    return Math.max(this.#limitBytes, this.#keptBytes, forgetting)
  }

  /** One transaction of the journal. Between two tasks no transaction of SQLite is open: the image is what was committed. */
  async #keep({ isPromised }: Round): Promise<void> {
    const change = this.#image.take()
    this.#note(change.numbers)
    try {
      const used = usedBytes(this.#image)
      if (isPromised && used > this.#allowedBytes()) throw new DaybookError('storage-full')
      const isDue = this.#mustRewrite || this.#appendedBytes > snapshotBytes
      if (!isDue || !(await this.#keepSnapshot(change.sizeBytes))) await this.#journal.append(change)
      this.#keptBytes = used
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
    // Whoever committed says in the same task whether the write is promised.
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

  /** The storage is full, and nothing was promised of what comes next: who waits for it only wanted to read. */
  #excuseReads(): void {
    if (this.#next?.isPromised !== false) return
    this.#next.resolve()
    this.#next = undefined
  }

  #fail(why: DaybookError, round: Round): void {
    this.#broken = why
    // First those who can have the book opened again, so that whoever is refused below can already wait for that.
    this.#hearFault()
    round.reject(why)
    this.#next?.reject(why)
    this.#next = undefined
  }

  /** When nothing was committed for a while, and at the end: what was appended becomes part of the snapshot. */
  #foldIn(): void {
    if (this.#appendedBytes < idleBytes) return
    this.#mustRewrite = true
    this.#start()
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
