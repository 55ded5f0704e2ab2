// `daybook/openai-agents`: the history of a session of OpenAI's agents in a book. An item is a document whose key is its place.
// Invariant: a change is made of the history as it stands at that moment, whole or not at all, whoever else writes to it.
import type {
  AgentInputItem,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents-core'
import type { CapabilityInput, Daybook } from '../../../book/daybook.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { Json, JsonObject } from '../../../core/json/path.ts'
import { sameJson } from '../../../core/json/same-json.ts'
import { adapterError } from '../adapter-error.ts'
import {
  type DocumentName,
  type PartedChange,
  type PartedDocument,
  PartedDocuments,
} from '../parted-documents.ts'
import { fromJson, toJson } from './item-json.ts'

type Change = CapabilityInput<'document:write'>['changes'][number]

/** How often a change is made again because somebody else came first: each time, somebody else got on. */
const tries = 100
const placeDigits = 12

export interface SessionOptions {
  /** Which conversation it is. Default: a new one. */
  readonly sessionId?: string
  /** Called with what lies in the session and can't be read as an item; it is skipped. */
  readonly onSkipped?: (document: DocumentName) => void
}

/** The history as it stands: its items, oldest first, and the operations that were applied to it. */
interface History {
  readonly items: readonly PartedDocument[]
  readonly operations: readonly PartedDocument[]
  /** What is no item, in the place of one. */
  readonly unread: readonly PartedDocument[]
  /** The place behind all of them. */
  readonly next: number
}

export class DaybookSession
  implements SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession
{
  readonly #documents: PartedDocuments
  readonly #onSkipped: (document: DocumentName) => void
  readonly #id: string
  readonly #folder: string

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

  /** The newest `limit` items, or all, oldest first. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return []
    const { items } = await this.#history()
    return items.slice(limit === undefined ? 0 : -limit).flatMap((one) => itemOf(one) ?? [])
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const added = items.map((item, i) => toJson(item, `items.${i}`))
    if (added.length === 0) return
    await this.#change(({ next }) => this.#append(next, added))
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    let popped: AgentInputItem | undefined
    await this.#change(({ items }) => {
      const last = items.at(-1)
      popped = last && itemOf(last)
      return last ? [gone(last)] : []
    })
    return popped
  }

  async clearSession(): Promise<void> {
    await this.#change(({ items, operations, unread }) => [...items, ...operations, ...unread].map(gone))
  }

  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    await this.#change(({ items }) => {
      const changes = new Map<string, PartedChange>()
      for (const [i, { callId, replacement }] of mutations.entries()) {
        const json = toJson(replacement, `mutations.${i}.replacement`)
        const calls = items.filter((one) => {
          const { type, callId: own } = (changes.get(one.key)?.value ?? one.value)['item'] as JsonObject
          return type === 'function_call' && own === callId && changes.get(one.key)?.value !== null
        })
        // The first call of that id says something else now; others of the same id go.
        for (const [place, one] of calls.entries()) {
          changes.set(one.key, place === 0 ? { ...gone(one), ...valueOf(json) } : gone(one))
        }
      }
      return [...changes.values()]
    })
  }

  /** Once for each `operationId`, however often it is called, until the session is cleared. */
  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    if (typeof operationId !== 'string' || operationId.trim() === '' || operationId.length > 1000) {
      const message = 'Session history transaction operationId must be a non-empty string.'
      throw adapterError('invalid-input', message, { path: 'operationId' })
    }
    const read = transactionOf(transaction)
    const key = `operation ${operationId}`
    await this.#change(({ items, operations, next }) => {
      const applied = operations.find((one) => one.key === key)
      if (applied) {
        if (sameJson(applied.value['transaction'] as Json, read.said)) return []
        const message = 'Session history operation was already applied with a different transaction.'
        throw adapterError('request-reused', message, { path: 'operationId' })
      }
      const start = items.length - read.expected.length
      const suffix = start < 0 ? [] : items.slice(start)
      const isSame = suffix.length === read.expected.length
      if (!isSame || !suffix.every((one, i) => sameJson(one.value['item'] as Json, read.expected[i]))) {
        const message = 'Session history suffix no longer matches the transaction precondition.'
        throw adapterError('conflict', message, { path: 'transaction.expectedSuffix' })
      }
      const operation: Change = {
        folder: this.#folder,
        key,
        value: { transaction: read.said } as Change['value'],
        recalled: false,
        if_match: null,
      }
      return [...suffix.map(gone), ...this.#append(next, read.added), operation]
    })
  }

  /** Behind the last place there is: two who append at once can't both have it. */
  #append(next: number, added: readonly JsonObject[]): Change[] {
    return added.map((item, i) => {
      const key = String(next + i).padStart(placeDigits, '0')
      return { folder: this.#folder, key, if_match: null, ...valueOf(item) }
    })
  }

  async #history(): Promise<History> {
    const items: PartedDocument[] = []
    const operations: PartedDocument[] = []
    const unread: PartedDocument[] = []
    const places: number[] = []
    const skip = (name: DocumentName) => {
      if (isPlace(name.key)) places.push(Number(name.key))
      this.#onSkipped(name)
    }
    for await (const one of this.#documents.list({ folder: this.#folder, deep: false }, skip)) {
      if (!isPlace(one.key)) operations.push(one)
      else if (itemOf(one)) items.push(one)
      else {
        unread.push(one)
        skip(one)
      }
    }
    items.sort((one, other) => (one.key < other.key ? -1 : 1))
    for (const { key } of items) places.push(Number(key))
    return { items, operations, unread, next: places.reduce((next, place) => Math.max(next, place + 1), 0) }
  }

  /** Writes what `plan` makes of the history, again when the history was changed between. What it throws is thrown. */
  async #change(plan: (history: History) => PartedChange[]): Promise<void> {
    for (let left = tries; ; left--) {
      const history = await this.#history()
      const changes = plan(history)
      if (changes.length === 0) return
      try {
        await this.#documents.write([...changes, ...this.#unchanged(history, changes)])
        return
      } catch (error) {
        if (!isDaybookError(error, 'conflict') || left === 0) throw error
      }
    }
  }

  /** That nothing was appended since: what stands behind the last item is nothing, unless this change puts it there. */
  #unchanged({ next: place }: History, changes: readonly Change[]): Change[] {
    const [next] = this.#append(place, [{}])
    if (!next || changes.some(({ key }) => key === next.key)) return []
    return [{ folder: next.folder, key: next.key, value: null, if_match: null }]
  }
}

