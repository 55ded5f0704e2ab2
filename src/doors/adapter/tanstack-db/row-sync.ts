// One run of a collection's sync: what it holds follows the book, whoever writes there. Invariant: rows are read one after
// another and put in as they were read, so that no older reading comes over a newer one; what did not change is not told again.
import type { LoadSubsetOptions, SyncConfig } from '@tanstack/db'
import { DaybookError, endsReading, toDaybookError } from '../../../core/errors.ts'
import { matches } from '../../../core/filter/match.ts'
import { parseFilters, type Predicate } from '../../../core/filter/filter.ts'
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

interface Known {
  readonly key: RowKey
  readonly mark: string
  /** The record in whose place this one stands: it is hidden while this one is there. */
  readonly supersedes: string | undefined
}

/** A part that was asked for: what comes to satisfy it belongs to the collection from then on. */
interface Part {
  readonly predicate: Predicate
  count: number
  /** All of it is here. */
  isWhole: boolean
}

const shortestDelayMs = 50
/** A timer takes at most 24 days. */
const longestDelayMs = 86_400_000

export class RowSync {
  readonly #parts: Parts
  readonly #params: SyncParams
  readonly #reader: RowReader
  /** By the id of its record, what stands in the collection. */
  readonly #known = new Map<string, Known>()
  readonly #subsets = new Map<string, Part>()
  /** By the id of its record, the mark of what could not be read as a row, so that it is told once. */
  readonly #unread = new Map<string, string>()
  readonly #off: readonly (() => void)[]
  #queue: Promise<unknown> = Promise.resolve()
  #changed = new Set<string>()
  #isAllChanged = false
  /** The reading of what changed that has not begun yet. */
  #waiting: Promise<void> | undefined
  /** When records of the collection expire, in milliseconds since 1970: nobody tells of that. */
  readonly #expiring = new Map<string, number>()
  #cancelExpiry: () => void = () => undefined
  #isReady = false
  #isEnded = false

