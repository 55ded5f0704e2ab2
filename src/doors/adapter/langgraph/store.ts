// `DaybookStore`: the long-term store of LangGraph as documents of a book. A search with `query` uses the book's
// recall, which works without an API key or a model.
import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
  type MatchCondition,
  validateNamespace,
} from '@langchain/langgraph-checkpoint'
import type { Daybook } from '../../../book/daybook.ts'
import { defined } from '../../../core/defined.ts'
import type { DaybookError } from '../../../core/errors.ts'
import type { Filters } from '../../../core/filter/filter.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/path.ts'
import { adapterError } from '../adapter-error.ts'
import { fieldsFromJson, fieldsToJson, isPlainNumber } from '../foreign-value.ts'
import {
  decodeLabel,
  hasParts,
  type PartedChange,
  type PartedDocument,
  PartedDocuments,
} from '../parted-documents.ts'

type StoredValue = NonNullable<PartedChange['value']>

/** Maximum hits of one recall, and recalls of one search. */
const maxRecallHits = 200
const maxRecalls = 50
/** Limits of filters of a book: values in a list, and conditions that are left to other filters. */
const maxListValues = 1000
const maxFields = 4

export class DaybookStore extends BaseStore {
  readonly #book: Pick<Daybook, 'documents' | 'recall'>
  readonly #documents: PartedDocuments

  /** `book`: an open book or a handle of one. */
  constructor(book: Pick<Daybook, 'documents' | 'recall'>) {
    super()
    this.#book = book
    this.#documents = new PartedDocuments(book.documents)
  }

  /** Runs all reads of a batch before its writes. If a batch writes an item twice, the last write wins. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    // Check all writes before the first read.
    const puts = new Map<string, PartedChange>()
    for (const operation of operations) {
      if (!isPut(operation)) continue
      const change = toChange(operation)
      puts.set(JSON.stringify([change.folder, change.key]), change)
    }
    const results = await Promise.all(operations.map((operation) => this.#run(operation)))
    if (puts.size > 0) await this.#documents.write([...puts.values()])
    return results as OperationResults<Op>
  }

  async #run(operation: Operation): Promise<Item | SearchItem[] | string[][] | null> {
    if (isPut(operation)) return null
    if ('namespacePrefix' in operation) return this.#search(operation)
    if ('key' in operation) return this.#get(operation)
    return this.#namespaces(operation)
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    const found = await this.#documents.read({ folder: folderOf(namespace), key })
    return found ? toItem(found) : null
  }

  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter, query, limit = 10, offset = 0 } = operation
    const folder = folderOf(namespacePrefix, true)
    if (query !== undefined && query !== '') return this.#recall(operation, query, folder)
    const found: SearchItem[] = []
    for await (const document of this.#listAll(folder, offset + limit, filter)) {
      if (found.length >= offset + limit) break
      const item = toItem(document)
      if (matchesFilter(item.value as JsonObject, filter)) found.push(item)
    }
    return found.slice(offset, offset + limit)
  }

  /** Returns the best items. One recall has few hits: further ones leave out what the earlier ones found. */
  async #recall({ filter, limit = 10, offset = 0 }: SearchOperation, text: string, folder: string) {
    const wanted = offset + limit
    const found: SearchItem[] = []
    const seen: string[] = []
    for (let recalls = 0; found.length < wanted && recalls < maxRecalls; recalls++) {
      const max = filter ? maxRecallHits : Math.min(maxRecallHits, wanted - found.length)
      const { hits } = await this.#book.recall({
        text: text.slice(0, 10_000),
        // A store's search is best first.
        want: 'best',
        kinds: ['document'],
        // The folder and its subfolders: `0` follows `/`.
        filters: {
          and: [
            { folder: { gte: folder, lt: `${folder.slice(0, -1)}0` } },
            ...bookFilters(filter),
            ...chunksOf(seen).map((ids) => ({ not: { id: { in: ids } } })),
          ],
        },
        limit: max,
        // Items with equal text are separate items.
        distinct: false,
      })
      for (const { record, score } of hits) {
        seen.push(record.id)
        const document = await this.#documents.whole(record as unknown as PartedDocument)
        const item = document && isStoreFolder(document.folder) ? toItem(document) : undefined
        if (item && matchesFilter(item.value as JsonObject, filter)) found.push({ ...item, score })
      }
      if (hits.length < max) break
    }
    return found.slice(offset, wanted)
  }

  async #namespaces({ matchConditions = [], maxDepth, limit, offset = 0 }: ListNamespacesOperation) {
    const found = (await this.#folders())
      .filter(isStoreFolder)
      .map(namespaceOf)
      .filter((namespace) => matchConditions.every((one) => matchesCondition(namespace, one)))
    const shortened = maxDepth === undefined ? found : found.map((namespace) => namespace.slice(0, maxDepth))
    // `validateNamespace` refuses a colon in a label, so joined labels stay distinct.
    const distinct = new Map(shortened.map((namespace) => [namespace.join(':'), namespace]))
    return [...distinct]
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([, namespace]) => namespace)
      .slice(offset, limit === undefined ? undefined : offset + limit)
  }

  /** The folders that have a document, in the store. */
  async #folders(): Promise<string[]> {
    const names: string[] = []
    for (;;) {
      const after = names.at(-1)
      const { folders, more } = await this.#book.documents.folders({
        folder: folderOf([], true),
        limit: 10_000,
        ...defined({ after }),
      })
      names.push(...folders.map(({ folder }) => folder))
      if (!more) return names
    }
  }

  /**
   * Lists the items in a folder and its subfolders; skips other documents. `pageSize`: documents per call. Leaves out
   * most items that don't match `filter`.
   */
  async *#listAll(
    folder: string,
    pageSize: number,
    filter?: SearchOperation['filter'],
  ): AsyncGenerator<PartedDocument> {
    const conditions = bookFilters(filter)
    const filters = conditions.length > 0 ? { filters: { and: conditions } } : {}
    for await (const one of this.#documents.list({ folder, pageSize, ...filters }))
      if (isStoreFolder(one.folder)) yield one
  }
}