const gone = (before: PartedDocument) => {
  const { folder, key, etag } = before
  return { folder, key, value: null, if_match: etag, before }
}

const itemOf = ({ value }: PartedDocument) => fromJson(value['item'])

/** What somebody said is found by recall; calls of tools and what they gave back are not. */
function valueOf(item: JsonObject): Pick<Change, 'value' | 'recalled'> {
  return { value: { item } as Change['value'], recalled: typeof item['role'] === 'string' }
}

const isPlace = (key: string) => /^\d+$/.test(key)

interface ReadTransaction {
  /** As JSON, to know it again. */
  readonly said: JsonObject
  readonly expected: readonly JsonObject[]
  readonly added: readonly JsonObject[]
}

function transactionOf(given: SessionHistoryTransactionArgs['transaction']): ReadTransaction {
  const list = (items: unknown, field: string) => {
    const path = `transaction.${field}`
    if (!Array.isArray(items)) {
      throw adapterError('invalid-input', 'Session history transaction fields are invalid.', { path })
    }
    return (items as AgentInputItem[]).map((item, i) => toJson(item, `${path}.${i}`))
  }
  const { type } = (given ?? {}) as { type?: unknown }
  if (type === 'append_items') {
    const items = list((given as { items?: unknown }).items, 'items')
    return { said: { type, items }, expected: [], added: items }
  }
  if (type === 'replace_suffix') {
    const { expectedSuffix, replacement } = given as { expectedSuffix?: unknown; replacement?: unknown }
    const expected = list(expectedSuffix, 'expectedSuffix')
    const added = list(replacement, 'replacement')
    return { said: { type, expectedSuffix: expected, replacement: added }, expected, added }
  }
  throw adapterError('invalid-input', 'Unsupported session history transaction type.', {
    path: 'transaction.type',
  })
}
