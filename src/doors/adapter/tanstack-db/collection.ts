// `daybook/tanstack-db`: live collections of TanStack DB over an open book.
// Invariant: a change shows at once, and then as the book stored it; a refused change is rolled back.
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

/** Options that pass to TanStack DB unchanged. */
type TanStackOptions<Row extends object, Key extends RowKey> = Partial<
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

interface DaybookOptions {
  /** An open book or a handle of one: `book.with({ … })` sets agent and session. */
  readonly book: CollectionBook
  /**
   * Called when reading the book fails; earlier rows stay, and `preload()` rejects with the same error. Also called
   * for a record that is no valid row: `details.id` names the record, and the collection leaves it out.
   */
  readonly onError?: (error: DaybookError) => void
}

/** Options for your own rows. Each row is a document of the book, and may contain dates, bigints and bytes. */
export interface RowOptions<Row extends object, Key extends RowKey = RowKey>
  extends TanStackOptions<Row, Key>, DaybookOptions {
  readonly kind?: 'document'
  /** The folder of the documents; ends with `/`, such as `todos/`. Use one folder per collection. */
  readonly folder: string
  readonly getKey: (row: Row) => Key
  /** True: recall finds the rows. Default: false. */
  readonly recalled?: boolean
}

/** Options for records of a kind. The key of a row is the record's id; for skills the name. */
export interface RecordOptions<Kind extends string>
  extends TanStackOptions<RecordRow<Kind>, string>, DaybookOptions {
  /** `trace`, `perception`, `fact` and `skill` can be changed; other kinds are read-only. */
  readonly kind: Kind
  /** Filters as in `records.query`. Default: all records of the kind. */
  readonly filters?: Filters
}

interface RowsByKind {
  readonly trace: CapabilityOutput<'kstar:query_traces'>['records'][number]
  readonly perception: CapabilityOutput<'kstar:query_perceptions'>['records'][number]
  readonly fact: CapabilityOutput<'kstar:query_facts'>['records'][number]
  readonly skill: CapabilityOutput<'kstar:query_skills'>['records'][number]
}

/** Fields that the book sets itself: a new row may omit them. */
type HeadField = 'kind' | 'created_at' | 'updated_at' | 'ver' | 'agent'

type WithoutHead<Row> = { [Name in keyof Row as Name extends HeadField ? never : Name]: Row[Name] }

export type RecordRow<Kind extends string> = Kind extends keyof RowsByKind
  ? Partial<Pick<RowsByKind[Kind], HeadField>> & WithoutHead<RowsByKind[Kind]>
  : FoundRecord

/** `collection.utils` of a collection over a book. */
export interface DaybookUtils {
  /**
   * Writes the changes of a manual transaction. Call it in the `mutationFn` of the transaction. Resolves when the
   * collection has read the changes from the book. Changes of documents are written together. Rejects with
   * `invalid-input` for a read-only kind.
   */
  acceptMutations(transaction: { readonly mutations: readonly PendingMutation<never>[] }): Promise<void>
  /** Reads all rows again. The collection follows changes of the book without this call. */
  refetch(): Promise<void>
  readonly [name: string]: (...parameters: never[]) => unknown
}

type ResultOptions<Row extends object, Key extends RowKey, S extends Schema = never> = CollectionConfig<
  Row,
  Key,
  S,
  DaybookUtils
> & { readonly utils: DaybookUtils }

/**
 * Returns options for `createCollection` of `@tanstack/db`. The collection follows the book, including writes of
 * other tabs and syncs. `syncMode: 'on-demand'` reads only the rows that live queries need. A change that the book
 * refuses is rolled back, and its transaction rejects with the `DaybookError`. Throws `invalid-input` or
 * `invalid-filter`.
 */
export function daybookCollectionOptions<S extends Schema, Key extends RowKey = RowKey>(
  options: RowOptions<InferSchemaOutput<S>, Key> & { readonly schema: S },
): ResultOptions<InferSchemaOutput<S>, Key, S> & { readonly schema: S }
export function daybookCollectionOptions<
  Row extends object = Record<string, unknown>,
  Key extends RowKey = RowKey,
