// `daybook/openai-agents`: stores the history of a session of OpenAI's agents in a book. Each item is a document
// whose key is the item's place in the history.
// Invariant: a change applies to the current history, as a whole or not at all, also with concurrent writers.
import type {
  AgentInputItem,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents-core'
import type { CapabilityInput, Daybook } from '../../book/daybook.ts'
import { isDaybookError } from '../../core/errors.ts'
import { type Json, type JsonObject, isJsonObject, sameJson } from '../../core/json/path.ts'
import { adapterError } from './adapter-error.ts'
import {
  type DocumentName,
  type PartedChange,
  type PartedDocument,
  PartedDocuments,
} from './parted-documents.ts'
import { valueFromJson, valueToJson } from './foreign-value.ts'

/**
 * `ifMatch`: the etag that the document must have; null: it must not exist. `value` null removes the
 * document.
 */
type Change = CapabilityInput<'document:write'>['changes'][number]

/** Maximum retries of a change after concurrent changes. */
const maxRetries = 100
/** Places are padded with zeros, so that keys sort as numbers do. */
const positionDigits = 12

export interface SessionOptions {
  /** The id of the session, 1 to 500 characters. Default: a new id. */
  readonly sessionId?: string
  /** Called with each document that contains no valid item; reads skip this document. */
  readonly onSkipped?: (document: DocumentName) => void
}

/** The end of a history: its newest items (oldest first). */
interface Tail {
  readonly items: readonly PartedDocument[]
  /** The next free place. */
  readonly next: number
}
/** The current history of a session: all items, and applied operations. */
interface History extends Tail {
  readonly operations: readonly PartedDocument[]
  /** Documents that contain no valid item. */
  readonly invalid: readonly DocumentName[]
}

export class DaybookSession
  implements SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession
{
  /** Stores an item that is too large for one document in several. */
  readonly #documents: PartedDocuments
  readonly #onSkipped: (document: DocumentName) => void
  readonly #id: string
  readonly #folder: string
  /** The next free place when this object last read or wrote the end of the history. Another process may move it. */
  #lastNext = 0

  /** `book`: an open book or a handle of one. */
  constructor(
    book: Pick<Daybook, 'documents'>,
    { sessionId = crypto.randomUUID(), onSkipped = () => undefined }: SessionOptions = {},
  ) {
    if (
      typeof sessionId !== 'string' ||
      sessionId === '' ||
      sessionId.length > 500 ||
      !sessionId.isWellFormed()
    ) {
      const message = 'The id of a session is a text of 1 to 500 characters.'
      throw adapterError('invalid-input', message, { path: 'sessionId' })
    }
    this.#documents = new PartedDocuments(book.documents)
    this.#onSkipped = onSkipped
    this.#id = sessionId
    this.#folder = `sessions/${encodeURIComponent(sessionId)}/`
  }

  getSessionId(): Promise<string> {
    return Promise.resolve(this.#id)
  }

  /** Returns the newest `limit` items, oldest first. Undefined: all items. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return []
    const { items } = await (limit === undefined ? this.#readHistory() : this.#readTail(limit))
    return items.flatMap((one) => itemOf(one) ?? [])
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const newItems = items.map((item, i) => toJson(item, `items.${i}`))
    if (newItems.length === 0) return
    await this.#change(
      () => this.#readTail(0),
      ({ next }) => this.#append(next, newItems),
    )
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    let popped: AgentInputItem | undefined
    await this.#change(
      () => this.#readTail(1),
      ({ items }) => {
        const last = items.at(-1)
        popped = last && itemOf(last)
        return last ? [deletionOf(last)] : []
      },
    )
    return popped
  }

  async clearSession(): Promise<void> {
    await this.#change(
      () => this.#readHistory(),
      ({ items, operations, invalid }) => [
        ...[...items, ...operations].map(deletionOf),
        ...invalid.map(({ folder, key }) => ({ folder, key, value: null })),
      ],
    )
  }

  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    const plan = ({ items }: History): PartedChange[] => {
      const changes = new Map<string, PartedChange>()
      for (const [i, { callId, replacement }] of mutations.entries()) {
        const json = toJson(replacement, `mutations.${i}.replacement`)
        const calls = items.filter((one) => {
          const { type, callId: itemCallId } = (changes.get(one.key)?.value ?? one.value)[
            'item'
          ] as JsonObject
          return type === 'function_call' && itemCallId === callId && changes.get(one.key)?.value !== null
        })
        // Replace the first call of that id, and delete its other calls.
        for (const [index, one] of calls.entries()) {
          changes.set(one.key, index === 0 ? { ...deletionOf(one), ...valueOf(json) } : deletionOf(one))
        }
      }
      return [...changes.values()]
    }
    await this.#change(() => this.#readHistory(), plan)
  }

  /**
   * Applies an operation once per `operationId`, until the session is cleared. Throws `request-reused` for a
   * different operation of the same id, and `conflict` if the end of the history doesn't match.
   */
  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    if (typeof operationId !== 'string' || operationId.trim() === '' || operationId.length > 1000) {
      const message = 'Session history transaction operationId must be a non-empty string.'
      throw adapterError('invalid-input', message, { path: 'operationId' })
    }
    const parsed = parseTransaction(transaction)
    const key = `operation ${operationId}`
    const read = async () => ({
      ...(await this.#readTail(parsed.expected.length)),
      applied: await this.#documents.read({ folder: this.#folder, key }),
    })
    await this.#change(read, ({ items, applied, next }) => {
      if (applied) {
        if (sameJson(applied.value['transaction'] as Json, parsed.json)) return []
        const message = 'Session history operation was already applied with a different transaction.'
        throw adapterError('request-reused', message, { path: 'operationId' })
      }
      const start = items.length - parsed.expected.length
      const suffix = start < 0 ? [] : items.slice(start)
      const hasExpectedLength = suffix.length === parsed.expected.length
      if (
        !hasExpectedLength ||
        !suffix.every((one, i) => sameJson(one.value['item'] as Json, parsed.expected[i]))
      ) {
        const message = 'Session history suffix no longer matches the transaction precondition.'
        throw adapterError('conflict', message, { path: 'transaction.expectedSuffix' })
      }
      const operation: Change = {
        folder: this.#folder,
        key,
        value: { transaction: parsed.json } as Change['value'],
        recalled: false,
        ifMatch: null,
      }
      return [...suffix.map(deletionOf), ...this.#append(next, parsed.added), operation]
    })
  }

  /**
   * Returns changes that append items from place `firstPosition`. Of two concurrent appends, one fails with `conflict`.
   */
  #append(firstPosition: number, newItems: readonly JsonObject[]): Change[] {
    return newItems.map((item, i) => {
      const key = positionKey(firstPosition + i)
      return { folder: this.#folder, key, ifMatch: null, ...valueOf(item) }
    })
  }

  async #readHistory(): Promise<History> {
    const items: PartedDocument[] = []
    const operations: PartedDocument[] = []
    const invalid: DocumentName[] = []
    const skip = (name: DocumentName) => {
      invalid.push(name)
      this.#onSkipped(name)
    }
    for await (const one of this.#documents.list({ folder: this.#folder, deep: false }, skip)) {
      if (!isPosition(one.key)) operations.push(one)
      else if (itemOf(one)) items.push(one)
      else skip(one)
    }
    items.sort((one, other) => (one.key < other.key ? -1 : 1))
    return { items, operations, invalid, next: this.#noteNext([...items, ...invalid]) }
  }

  /** Reads the newest `count` items. Reads few others, however long the history is. */
  async #readTail(count: number): Promise<Tail> {
    // Every item from here on is read, so the newest are among them, if there are enough.
    const from = Math.max(0, this.#lastNext - count - 1)
    const tail = await this.#readTailFrom(count, from)
    return from === 0 || (tail.next > from && tail.items.length === count)
      ? tail
      : this.#readTailFrom(count, 0)
  }

  async #readTailFrom(count: number, from: number): Promise<Tail> {
    const items: PartedDocument[] = []
    const names: DocumentName[] = []
    const skip = (name: DocumentName) => {
      names.push(name)
      this.#onSkipped(name)
    }
    const query = {
      folder: this.#folder,
      deep: false,
      // `:` follows the digits.
      filters: { key: { gte: positionKey(from), lt: ':' } },
      orderBy: '-key',
      pageSize: count + 1,
    }
    for await (const one of this.#documents.list(query, skip)) {
      names.push(one)
      if (items.length < count && isPosition(one.key) && itemOf(one)) items.push(one)
      else if (items.length < count) this.#onSkipped(one)
      if (items.length === count && names.some(({ key }) => isPosition(key))) break
    }
    return { items: items.toReversed(), next: this.#noteNext(names) }
  }

  /** Returns the place after the documents `names`, and remembers it. */
  #noteNext(names: readonly DocumentName[]): number {
    const next = names.reduce(
      (most, { key }) => (isPosition(key) ? Math.max(most, Number(key) + 1) : most),
      0,
    )
    this.#lastNext = next
    return next
  }

  /**
   * Writes the changes that `plan` returns for the current history, as `read` returns it. Reads and plans again after a
   * `conflict`, up to `maxRetries` times.
   */
  async #change<Read extends Tail>(
    read: () => Promise<Read>,
    plan: (current: Read) => PartedChange[],
  ): Promise<void> {
    for (let retriesLeft = maxRetries; ; retriesLeft--) {
      const current = await read()
      const changes = plan(current)
      if (changes.length === 0) return
      try {
        await this.#documents.write([...changes, ...this.#nextPositionIsFree(current, changes)])
        return
      } catch (error) {
        if (!isDaybookError(error, 'conflict') || retriesLeft === 0) throw error
      }
    }
  }

  /**
   * Returns a change that fails with `conflict` if another process appended since, so that the plan is for the current
   * history. Empty: `changes` write the next place already, which also fails.
   */
  #nextPositionIsFree({ next: nextPosition }: Tail, changes: readonly Change[]): Change[] {
    const [probe] = this.#append(nextPosition, [{}])
    if (!probe || changes.some(({ key }) => key === probe.key)) return []
    return [{ folder: probe.folder, key: probe.key, value: null, ifMatch: null }]
  }
}

