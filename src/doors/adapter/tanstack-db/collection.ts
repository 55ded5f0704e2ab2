// `daybook/tanstack-db`: live collections of TanStack DB over an open book.
// Invariant: a change is shown at once, then as the book has stored it; a refused change is rolled back.
import type {
  BaseCollectionConfig,
  Collection,
  CollectionConfig,
  InferSchemaOutput,
  PendingMutation,
} from '@tanstack/db'
import type { CapabilityOutput } from '../../../book/daybook.ts'
import type { DaybookError } from '../../../core/errors.ts'
import { type Filters, parseFilters } from '../../../core/filter/filter.ts'
import { adapterError } from '../adapter-error.ts'
import {
  type CollectionBook,
  documentSource,
  type FoundRecord,
  recordSource,
  type RowKey,
  type RowSource,
} from './row-source.ts'
import { RowSync } from './row-sync.ts'
import { documentWriter, isWritable, recordWriter, type RowChange, type RowWriter } from './row-write.ts'

export type { CollectionBook, FoundRecord } from './row-source.ts'

type Schema = NonNullable<BaseCollectionConfig['schema']>

/** Options of TanStack DB, passed on unchanged. */
type PassedOn<Row extends object, Key extends RowKey> = Partial<
  Pick<
    BaseCollectionConfig<Row, Key>,
    | 'autoIndex'
    | 'compare'
    | 'defaultIndexType'
    | 'defaultStringCollation'
    | 'gcTime'
    | 'id'
    | 'startSync'
    | 'syncMode'
  >
>

interface OwnOptions {
  /** An open book or a handle of one: `book.with({ … })` sets agent and session. */
  readonly book: CollectionBook
  /**
   * Called when the book could not be read; `preload()` rejects with it too. Earlier rows stay. Also called for a record that is no
   * valid row (`details.id`), which is left out.
   */
  readonly onError?: (error: DaybookError) => void
}

/** Your own rows, each a document of the book. They may contain dates, bigints and bytes. */
export interface RowOptions<Row extends object, Key extends RowKey = RowKey>
  extends PassedOn<Row, Key>, OwnOptions {
  readonly kind?: 'document'
  /** The folder of the documents, such as `todos/`. Each collection has its own. */
  readonly folder: string
  readonly getKey: (row: Row) => Key
  /** True: recall finds them as memories. Default: false. */
  readonly recalled?: boolean
}

/** Records of a kind, by id; skills by name. */
export interface RecordOptions<Kind extends string> extends PassedOn<RecordRow<Kind>, string>, OwnOptions {
  /** `trace`, `perception`, `fact` and `skill` can be changed; others are read only. */
  readonly kind: Kind
  /** Filters, as in `records.query`. */
  readonly filters?: Filters
}

interface KnownRows {
  readonly trace: CapabilityOutput<'kstar:query_traces'>['records'][number]
  readonly perception: CapabilityOutput<'kstar:query_perceptions'>['records'][number]
  readonly fact: CapabilityOutput<'kstar:query_facts'>['records'][number]
  readonly skill: CapabilityOutput<'kstar:query_skills'>['records'][number]
}

/** A new row needs no fields that the book sets itself. */
type Head = 'kind' | 'created_at' | 'updated_at' | 'ver' | 'agent'

type WithoutHead<Row> = { [Name in keyof Row as Name extends Head ? never : Name]: Row[Name] }

export type RecordRow<Kind extends string> = Kind extends keyof KnownRows
  ? Partial<Pick<KnownRows[Kind], Head>> & WithoutHead<KnownRows[Kind]>
  : FoundRecord

/** `utils` of a collection over a book. */
export interface DaybookUtils {
  /**
   * Writes the changes of your own transaction, in its `mutationFn`; resolves once the collection has them from the book. Your own
   * rows are written together.
   */
  acceptMutations(transaction: { readonly mutations: readonly PendingMutation<never>[] }): Promise<void>
  /** Reads everything again. Not needed for changes, which are followed. */
  refetch(): Promise<void>
  readonly [name: string]: (...parameters: never[]) => unknown
}

type Options<Row extends object, Key extends RowKey, S extends Schema = never> = CollectionConfig<
  Row,
  Key,
  S,
  DaybookUtils
> & { readonly utils: DaybookUtils }

/**
 * Options for `createCollection` of `@tanstack/db`: a collection that follows a book, also writes of other tabs and syncs. With
 * `syncMode: 'on-demand'` it reads only what live queries need. A change that the book refuses is rolled back, and its transaction
 * rejects with the `DaybookError`. Throws `invalid-input` or `invalid-filter`.
 */
