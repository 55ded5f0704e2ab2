// Events for the holder of a token.
// Invariant: an event reveals only what the holder can read at that moment, with two exceptions: a change of some
// rule about memories, and the id and kind of records that the holder can no longer read. After an error, and after
// the end of the token, no event is sent. Every holder gets the end of the book and of its own token.
// `ruleKinds`: kinds of rules, such as policies. `kindsUnderPolicy`: kinds that a guest reads by policy.
import { kindsUnderPolicy, ruleKinds } from '../core/access/governed.ts'
import type { BookEvent, BookEvents } from '../core/capability/event.ts'
import { defined } from '../core/defined.ts'

export type BookListener = (event: BookEvent) => void

type Ask = (id: string, input: unknown) => Promise<unknown>
/**
 * `ids` of changed records, at most 1,000; `more` counts the others. Empty `ids`: any record of `kinds` may have
 * changed. `unreadable`: records that the holder can't read any more.
 */
type Change = BookEvents['change']

interface Named {
  readonly id: string
  readonly kind: string
}

/** Most ids or records in one request: the limit of the verb `access:reach`. */
const pageSize = 10_000
/** Most records in the field `unreadable` of an event. If there are more, the listener reads everything again. */
const namedLimit = 1000

export interface GuestEventParts {
  /** Listens to every event that may change the holder's answers; returns a function that removes the listener. */
  on(listener: BookListener): () => void
  /** Calls as the holder. */
  readonly ask: Ask
  /** Calls as the owner, to find the records made from changed records. The holder never gets these answers. */
  readonly askOwner: Ask
}

export class GuestEvents {
  readonly #parts: GuestEventParts
  /** Listeners, each with the only event that it handles; undefined: it handles all events. */
  readonly #listeners = new Map<BookListener, BookEvent['name'] | undefined>()
  #last: Promise<unknown> = Promise.resolve()
  #off: () => void = () => undefined
  /** Kinds of all readable records by id; undefined while there are no listeners to `change`. */
  #readable: Map<string, string> | undefined
  /** True if an event failed, so `#readable` may be stale. */
  #isUnsure = false

  constructor(parts: GuestEventParts) {
    this.#parts = parts
  }