  constructor(parts: Parts, params: SyncParams) {
    this.#parts = parts
    this.#params = params
    this.#reader = new RowReader(parts.book, parts.source)
    // Before the first reading: what is written meanwhile is read after it.
    const { book, source } = parts
    this.#off = [
      book.on('change', ({ ids, kinds, more, left = [] }) => {
        if (!kinds.includes(source.kind)) return
        // What may not be read any more goes before anything is read, which may fail or wait.
        if (left.length > 0) this.#drop(left.map(({ id }) => id))
        for (const id of ids) this.#changed.add(id)
        if (more > 0 || ids.length === 0) this.#isAllChanged = true
        this.#follow()
      }),
      // After a failure the next word of the book is a reason to try again: it was unlocked, or another tab has it now.
      book.on('status', () => this.#isAllChanged && this.#follow()),
      book.on('closed', ({ reason, code }) =>
        this.#fail(
          new DaybookError(code === 'book-erased' || code === 'unauthorized' ? code : 'book-closed', reason),
        ),
      ),
    ]
  }

  /** Begins. A collection that is read on demand is ready at once. */
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

  /** Reads the records of `ids` again; resolves when the collection has what the book has. */
  refresh(ids: Iterable<string>): Promise<void> {
    for (const id of ids) this.#changed.add(id)
    return this.#later()
  }

  /** Reads everything again that the collection holds or was asked for. */
  refetch(): Promise<void> {
    this.#isAllChanged = true
    return this.#later()
  }

  loadSubset(asked: LoadSubsetOptions): true | Promise<void> {
    const part = this.#partOf(asked)
    part.count += 1
    if (part.isWhole && !asked.refetch) return true
    return this.#inTurn(async () => {
      const found = await this.#reader.subset(asked)
      if (asked.signal?.aborted) return
      this.#put(found)
      if (asked.limit === undefined) part.isWhole = true
    })
  }

  /** The rows stay and follow the book; rows that match this part later are not taken in. */
  unloadSubset(asked: LoadSubsetOptions): void {
    const key = this.#keyOf(asked)
    const part = this.#subsets.get(key)
    if (part && --part.count === 0) this.#subsets.delete(key)
  }

  #keyOf({ where }: LoadSubsetOptions): string {
    return canonicalText((subsetFilter(where, this.#parts.source).filters ?? null) as Json)
  }

  #partOf(asked: LoadSubsetOptions): Part {
    const key = this.#keyOf(asked)
    const known = this.#subsets.get(key)
    if (known) return known
    const { filters } = subsetFilter(asked.where, this.#parts.source)
    const part = { predicate: parseFilters(filters), count: 0, isWhole: false }
    this.#subsets.set(key, part)
    return part
  }

  /** Reads what changed; who else fails has told of it. */
  #follow(): void {
    this.#later().catch(() => undefined)
  }

  /** Reads what changed, in its turn: what changes until then is read with it. */
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
    const held = [...this.#known.keys()]
    const needsAll = !isOnDemand || this.#subsets.size > 0
    const found = await (needsAll ? this.#reader.all() : this.#reader.some(held))
    this.#put(
      found.filter((record) => this.#isWanted(record)),
      new Set(held),
    )
    if (isOnDemand) this.#params.invalidateLoadedSubsets()
  }

  async #readSome(ids: ReadonlySet<string>): Promise<void> {
    const asked = new Set(ids)
    if (this.#parts.source.canSupersede) {
      const links = await this.#reader.superseded([...ids])
      // What stood in the place of a record that was never here is gone: that record is back.
      if ([...ids].some((id) => !links.has(id) && !this.#known.has(id))) return this.#readAll()
      for (const id of ids) {
        for (const other of [links.get(id), this.#known.get(id)?.supersedes])
          if (other !== undefined) asked.add(other)
      }
    }
    const found = await this.#reader.some([...asked])
    this.#put(
      found.filter((record) => this.#isWanted(record)),
      asked,
    )
  }

  #isWanted(record: FoundRecord): boolean {
    if (!this.#parts.isOnDemand || this.#known.has(record.id)) return true
    return [...this.#subsets.values()].some(({ predicate }) => matches(predicate, record))
  }

  /** Puts `records` into the collection; of the ids that were `asked` for, those that were not found go. */
  #put(records: readonly FoundRecord[], asked: ReadonlySet<string> = new Set()): void {
    if (this.#isEnded) return
    const { source } = this.#parts
    const writes: (() => void)[] = []
    const { write } = this.#params
    const gone = new Set(asked)
    for (const record of records) {
      const { id } = record
      const read = this.#rowOf(record)
      if (!read) continue
      gone.delete(id)
      const mark = source.markOf(record)
      const known = this.#known.get(id)
      if (known?.mark === mark) continue
      this.#known.set(id, { key: read.key, mark, supersedes: supersededBy(record) })
      const expires = Date.parse(String(record[source.expires ?? '']))
      if (Number.isNaN(expires)) this.#expiring.delete(id)
      else this.#expiring.set(id, expires)
      const type = known ? 'update' : 'insert'
      writes.push(() => write({ type, value: read.row }))
    }
    for (const id of gone) {
      const known = this.#known.get(id)
      if (!known) continue
      this.#known.delete(id)
      this.#expiring.delete(id)
      writes.push(() => write({ type: 'delete', key: known.key }))
    }
    if (writes.length > 0) {
      this.#params.begin()
      for (const one of writes) one()
      this.#params.commit()
    }
    this.#awaitExpiry()
  }

  /** The row of a record; one that can't be read is left out and told of: it must not keep the others out. */
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

  /** Reads again what expires next, when it does. */
  #awaitExpiry(): void {
    this.#cancelExpiry()
    if (this.#expiring.size === 0) return
    const next = Math.min(...this.#expiring.values())
    // A clock that was set back is no reason to ask all the time.
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

  /** Takes rows out. */
  #drop(ids: readonly string[]): void {
    void this.#inTurn(async () => this.#put([], new Set(ids)))
  }

  /** Marks a failed first reading. Later the rows stay, unless the right to read has ended. */
  #fail(error: DaybookError): void {
    if (this.#isEnded) return
    if (endsReading(error)) this.#drop([...this.#known.keys()])
    if (!this.#isReady) this.#params.markError(error)
    this.#parts.onError?.(error)
  }
}