/**
 * Fails with `conflict` if the document changed since `before`. With another `value`, it is a replacement.
 */
const deletionOf = (before: PartedDocument) => {
  const { folder, key, etag } = before
  return { folder, key, value: null, ifMatch: etag, before }
}

const itemOf = ({ value }: PartedDocument) => fromJson(value['item'])

/** `recalled`: recall finds messages, but not tool calls and their results. */
function valueOf(item: JsonObject): Pick<Change, 'value' | 'recalled'> {
  return { value: { item } as Change['value'], recalled: typeof item['role'] === 'string' }
}

const positionKey = (position: number) => String(position).padStart(positionDigits, '0')
const isPosition = (key: string) => /^\d{12}$/.test(key)

interface ParsedTransaction {
  /** The transaction as JSON, to compare it with an applied one. */
  readonly json: JsonObject
  /** The items that must be the last of the history, and are removed. */
  readonly expected: readonly JsonObject[]
  readonly added: readonly JsonObject[]
}

/** Parses a transaction. Refuses the same values as the framework's own session. */
function parseTransaction(transaction: SessionHistoryTransactionArgs['transaction']): ParsedTransaction {
  if (typeof transaction !== 'object' || (transaction as object | null) === null)
    throw transactionError('must be an object.', 'transaction')
  const fields = transaction as unknown as Readonly<Record<string, unknown>>
  const { type } = fields
  const list = (field: string) => {
    const path = `transaction.${field}`
    const items = fields[field]
    if (!Array.isArray(items)) throw transactionError('fields are invalid.', path)
    const json = (items as AgentInputItem[]).map((item, i) => toJson(item, `${path}.${i}`))
    if (!isPlainData(items)) throw transactionError('items contain invalid or unsupported data.', path)
    return json
  }
  const names = transactionFields.get(type)
  if (!names) {
    throw adapterError('invalid-input', 'Unsupported session history transaction type.', {
      path: 'transaction.type',
    })
  }
  const [added = [], expected = []] = names.map(list)
  const other = Reflect.ownKeys(fields).find((name) => name !== 'type' && !names.includes(String(name)))
  if (other !== undefined) throw transactionError('fields are invalid.', `transaction.${String(other)}`)
  const json =
    type === 'append_items' ? { type, items: added } : { type, expectedSuffix: expected, replacement: added }
  return { json: json as JsonObject, expected, added }
}