  /** Notifies `listener`, in order, of the events that the holder may see. */
  on(listener: BookListener, name?: BookEvent['name']): () => void {
    // A new function for each call: a listener may be passed twice.
    const one: BookListener = (event) => listener(event)
    this.#listeners.set(one, name)
    if (this.#listeners.size === 1) this.#off = this.#parts.on((event) => this.#take(event))
    if (this.#hears('change')) this.#next(() => this.#learn())
    return () => {
      if (!this.#listeners.delete(one)) return
      if (this.#listeners.size === 0) this.#off()
      if (!this.#hears('change')) this.#readable = undefined
    }
  }

  /** Removes all listeners after the end of the book or of the token. Later listeners start over. */
  #stop(): void {
    this.#listeners.clear()
    this.#readable = undefined
    this.#off()
  }

  #hears(name: BookEvent['name']): boolean {
    return [...this.#listeners.values()].some((only) => only === undefined || only === name)
  }

  /** Runs `work` after all earlier work. A failure sends no event. */
  #next(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch(() => undefined)
  }

  #take(event: BookEvent): void {
    const listening = [...this.#listeners].filter(([, only]) => only === undefined || only === event.name)
    // The end also removes listeners of other events, so that a later listener starts over.
    if (listening.length === 0 && event.name !== 'closed') return
    this.#next(async () => {
      const visible = await (event.name === 'change'
        ? this.#change(event.detail)
        : visibleEvent(event, this.#parts.ask))
      if (!visible) return
      for (const [listener] of listening) if (this.#listeners.has(listener)) listener(visible)
      if (visible.name === 'closed') this.#stop()
    })
  }

  async #learn(): Promise<void> {
    if (this.#readable || !this.#hears('change')) return
    this.#readable = await this.#list()
    this.#isUnsure = false
  }

  async #change(detail: Change): Promise<BookEvent | undefined> {
    if (!this.#hears('change')) return undefined
    try {
      const mayBeAny = !this.#readable || this.#isUnsure || detail.more > 0 || detail.ids.length === 0
      const isRule = detail.kinds.some((kind) => ruleKinds.has(kind))
      const visible = await (mayBeAny || isRule ? this.#all(detail) : this.#some(detail.ids))
      this.#isUnsure = false
      return visible && { name: 'change', detail: visible }
    } catch (error) {
      this.#isUnsure = true
      throw error
    }
  }

  /** The change to report if any record may have changed: it has no ids, so listeners read everything again. */
  async #all({ ids, kinds }: Change): Promise<Change | undefined> {
    const before = this.#readable
    const now = await this.#list()
    this.#readable = now
    // Records that the holder could read before, and can't read now.
    const lost = [...(before ?? [])].flatMap(([id, kind]) => (now.has(id) ? [] : [{ id, kind }]))
    const isRule = kinds.some((kind) => ruleKinds.has(kind))
    // `GuestWatch` sends rule kinds without ids when time may have changed something: here nothing changed.
    const isSame = before !== undefined && lost.length === 0 && before.size === now.size
    if (isRule && ids.length === 0 && isSame && !this.#isUnsure) return undefined
    const seen = new Set([...now.values(), ...lost.map(({ kind }) => kind)])
    // With ids, only kinds that the holder reads, or did read, are reported.
    const changed = isRule
      ? [...kindsUnderPolicy, ...ids.flatMap((id) => now.get(id) ?? [])]
      : kinds.filter((kind) => ids.length === 0 || seen.has(kind))
    const reported = new Set([...changed, ...lost.map(({ kind }) => kind)])
    if (reported.size === 0) return undefined
    return { ids: [], kinds: [...reported], more: 0, ...unreadableField(lost) }
  }

  /**
   * The change to report for `ids`: changed records, and records made from them, that the holder can or could read.
   */
  async #some(ids: readonly string[]): Promise<Change | undefined> {
    const readable = this.#readable ?? new Map<string, string>()
    const made = await reached(this.#parts.askOwner, { ids, made: true })
    const candidates = new Set([...ids, ...made.map(({ id }) => id)])
    const now = await reached(this.#parts.ask, { ids: [...candidates] })
    const changed = new Set(ids)
    // A record made from a changed one is news only if it is newly readable.
    const news = now.filter(({ id }) => changed.has(id) || !readable.has(id))
    for (const { id } of now) candidates.delete(id)
    const lost = [...candidates].flatMap((id) => {
      const kind = readable.get(id)
      return kind === undefined ? [] : [{ id, kind }]
    })
    for (const { id, kind } of now) readable.set(id, kind)
    for (const { id } of lost) readable.delete(id)
    const reported = [...news, ...lost]
    if (reported.length === 0) return undefined
    const kinds = [...new Set(reported.map(({ kind }) => kind))]
    return { ids: reported.map(({ id }) => id), kinds, more: 0, ...unreadableField(lost) }
  }

  async #list(): Promise<Map<string, string>> {
    return new Map((await reached(this.#parts.ask, {})).map(({ id, kind }) => [id, kind]))
  }
}

const unreadableField = (lost: readonly Named[]) =>
  lost.length === 0 ? {} : { unreadable: lost.slice(0, namedLimit) }

/**
 * Records that the caller of `ask` may read: all records, or the records with `ids`. `made`: also the records made from
 * them.
 */
async function reached(
  ask: Ask,
  { ids, ...query }: { readonly ids?: readonly string[]; readonly made?: boolean },
): Promise<Named[]> {
  const found: Named[] = []
  // Outer loop: pages of `ids` (one without `ids`). Inner loop: pages of the answer.
  for (let from = 0; from === 0 || from < (ids?.length ?? 0); from += pageSize) {
    const named = ids === undefined ? {} : { ids: ids.slice(from, from + pageSize) }
    for (let after: string | undefined; ;) {
      const page = { ...query, ...named, limit: pageSize, ...defined({ after }) }
      const { records } = (await ask('access:reach', page)) as { readonly records: readonly Named[] }
      for (const one of records) found.push(one)
      if (records.length < pageSize) break
      after = records.at(-1)?.id
    }
  }
  return found
}

/** The event as the holder may see it; undefined if it may not. Rejects if a check of the holder's rights does. */
async function visibleEvent(
  event: Exclude<BookEvent, { name: 'change' }>,
  ask: Ask,
): Promise<BookEvent | undefined> {
  switch (event.name) {
    case 'closed':
      return event
    case 'status': {
      // Faults are for the owner only.
      const { owner, durability } = event.detail
      return { name: 'status', detail: { owner, durability } }
    }
    case 'inbox':
      return (await reached(ask, { ids: [event.detail.id] })).length > 0 ? event : undefined
    case 'proposal': {
      // An agent sees its own proposals.
      const { proposals } = (await ask('a2p:list_proposals', { id: event.detail.id })) as {
        readonly proposals: readonly unknown[]
      }
      return proposals.length > 0 ? event : undefined
    }
    case 'room':
      // Rejects unless the token permits the meeting room.
      await ask('room:who_is_here', {})
      return event
    case 'consent': {
      const { requests } = (await ask('consent:requests', {})) as { requests: readonly Pick<Named, 'id'>[] }
      return requests.some(({ id }) => id === event.detail.id) ? event : undefined
    }
    case 'pool':
      return (await reached(ask, { ids: [event.detail.record] })).length > 0 ? event : undefined
    // For the owner only.
    case 'progress':
    case 'task':
    case 'activity':
    case 'sync':
    case 'secret':
      return undefined
  }
}