/** Only an operation that writes has a field `value`. */
const isPut = (operation: Operation): operation is PutOperation => 'value' in operation

function toChange({ namespace, key, value, index }: PutOperation): PartedChange {
  const folder = folderOf(namespace)
  if (typeof key !== 'string' || key === '') {
    throw adapterError('invalid-input', 'The key of an item is a text of at least one character.', {
      path: 'key',
    })
  }
  if (value === null) return { folder, key, value: null }
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw adapterError('invalid-input', 'The value of an item is an object, or null to delete it.', {
      path: 'value',
    })
  }
  const stored = toStoredValue(value)
  const change = { folder, key, value: stored, recalled: index !== false }
  if (!Array.isArray(index)) return change
  return { ...change, texts: index.flatMap((path) => textsAt(stored as JsonObject, path)) }
}

/**
 * Returns the texts at a path of `index`: names, `[0]`, `[-1]`, `[*]` and `*`, and `{a,b}` for several paths. The
 * framework's own function does not follow all of them.
 */
function textsAt(value: Json, path: string): string[] {
  let found: Json[] = [value]
  for (const step of path.match(/\{[^}]*\}|\[[^\]]*\]|[^.[\]{}]+/g) ?? []) {
    if (step.startsWith('{')) {
      const paths = step.slice(1, -1).split(',')
      return found.flatMap((one) => paths.flatMap((other) => textsAt(one, other.trim())))
    }
    if (step !== '$') found = found.flatMap((one) => childrenAt(one, step.replace(/^\[|\]$/g, '')))
  }
  return found.flatMap((one) => {
    if (one === null) return []
    return [typeof one === 'object' ? JSON.stringify(one) : String(one)]
  })
}

function childrenAt(value: Json, name: string): Json[] {
  if (typeof value !== 'object' || value === null) return []
  if (name === '*') return Object.values(value)
  if (isJsonObject(value)) return Object.hasOwn(value, name) ? [value[name] ?? null] : []
  const child = value.at(/^-?\d+$/.test(name) ? Number(name) : value.length)
  return child === undefined ? [] : [child]
}

function toStoredValue(value: Readonly<Record<string, unknown>>) {
  try {
    return fieldsToJson(value, { strict: true, hasMaps: true }) as StoredValue
  } catch (error) {
    const { message, details } = error as DaybookError
    const path = ['value', details['path']].filter(Boolean).join('.')
    throw adapterError('invalid-input', `The value of an item can't be stored: ${message}`, { path })
  }
}

function toItem({ folder, key, value, created_at, updated_at }: PartedDocument): Item {
  return {
    namespace: namespaceOf(folder),
    key,
    value: fieldsFromJson(value) as Record<string, unknown>,
    createdAt: new Date(created_at),
    updatedAt: new Date(updated_at),
  }
}

