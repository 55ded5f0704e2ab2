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
  supersededIdOf,
} from './row-source.ts'
import { subsetFilter } from './subset-filter.ts'

export type SyncParams = Parameters<SyncConfig<object, RowKey>['sync']>[0]

interface RowSyncDeps {
  readonly book: CollectionBook
  readonly source: RowSource
  readonly isOnDemand: boolean
  readonly onError: ((error: DaybookError) => void) | undefined
}

interface KnownRow {
  readonly key: RowKey
  readonly hash: string
  /** The id of the record that this record supersedes and hides. */
  readonly supersedes: string | undefined
}

/** A subset that live queries requested. A record that matches `predicate` later joins the collection. */
interface RequestedSubset {
  readonly predicate: Predicate
  useCount: number
  /** True if all records of the subset are loaded. */
  isFullyLoaded: boolean
}

const minExpiryDelayMs = 50
/** Maximum delay of the timer: one day. `setTimeout` allows at most 24 days. */
const maxExpiryDelayMs = 86_400_000

export class RowSync {
  readonly #deps: RowSyncDeps
  readonly #params: SyncParams
  readonly #reader: RowReader
  /** Rows of the collection by record id. */
  readonly #rows = new Map<string, KnownRow>()
  readonly #subsets = new Map<string, RequestedSubset>()
  /** Hashes of invalid records by id, so that each content is reported once. */
  readonly #invalidHashes = new Map<string, string>()
  readonly #unsubscribers: readonly (() => void)[]
  #queue: Promise<unknown> = Promise.resolve()
  /** Ids that the next read reads. */
  #changedIds = new Set<string>()
  /** True: the next read reads all. Also true after a failed read. */
  #isAllChanged = false
  /** The queued read of changes that has not begun. */
  #queuedRead: Promise<void> | undefined
  /** Expiry times by record id, in milliseconds since 1970. The book emits no event when a record expires. */
  readonly #expiryTimes = new Map<string, number>()
  #cancelExpiry: () => void = () => undefined
  #isReady = false
  #isEnded = false