/** The fields of each type of transaction: the items to add, and the items to remove. */
const transactionFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['append_items', ['items']],
  ['replace_suffix', ['replacement', 'expectedSuffix']],
])

function transactionError(message: string, path: string) {
  return adapterError('invalid-input', `Session history transaction ${message}`, { path })
}

/**
 * True for data that the framework compares in a transaction: JSON, undefined, every number, and bytes. `value` has no
 * cycle.
 */
function isPlainData(value: unknown): boolean {
  if (value === null || ['undefined', 'string', 'boolean', 'number'].includes(typeof value)) return true
  if (typeof value !== 'object') return false
  const isList = Array.isArray(value)
  const names = Reflect.ownKeys(value).filter((name) => !isList || name !== 'length')
  if (value instanceof Uint8Array) return names.length === value.length
  const prototype: unknown = Object.getPrototypeOf(value)
  if (isList ? names.length !== value.length : prototype !== null && prototype !== Object.prototype)
    return false
  return names.every((name, i) => {
    if (isList ? name !== String(i) : typeof name !== 'string') return false
    const { enumerable, value: field, get } = Object.getOwnPropertyDescriptor(value, name) ?? {}
    return enumerable === true && !get && isPlainData(field)
  })
}

/**
 * Converts an item to JSON. Throws `invalid-input` for an item that can't be stored. `path` names the item in the
 * error.
 */
function toJson(item: AgentInputItem, path: string): JsonObject {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    throw adapterError('invalid-input', 'An item of a session is an object.', { path })
  }
  try {
    return valueToJson(item) as JsonObject
  } catch (error) {
    const message = `Session history items contain invalid or unsupported data: ${(error as Error).message}`
    throw adapterError('invalid-input', message, { path })
  }
}

/** Converts the JSON of a document to an item. Undefined: the JSON is no object. */
function fromJson(json: Json | undefined): AgentInputItem | undefined {
  const item = json === undefined ? undefined : valueFromJson(json)
  return isJsonObject(item as Json) ? (item as AgentInputItem) : undefined
}