/** All items of LangGraph's store are below this folder. */
const rootFolder = 'store/'

/**
 * Returns the folder of a namespace: `store/users/a%2Fb/` for ['users', 'a/b']. Throws the framework's error for an
 * invalid namespace. `isPrefix`: true allows an empty namespace, which means all.
 */
export function folderOf(namespace: readonly string[], isPrefix = false): string {
  if (!Array.isArray(namespace)) {
    throw adapterError('invalid-input', 'A namespace is a list of labels.', { path: 'namespace' })
  }
  validateNamespace([...namespace], { allowEmpty: isPrefix, allowReservedRoot: true })
  const illFormed = namespace.find((label) => !(label as string).isWellFormed())
  if (illFormed !== undefined) {
    throw adapterError('invalid-input', 'A label of the namespace is not well-formed Unicode.', {
      path: 'namespace',
    })
  }
  return namespace.reduce<string>(
    (folder, label) => `${folder}${encodeURIComponent(label as string)}/`,
    rootFolder,
  )
}

export function namespaceOf(folder: string): string[] {
  return folder.slice(rootFolder.length, -1).split('/').map(decodeURIComponent)
}

/** True for the folder of a namespace. A document directly in `rootFolder`, or in a foreign folder, is no item. */
export const isStoreFolder = (folder: string) =>
  folder.startsWith(rootFolder) && folder.length > rootFolder.length && decodeLabel(folder) !== undefined

export function matchesCondition(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  if (matchType !== 'prefix' && matchType !== 'suffix') {
    throw adapterError('invalid-input', `Unsupported match type: ${String(matchType)}`, {
      path: 'matchConditions',
    })
  }
  if (path.length > namespace.length) return false
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length
  return path.every((label, i) => label === '*' || label === namespace[start + i])
}

/** Filter operators of the framework's store. `$gt`, `$gte`, `$lt` and `$lte` compare as numbers. */
const operators: Readonly<Record<string, (value: unknown, operand: unknown) => boolean>> = {
  $eq: (value, operand) => value === operand,
  $ne: (value, operand) => value !== operand,
  $gt: (value, operand) => Number(value) > Number(operand),
  $gte: (value, operand) => Number(value) >= Number(operand),
  $lt: (value, operand) => Number(value) < Number(operand),
  $lte: (value, operand) => Number(value) <= Number(operand),
  $in: (value, operand) => Array.isArray(operand) && operand.includes(value),
  $nin: (value, operand) => !Array.isArray(operand) || !operand.includes(value),
}

/**
 * Returns filters of a book that pass every item that matches `filter`, and maybe others: they compare single values,
 * and pass each value in parts.
 */
function bookFilters(filter: SearchOperation['filter']): Filters[] {
  const conditions = Object.entries(filter ?? {}).flatMap(([field, condition]): Filters[] => {
    if (!/^[^.$"\\][^."\\]*$/u.test(field) || field.length > 200) return []
    const path = `value.${field}`
    if (isComparable(condition)) return [{ [path]: condition }]
    const { $eq: one, $in: list } = (condition ?? {}) as { readonly $eq?: unknown; readonly $in?: unknown }
    if (isComparable(one)) return [{ [path]: one }]
    const isList = Array.isArray(list) && list.length <= maxListValues && list.every(isComparable)
    return isList ? [{ [path]: { in: list } }] : []
  })
  return conditions.slice(0, maxFields).map((one) => ({ or: [one, ...hasParts] }))
}

/** True for a value that a filter of a book compares as the framework's store does. */
const isComparable = (value: unknown): value is string | number | boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.length < 1000 && value.isWellFormed()) ||
  (typeof value === 'number' && isPlainNumber(value))

function chunksOf(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / maxListValues)
  return Array.from({ length: count }, (_, i) => ids.slice(i * maxListValues, (i + 1) * maxListValues))
}

/** True if each field of `filter` matches `value`. Undefined: no filter. */
export function matchesFilter(
  value: JsonObject,
  filter: Readonly<Record<string, unknown>> | undefined,
): boolean {
  return Object.entries(filter ?? {}).every(([field, condition]) => {
    const found = Object.hasOwn(value, field) ? value[field] : undefined
    const isOperators =
      typeof condition === 'object' &&
      condition !== null &&
      Object.keys(condition).every((name) => Object.hasOwn(operators, name))
    if (!isOperators) return found === condition
    return Object.entries(condition).every(([name, operand]) => operators[name]?.(found, operand) === true)
  })
}