  constructor(deps: RowSyncDeps, params: SyncParams) {
    this.#deps = deps
    this.#params = params
    this.#reader = new RowReader(deps.book, deps.source)
    // Subscribe before the first read, so that no write between is missed.
    const { book, source } = deps
    this.#unsubscribers = [
      // `ids`: at most 1,000; `more`: number of further ids. Empty `ids`: any record of `kinds` may have changed.
      book.on('change', ({ ids, kinds, more, unreadable = [] }) => {
        if (!kinds.includes(source.kind)) return
        // First remove rows that the caller may no longer read: the next read may fail or wait.
        if (unreadable.length > 0) this.#removeRows(unreadable.map(({ id }) => id))
        for (const id of ids) this.#changedIds.add(id)
        if (more > 0 || ids.length === 0) this.#isAllChanged = true
        this.#readChangesSoon()
      }),
      // After a failed read, retry on the next status: the book may be unlocked now, or another tab may own it.
      book.on('status', () => this.#isAllChanged && this.#readChangesSoon()),
      book.on('closed', ({ reason, code }) =>
        this.#reportError(
          new DaybookError(code === 'book-erased' || code === 'unauthorized' ? code : 'book-closed', reason),
        ),
      ),
    ]
  }

  /** Starts the first read. An on-demand collection reads nothing, and is ready at once. */
  start(): void {
    if (this.#deps.isOnDemand) return this.#markReady()
    this.#isAllChanged = true
    this.#readChangesSoon()
  }

  end(): void {
    this.#isEnded = true
    this.#cancelExpiry()
    for (const unsubscribe of this.#unsubscribers) unsubscribe()
  }

  /** Reads the records of `ids` again, and updates the collection. Rejects if the read fails. */
  refresh(ids: Iterable<string>): Promise<void> {
    for (const id of ids) this.#changedIds.add(id)
    return this.#queueRead()
  }

  /** Reads all rows and requested subsets again. */
  refetch(): Promise<void> {
    this.#isAllChanged = true
    return this.#queueRead()
  }

  /** Loads the rows of a live query. Returns true if they are loaded already. */
  loadSubset(query: LoadSubsetOptions): true | Promise<void> {
    const subset = this.#subsetOf(query)
    subset.useCount += 1
    if (subset.isFullyLoaded && !query.refetch) return true
    return this.#runInTurn(async () => {
      const found = await this.#reader.readSubset(query)
      if (query.signal?.aborted) return
      this.#writeRows(found)
      if (query.limit === undefined) subset.isFullyLoaded = true
    })
  }

  /** Ends a subset of `loadSubset`. Its rows stay and are updated; records that match later don't join. */
  unloadSubset(query: LoadSubsetOptions): void {
    const key = this.#subsetKey(query)
    const subset = this.#subsets.get(key)
    if (subset && --subset.useCount === 0) this.#subsets.delete(key)
  }

  #subsetKey({ where }: LoadSubsetOptions): string {
    return canonicalText((subsetFilter(where, this.#deps.source).filters ?? null) as Json)
  }

  #subsetOf(query: LoadSubsetOptions): RequestedSubset {
    const key = this.#subsetKey(query)
    const found = this.#subsets.get(key)
    if (found) return found
    const { filters } = subsetFilter(query.where, this.#deps.source)
    const subset = { predicate: parseFilters(filters), useCount: 0, isFullyLoaded: false }
    this.#subsets.set(key, subset)
    return subset
  }

  /** Queues a read of changes. `#reportError` reports its error. */
  #readChangesSoon(): void {
    this.#queueRead().catch(() => undefined)
  }

  /** Queues one read of all changes that arrive before it begins. */
  #queueRead(): Promise<void> {
    this.#queuedRead ??= this.#runInTurn(async () => {
      this.#queuedRead = undefined
      const ids = this.#changedIds
      const isAll = this.#isAllChanged
      this.#changedIds = new Set()
      this.#isAllChanged = false
      try {
        await (isAll ? this.#readAll() : this.#readSome(ids))
        this.#markReady()
      } catch (error) {
        this.#isAllChanged = true
        this.#reportError(toDaybookError(error))
        throw error
      }
    })
    return this.#queuedRead
  }

  #runInTurn(task: () => Promise<void>): Promise<void> {
    const result = this.#queue.then(() => (this.#isEnded ? undefined : task()))
    this.#queue = result.catch(() => undefined)
    return result
  }

  async #readAll(): Promise<void> {
    const { isOnDemand } = this.#deps
    const knownIds = [...this.#rows.keys()]
    const needsAll = !isOnDemand || this.#subsets.size > 0
    const found = await (needsAll ? this.#reader.readAll() : this.#reader.readByIds(knownIds))
    this.#writeRows(
      found.filter((record) => this.#belongsHere(record)),
      new Set(knownIds),
    )
    // TanStack DB then reads the windows of its live queries again: their rows may have moved.
    if (isOnDemand) this.#params.invalidateLoadedSubsets()
  }

  async #readSome(ids: ReadonlySet<string>): Promise<void> {
    const idsToRead = new Set(ids)
    if (this.#deps.source.canSupersede) {
      const links = await this.#reader.readSupersededIds([...ids])
      // A record that was never a row is gone. It may have hidden another record, which is visible again: read all.
      if ([...ids].some((id) => !links.has(id) && !this.#rows.has(id))) return this.#readAll()
      for (const id of ids) {
        for (const other of [links.get(id), this.#rows.get(id)?.supersedes])
          if (other !== undefined) idsToRead.add(other)
      }
    }
    const found = await this.#reader.readByIds([...idsToRead])
    this.#writeRows(
      found.filter((record) => this.#belongsHere(record)),
      idsToRead,
    )
  }

  /**
   * On demand: true for a record that is a row already, or that a requested subset includes. Else always
   * true.
   */
  #belongsHere(record: FoundRecord): boolean {
    if (!this.#deps.isOnDemand || this.#rows.has(record.id)) return true
    return [...this.#subsets.values()].some(({ predicate }) => matchesFilter(predicate, record))
  }

  /** Inserts or updates the rows of `records`, and removes the rows of `requestedIds` that `records` lacks. */
  #writeRows(records: readonly FoundRecord[], requestedIds: ReadonlySet<string> = new Set()): void {
    if (this.#isEnded) return
    const { source } = this.#deps
    const writes: (() => void)[] = []
    const { write } = this.#params
    const missingIds = new Set(requestedIds)
    for (const record of records) {
      const { id } = record
      const read = this.#rowOf(record)
      if (!read) continue
      missingIds.delete(id)
      const hash = source.hashOf(record)
      const row = this.#rows.get(id)
      if (row?.hash === hash) continue
      this.#rows.set(id, { key: read.key, hash, supersedes: supersededIdOf(record) })
      const expires = Date.parse(String(record[source.expiryField ?? '']))
      if (Number.isNaN(expires)) this.#expiryTimes.delete(id)
      else this.#expiryTimes.set(id, expires)
      const type = row ? 'update' : 'insert'
      writes.push(() => write({ type, value: read.row }))
    }
    for (const id of missingIds) {
      const row = this.#rows.get(id)
      if (!row) continue
      this.#rows.delete(id)
      this.#expiryTimes.delete(id)
      writes.push(() => write({ type: 'delete', key: row.key }))
    }
    if (writes.length > 0) {
      this.#params.begin()
      for (const writeRow of writes) writeRow()
      this.#params.commit()
    }
    this.#setExpiryTimer()
  }

  /**
   * Returns the row of a record. Undefined: the record belongs to no row. Reports an invalid record once, and leaves
   * it out.
   */
  #rowOf(record: FoundRecord): ReturnType<RowSource['rowOf']> {
    const { source, onError } = this.#deps
    try {
      const read = source.rowOf(record)
      this.#invalidHashes.delete(record.id)
      return read
    } catch (error) {
      const { id } = record
      const hash = source.hashOf(record)
      if (this.#invalidHashes.get(id) === hash) return undefined
      this.#invalidHashes.set(id, hash)
      const message = `The record \`${id}\` can't be read as a row, and is left out: ${toDaybookError(error).message}`
      onError?.(new DaybookError('invalid-input', message, { details: { id } }))
      return undefined
    }
  }

  /** Sets the timer that reads records again when they expire. */
  #setExpiryTimer(): void {
    this.#cancelExpiry()
    if (this.#expiryTimes.size === 0) return
    const next = Math.min(...this.#expiryTimes.values())
    // A record may stay after its time if clocks differ: wait at least `minExpiryDelayMs` between reads.
    const delay = Math.min(Math.max(next + 1 - Date.now(), minExpiryDelayMs), maxExpiryDelayMs)
    const timer = setTimeout(() => {
      const now = Date.now()
      for (const [id, time] of this.#expiryTimes) if (time <= now) this.#changedIds.add(id)
      if (this.#changedIds.size > 0) this.#readChangesSoon()
      else this.#setExpiryTimer()
    }, delay)
    this.#cancelExpiry = () => clearTimeout(timer)
  }

  #markReady(): void {
    if (this.#isEnded || this.#isReady) return
    this.#isReady = true
    this.#params.markReady()
  }

  /** Queues the removal of the rows of `ids`. */
  #removeRows(ids: readonly string[]): void {
    void this.#runInTurn(async () => this.#writeRows([], new Set(ids)))
  }

  /**
   * Reports an error to `onError`. Before the first successful read, also marks the collection as failed. Rows stay,
   * unless the right to read ended.
   */
  #reportError(error: DaybookError): void {
    if (this.#isEnded) return
    if (endsReading(error)) this.#removeRows([...this.#rows.keys()])
    if (!this.#isReady) this.#params.markError(error)
    this.#deps.onError?.(error)
  }
}
