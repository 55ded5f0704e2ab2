// Keeps a collection in step with the book.
// Invariant: reads run one after another and are applied in order, so no older read overwrites a newer one. Unchanged rows are not
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
  /** The record that this one supersedes, and hides. */
  readonly supersedes: string | undefined
}

/** A requested subset. Records that match it later join the collection. */
interface Part {
  readonly predicate: Predicate
  count: number
  /** True if all of it is loaded. */
  isWhole: boolean
}

const shortestDelayMs = 50
/** Longest delay of a timer: 24 days. */
const longestDelayMs = 86_400_000

export class RowSync {
  readonly #parts: Parts
  readonly #params: SyncParams
  readonly #reader: RowReader
  /** Rows in the collection, by record id. */
  readonly #rows = new Map<string, KnownRow>()
  readonly #subsets = new Map<string, Part>()
  /** Marks of unreadable records, by id, to report each once. */
  readonly #unread = new Map<string, string>()
  readonly #off: readonly (() => void)[]
  #queue: Promise<unknown> = Promise.resolve()
  #changed = new Set<string>()
  #isAllChanged = false
  /** The pending read of changes. */
  #waiting: Promise<void> | undefined
  /** Expiry times of records, in milliseconds since 1970. No event reports them. */
  readonly #expiring = new Map<string, number>()
  #cancelExpiry: () => void = () => undefined
  #isReady = false
  #isEnded = false

  constructor(parts: Parts, params: SyncParams) {
    this.#parts = parts
    this.#params = params
    this.#reader = new RowReader(parts.book, parts.source)
    // Subscribe before the first read: later writes are read after it.
    const { book, source } = parts
    this.#off = [
      book.on('change', ({ ids, kinds, more, unreadable = [] }) => {
        if (!kinds.includes(source.kind)) return
        // Drop rows without the right first: reads may fail or wait.
        if (unreadable.length > 0) this.#drop(unreadable.map(({ id }) => id))
        for (const id of ids) this.#changed.add(id)
        if (more > 0 || ids.length === 0) this.#isAllChanged = true
        this.#follow()
      }),
      // After a failure, retry on the next event: the book may be unlocked, or owned by another tab.
      book.on('status', () => this.#isAllChanged && this.#follow()),
      book.on('closed', ({ reason, code }) =>
        this.#fail(
          new DaybookError(code === 'book-erased' || code === 'unauthorized' ? code : 'book-closed', reason),
        ),
      ),
    ]
  }

  /** Starts. An on-demand collection is ready at once. */
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

  /** Reads the records of `ids` again, and updates the collection. */
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

  /** Rows stay and are updated; records that match later don't join. */
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

  /** Reads changes. Errors are reported elsewhere. */
  #follow(): void {
    this.#later().catch(() => undefined)
  }

  /** Reads changes in turn, including those until then. */
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
      // A record that superseded an unknown one is gone: the hidden record is visible again.
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

  /** Puts `records` into the collection, and removes ids of `wanted` that were not found. */
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

  /** The row of a record. An unreadable record is reported and left out; it must not block the others. */
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

  /** Reads the next expiring record again at its time. */
  #awaitExpiry(): void {
    this.#cancelExpiry()
    if (this.#expiring.size === 0) return
    const next = Math.min(...this.#expiring.values())
    // If the clock was set back, don't read all the time.
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

  /** Removes rows. */
  #drop(ids: readonly string[]): void {
    void this.#inTurn(async () => this.#put([], new Set(ids)))
  }

  /** Marks a failed first read. After later failures rows stay, unless the right to read ended. */
  #fail(error: DaybookError): void {
    if (this.#isEnded) return
    if (endsReading(error)) this.#drop([...this.#rows.keys()])
    if (!this.#isReady) this.#params.markError(error)
    this.#parts.onError?.(error)
  }
}