export function daybookCollectionOptions<S extends Schema, Key extends RowKey = RowKey>(
  options: RowOptions<InferSchemaOutput<S>, Key> & { readonly schema: S },
): Options<InferSchemaOutput<S>, Key, S> & { readonly schema: S }
export function daybookCollectionOptions<
  Row extends object = Record<string, unknown>,
  Key extends RowKey = RowKey,
>(
  options: RowOptions<Row, Key> & { readonly schema?: never },
): Options<Row, Key> & { readonly schema?: never }
export function daybookCollectionOptions<Kind extends string>(
  options: RecordOptions<Kind> & { readonly schema?: never },
): Options<RecordRow<Kind>, string> & { readonly schema?: never }
export function daybookCollectionOptions(
  options: (RowOptions<object> | RecordOptions<string>) & { readonly schema?: unknown },
): object {
  const { source, writer, passedOn } = read(options)
  const { book, onError } = options
  const id = options.id ?? `daybook:${source.kind}:${crypto.randomUUID()}`
  /** By collection: the same options may create several. */
  const runs = new Map<object, RowSync>()
  // In order: the last change wins.
  let last: Promise<unknown> = Promise.resolve()
  const change = (write: RowWriter, changes: readonly RowChange[]): Promise<void> => {
    const turn = last.then(async () => {
      const written = new Set<string>()
      try {
        await write(changes, written)
      } finally {
        // The optimistic row stays until the collection has the book's version. `onError` reports a missing right to read.
        for (const run of runs.values()) await run.refresh(written).catch(() => undefined)
      }
    })
    last = turn.catch(() => undefined)
    return turn
  }
  const handler =
    writer && (({ transaction }: Handled) => change(writer, transaction.mutations.map(changeOf)))
  return {
    ...passedOn,
    id,
    ...(handler ? { onInsert: handler, onUpdate: handler, onDelete: handler } : {}),
    sync: {
      rowUpdateMode: 'full',
      sync(params: ConstructorParameters<typeof RowSync>[1]) {
        const isOnDemand = options.syncMode === 'on-demand'
        const run = new RowSync({ book, source, isOnDemand, onError }, params)
        runs.set(params.collection, run)
        run.start()
        return {
          cleanup() {
            run.end()
            if (runs.get(params.collection) === run) runs.delete(params.collection)
          },
          ...(isOnDemand
            ? { loadSubset: run.loadSubset.bind(run), unloadSubset: run.unloadSubset.bind(run) }
            : {}),
        }
      },
    },
    utils: {
      async acceptMutations({ mutations }: { readonly mutations: readonly AnyMutation[] }) {
        const own = mutations.filter(({ collection }) => collection.id === id).map(changeOf)
        if (own.length === 0) return
        if (!writer)
          throw adapterError('invalid-input', `Records of kind \`${source.kind}\` are only looked at here.`)
        await change(writer, own)
      },
      refetch: async () => {
        await Promise.all([...runs.values()].map((run) => run.refetch()))
      },
    },
  }
}

type AnyMutation = Pick<PendingMutation, 'changes' | 'key' | 'modified' | 'original' | 'type'> & {
  readonly collection: Pick<Collection, 'id'>
}
interface Handled {
  readonly transaction: { readonly mutations: readonly AnyMutation[] }
}

const changeOf = ({ type, key, original, modified, changes }: AnyMutation): RowChange => {
  return { type, key: key as RowKey, original, modified, changes }
}

interface Read {
  readonly source: RowSource
  readonly writer: RowWriter | undefined
  readonly passedOn: object
}

function read(options: RowOptions<object> | RecordOptions<string>): Read {
  const { book } = options
  if ('folder' in options) {
    const { book: _book, kind: _kind, folder, recalled = false, onError: _onError, ...passedOn } = options
    if (typeof folder !== 'string' || !/^[^/].*\/$/su.test(folder)) {
      throw adapterError('invalid-input', 'A folder is a text that ends with `/`: `todos/`.', {
        path: 'folder',
      })
    }
    if (typeof options.getKey !== 'function') {
      throw adapterError('invalid-input', '`getKey` says the key of a row.', { path: 'getKey' })
    }
    return {
      source: documentSource(folder, options.getKey),
      writer: documentWriter(book, folder, recalled),
      passedOn,
    }
  }
  const { book: _book, kind, filters, onError: _onError, ...rest } = options
  if (typeof kind !== 'string' || kind === '' || kind === 'document') {
    const message = 'Say a `kind` of records, or the `folder` of rows of your own and their `getKey`.'
    throw adapterError('invalid-input', message, { path: 'kind' })
  }
  parseFilters(filters)
  const getKey = (row: Record<string, string>) => (kind === 'skill' ? row['name'] : row['id'])
  const writer = isWritable(kind) ? recordWriter(book, kind) : undefined
  return { source: recordSource(kind, filters), writer, passedOn: { ...rest, getKey } }
}
