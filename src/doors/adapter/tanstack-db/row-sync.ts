// Updates a collection when the book changes.
// Invariant: reads run one after another, so an older read never overwrites a newer one. An unchanged row is not
// written again.
import type { LoadSubsetOptions, SyncConfig } from '@tanstack/db'
import { DaybookError, endsReading, toDaybookError } from '../../../core/errors.ts'
import { type Predicate, matchesFilter, parseFilters } from '../../../core/filter/filter.ts'
import { canonicalText } from '../../../core/text/canonical-json.ts'
import type { Json } from '../../../core/json/path.ts'
import { RowReader } from './row-reader.ts'
import {
  type CollectionBook,
  type FoundRecord,
  type RowKey,
  type RowSource,
  supersededBy,
} from './row-source.ts'
import { subsetFilter } from './subset-filter.ts'

export type SyncParams = Parameters<SyncConfig<object, RowKey>['sync']>[0]

interface Parts {
  readonly book: CollectionBook
  readonly source: RowSource
  readonly isOnDemand: boolean
  readonly onError: ((error: DaybookError) => void) | undefined
}

interface KnownRow {
  readonly key: RowKey
  readonly mark: string
  /** The id of the record that this record supersedes and hides. */
  readonly supersedes: string | undefined
}

/** A subset that live queries requested. A record that matches `predicate` later joins the collection. */
interface Part {
  readonly predicate: Predicate
  count: number
  /** True if all records of the subset are loaded. */
  isWhole: boolean
}

const shortestDelayMs = 50
/** Maximum delay of the timer: one day. `setTimeout` allows at most 24 days. */
const longestDelayMs = 86_400_000

export class RowSync {
  readonly #parts: Parts
  readonly #params: SyncParams
  readonly #reader: RowReader
  /** Rows of the collection by record id. */
  readonly #rows = new Map<string, KnownRow>()
  readonly #subsets = new Map<string, Part>()
  /** Marks of invalid records by id, so that each is reported once. */
  readonly #unread = new Map<string, string>()
  readonly #off: readonly (() => void)[]
  #queue: Promise<unknown> = Promise.resolve()
  #changed = new Set<string>()
  #isAllChanged = false
  /** The queued read of changes that has not begun. */
  #waiting: Promise<void> | undefined
  /** Expiry times by record id, in milliseconds since 1970. The book emits no event when a record expires. */
  readonly #expiring = new Map<string, number>()
  #cancelExpiry: () => void = () => undefined
  #isReady = false
  #isEnded = false