>(
  options: RowOptions<Row, Key> & { readonly schema?: never },
): ResultOptions<Row, Key> & { readonly schema?: never }
export function daybookCollectionOptions<Kind extends string>(
  options: RecordOptions<Kind> & { readonly schema?: never },
): ResultOptions<RecordRow<Kind>, string> & { readonly schema?: never }
export function daybookCollectionOptions(
  options: (RowOptions<object> | RecordOptions<string>) & { readonly schema?: unknown },
): object {
  const { source, writer, tanStackOptions } = parseOptions(options)
  const { book, onError } = options
  const id = options.id ?? `daybook:${source.kind}:${crypto.randomUUID()}`
  /** Syncs by collection: the same options may create several collections. */
  const syncByCollection = new Map<object, RowSync>()
  // Run the writes one after another: the last change wins.
  let lastWrite: Promise<unknown> = Promise.resolve()
  const writeInTurn = (write: RowWriter, changes: readonly RowChange[]): Promise<void> => {
    const result = lastWrite.then(async () => {
      // The ids of the written records: `write` adds them, also if a later change fails.
      const written = new Set<string>()
      try {
        await write(changes, written)
      } finally {
        // Refresh before this promise settles: until then TanStack DB shows the optimistic row. `onError` gets errors
        // of reading.
        for (const rowSync of syncByCollection.values()) await rowSync.refresh(written).catch(() => undefined)
      }
    })
    lastWrite = result.catch(() => undefined)
    return result
  }
  const handler =
    writer && (({ transaction }: HandlerParams) => writeInTurn(writer, transaction.mutations.map(changeOf)))
  return {
    ...tanStackOptions,
    id,
    ...(handler ? { onInsert: handler, onUpdate: handler, onDelete: handler } : {}),
    sync: {
      rowUpdateMode: 'full',
      sync(params: ConstructorParameters<typeof RowSync>[1]) {
        const isOnDemand = options.syncMode === 'on-demand'
        const rowSync = new RowSync({ book, source, isOnDemand, onError }, params)
        syncByCollection.set(params.collection, rowSync)
        rowSync.start()
        return {
          cleanup() {
            rowSync.end()
            if (syncByCollection.get(params.collection) === rowSync)
              syncByCollection.delete(params.collection)
          },
          ...(isOnDemand
            ? {
                loadSubset: rowSync.loadSubset.bind(rowSync),
                unloadSubset: rowSync.unloadSubset.bind(rowSync),
              }
            : {}),
        }
      },
    },
    utils: {
      async acceptMutations({ mutations }: { readonly mutations: readonly AnyMutation[] }) {
        const ownChanges = mutations.filter(({ collection }) => collection.id === id).map(changeOf)
        if (ownChanges.length === 0) return
        if (!writer)
          throw adapterError('invalid-input', `Records of kind \`${source.kind}\` are only looked at here.`)
        await writeInTurn(writer, ownChanges)
      },
      refetch: async () => {
        await Promise.all([...syncByCollection.values()].map((run) => run.refetch()))
      },
    },
  }
}

type AnyMutation = Pick<PendingMutation, 'changes' | 'key' | 'modified' | 'original' | 'type'> & {
  readonly collection: Pick<Collection, 'id'>
}
interface HandlerParams {
  readonly transaction: { readonly mutations: readonly AnyMutation[] }
}

const changeOf = ({ type, key, original, modified, changes }: AnyMutation): RowChange => {
  return { type, key: key as RowKey, original, modified, changes }
}

interface ParsedOptions {
  readonly source: RowSource
  readonly writer: RowWriter | undefined
  readonly tanStackOptions: object
}

function parseOptions(options: RowOptions<object> | RecordOptions<string>): ParsedOptions {
  const { book } = options
  if ('folder' in options) {
    const {
      book: _book,
      kind: _kind,
      folder,
      recalled = false,
      onError: _onError,
      ...tanStackOptions
    } = options
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
      tanStackOptions,
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
  return { source: recordSource(kind, filters), writer, tanStackOptions: { ...rest, getKey } }
}