  constructor(parts: Parts, params: SyncParams) {
    this.#parts = parts
    this.#params = params
    this.#reader = new RowReader(parts.book, parts.source)
    // Subscribe before the first read, so that no write between is missed.
    const { book, source } = parts
    this.#off = [
      book.on('change', ({ ids, kinds, more, unreadable = [] }) => {
        if (!kinds.includes(source.kind)) return
        // First remove rows that the caller may no longer read: the next read may fail or wait.
        if (unreadable.length > 0) this.#drop(unreadable.map(({ id }) => id))
        for (const id of ids) this.#changed.add(id)
        if (more > 0 || ids.length === 0) this.#isAllChanged = true
        this.#follow()
      }),
      // After a failed read, retry on the next status: the book may be unlocked now, or another tab may own it.
      book.on('status', () => this.#isAllChanged && this.#follow()),
      book.on('closed', ({ reason, code }) =>
        this.#fail(
          new DaybookError(code === 'book-erased' || code === 'unauthorized' ? code : 'book-closed', reason),
        ),
      ),
    ]
  }

  /** Starts the first read. An on-demand collection reads nothing, and is ready at once. */
  start(): void {
    if (this.#parts.isOnDemand) return this.#ready()
    this.#isAllChanged = true
    this.#follow()
  }

  end(): void {
    this.#isEnded = true
    this.#cancelExpiry()
    for (const off of this.#off) off()
  }

  /** Reads the records of `ids` again, and updates the collection. Rejects if the read fails. */
  refresh(ids: Iterable<string>): Promise<void> {
    for (const id of ids) this.#changed.add(id)
    return this.#later()
  }

  /** Reads all rows and requested subsets again. */
  refetch(): Promise<void> {
    this.#isAllChanged = true
    return this.#later()
  }

  loadSubset(query: LoadSubsetOptions): true | Promise<void> {
    const part = this.#partOf(query)
    part.count += 1
    if (part.isWhole && !query.refetch) return true
    return this.#inTurn(async () => {
      const found = await this.#reader.subset(query)
      if (query.signal?.aborted) return
      this.#put(found)
      if (query.limit === undefined) part.isWhole = true
    })
  }

  /** Ends a subset of `loadSubset`. Its rows stay and are updated; records that match later don't join. */
  unloadSubset(query: LoadSubsetOptions): void {
    const key = this.#keyOf(query)
    const part = this.#subsets.get(key)
    if (part && --part.count === 0) this.#subsets.delete(key)
  }

  #keyOf({ where }: LoadSubsetOptions): string {
    return canonicalText((subsetFilter(where, this.#parts.source).filters ?? null) as Json)
  }

  #partOf(query: LoadSubsetOptions): Part {
    const key = this.#keyOf(query)
    const found = this.#subsets.get(key)
    if (found) return found
    const { filters } = subsetFilter(query.where, this.#parts.source)
    const part = { predicate: parseFilters(filters), count: 0, isWhole: false }
    this.#subsets.set(key, part)
    return part
  }

  /** Queues a read of changes. `#fail` reports its error. */
  #follow(): void {
    this.#later().catch(() => undefined)
  }

  /** Queues one read of all changes that arrive before it begins. */
  #later(): Promise<void> {
    this.#waiting ??= this.#inTurn(async () => {
      this.#waiting = undefined
      const ids = this.#changed
      const isAll = this.#isAllChanged
      this.#changed = new Set()
      this.#isAllChanged = false
      try {
        await (isAll ? this.#readAll() : this.#readSome(ids))
        this.#ready()
      } catch (error) {
        this.#isAllChanged = true
        this.#fail(toDaybookError(error))
        throw error
      }
    })
    return this.#waiting
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    const turn = this.#queue.then(() => (this.#isEnded ? undefined : task()))
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  async #readAll(): Promise<void> {
    const { isOnDemand } = this.#parts
    const held = [...this.#rows.keys()]
    const needsAll = !isOnDemand || this.#subsets.size > 0
    const found = await (needsAll ? this.#reader.all() : this.#reader.some(held))
    this.#put(
      found.filter((record) => this.#isWanted(record)),
      new Set(held),
    )
    if (isOnDemand) this.#params.invalidateLoadedSubsets()
  }

  async #readSome(ids: ReadonlySet<string>): Promise<void> {
    const wanted = new Set(ids)
    if (this.#parts.source.canSupersede) {
      const links = await this.#reader.superseded([...ids])
      // A record that was never a row is gone. It may have hidden another record, which is visible again: read all.
      if ([...ids].some((id) => !links.has(id) && !this.#rows.has(id))) return this.#readAll()
      for (const id of ids) {
        for (const other of [links.get(id), this.#rows.get(id)?.supersedes])
          if (other !== undefined) wanted.add(other)
      }
    }
    const found = await this.#reader.some([...wanted])
    this.#put(
      found.filter((record) => this.#isWanted(record)),
      wanted,
    )
  }

  #isWanted(record: FoundRecord): boolean {
    if (!this.#parts.isOnDemand || this.#rows.has(record.id)) return true
    return [...this.#subsets.values()].some(({ predicate }) => matchesFilter(predicate, record))
  }

  /** Inserts or updates the rows of `records`, and removes the rows of `wanted` (ids) that `records` lacks. */
  #put(records: readonly FoundRecord[], wanted: ReadonlySet<string> = new Set()): void {
    if (this.#isEnded) return
    const { source } = this.#parts
    const writes: (() => void)[] = []
    const { write } = this.#params
    const gone = new Set(wanted)
    for (const record of records) {
      const { id } = record
      const read = this.#rowOf(record)
      if (!read) continue
      gone.delete(id)
      const mark = source.markOf(record)
      const row = this.#rows.get(id)
      if (row?.mark === mark) continue
      this.#rows.set(id, { key: read.key, mark, supersedes: supersededBy(record) })
      const expires = Date.parse(String(record[source.expires ?? '']))
      if (Number.isNaN(expires)) this.#expiring.delete(id)
      else this.#expiring.set(id, expires)
      const type = row ? 'update' : 'insert'
      writes.push(() => write({ type, value: read.row }))
    }
    for (const id of gone) {
      const row = this.#rows.get(id)
      if (!row) continue
      this.#rows.delete(id)
      this.#expiring.delete(id)
      writes.push(() => write({ type: 'delete', key: row.key }))
    }
    if (writes.length > 0) {
      this.#params.begin()
      for (const one of writes) one()
      this.#params.commit()
    }
    this.#awaitExpiry()
  }

  /**
   * Returns the row of a record. Undefined: the record belongs to no row. Reports an invalid record once, and leaves
   * it out.
   */
  #rowOf(record: FoundRecord): ReturnType<RowSource['rowOf']> {
    const { source, onError } = this.#parts
    try {
      const read = source.rowOf(record)
      this.#unread.delete(record.id)
      return read
    } catch (error) {
      const { id } = record
      const mark = source.markOf(record)
      if (this.#unread.get(id) === mark) return undefined
      this.#unread.set(id, mark)
      const message = `The record \`${id}\` can't be read as a row, and is left out: ${toDaybookError(error).message}`
      onError?.(new DaybookError('invalid-input', message, { details: { id } }))
      return undefined
    }
  }

  /** Sets the timer that reads records again when they expire. */
  #awaitExpiry(): void {
    this.#cancelExpiry()
    if (this.#expiring.size === 0) return
    const next = Math.min(...this.#expiring.values())
    // A record may stay after its time if clocks differ: wait at least `shortestDelayMs` between reads.
    const delay = Math.min(Math.max(next + 1 - Date.now(), shortestDelayMs), longestDelayMs)
    const timer = setTimeout(() => {
      const now = Date.now()
      for (const [id, time] of this.#expiring) if (time <= now) this.#changed.add(id)
      if (this.#changed.size > 0) this.#follow()
      else this.#awaitExpiry()
    }, delay)
    this.#cancelExpiry = () => clearTimeout(timer)
  }

  #ready(): void {
    if (this.#isEnded || this.#isReady) return
    this.#isReady = true
    this.#params.markReady()
  }

  /** Queues the removal of the rows of `ids`. */
  #drop(ids: readonly string[]): void {
    void this.#inTurn(async () => this.#put([], new Set(ids)))
  }

  /**
   * Reports an error to `onError`. Before the first successful read, also marks the collection as failed. Rows stay,
   * unless the right to read ended.
   */
  #fail(error: DaybookError): void {
    if (this.#isEnded) return
    if (endsReading(error)) this.#drop([...this.#rows.keys()])
    if (!this.#isReady) this.#params.markError(error)
    this.#parts.onError?.(error)
  }
}
