// Events of a book for the holder of a token. Invariant: an event says nothing that the holder can't read at that moment, except
// that some rule about memories has changed, without its name, and that a record left that it could read before, by id and kind;
// in doubt, and after the token has ended, the holder gets no event. Everybody gets the end of the book, or of the own token.
import { ruledKinds, ruleKinds } from '../core/access/rule-kind.ts'
import type { BookEvent, BookEvents } from '../core/capability/event.ts'

export type BookListener = (event: BookEvent) => void

type Ask = (id: string, input: unknown) => Promise<unknown>
type Change = BookEvents['change']

interface Named {
  readonly id: string
  readonly kind: string
}

/** Ids that are asked about at once. */
const pageSize = 10_000
/** Most records that one event names as gone: with more of them everything is read again. */
const namedLimit = 1000

export interface GuestEventParts {
  /** Everything that may change what the holder is answered. */
  on(listener: BookListener): () => void
  /** Calls as the holder. */
  readonly ask: Ask
  /** Calls as the owner of the book, for what was made from a record. None of that is told. */
  readonly askOwner: Ask
}

export class GuestEvents {
  readonly #parts: GuestEventParts
  /** Each listener, with the only event that it takes. */
  readonly #listeners = new Map<BookListener, BookEvent['name'] | undefined>()
  #last: Promise<unknown> = Promise.resolve()
  #off: () => void = () => undefined
  /** The records that the holder may read, by their ids, while somebody listens to changes. */
  #known: Map<string, string> | undefined
  /** An event could not be looked at, so `#known` may be of before it. */
  #isUnsure = false

  constructor(parts: GuestEventParts) {
    this.#parts = parts
  }

  /** Tells `listener`, in their order, of those events that the holder may hear. */
  on(listener: BookListener, name?: BookEvent['name']): () => void {
    const one: BookListener = (event) => listener(event)
    this.#listeners.set(one, name)
    if (this.#listeners.size === 1) this.#off = this.#parts.on((event) => this.#take(event))
    if (this.#hears('change')) this.#next(() => this.#learn())
    return () => {
      if (!this.#listeners.delete(one)) return
      if (this.#listeners.size === 0) this.#off()
      if (!this.#hears('change')) this.#known = undefined
    }
  }

  /** Nothing comes after the end: who listens from now on begins anew. */
  #stop(): void {
    this.#listeners.clear()
    this.#known = undefined
    this.#off()
  }

  #hears(name: BookEvent['name']): boolean {
    return [...this.#listeners.values()].some((only) => only === undefined || only === name)
  }

  /** One after another; what fails is told to nobody. */
  #next(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch(() => undefined)
  }

  #take(event: BookEvent): void {
    const listening = [...this.#listeners].filter(([, only]) => only === undefined || only === event.name)
    if (listening.length === 0) return
    this.#next(async () => {
      const heard = await (event.name === 'change'
        ? this.#change(event.detail)
        : told(event, this.#parts.ask))
      if (!heard) return
      for (const [listener] of listening) if (this.#listeners.has(listener)) listener(heard)
      if (heard.name === 'closed') this.#stop()
    })
  }

  async #learn(): Promise<void> {
    if (this.#known || !this.#hears('change')) return
    this.#known = await this.#list()
    this.#isUnsure = false
  }

  async #change(detail: Change): Promise<BookEvent | undefined> {
    if (!this.#hears('change')) return undefined
    try {
      const isWhole = !this.#known || this.#isUnsure || detail.more > 0 || detail.ids.length === 0
      const isRule = detail.kinds.some((kind) => ruleKinds.has(kind))
      const heard = await (isWhole || isRule ? this.#all(detail) : this.#some(detail.ids))
      this.#isUnsure = false
      return heard && { name: 'change', detail: heard }
    } catch (error) {
      this.#isUnsure = true
      throw error
    }
  }

  /** Anything may have come or gone: who hears of it reads everything again. */
  async #all({ ids, kinds }: Change): Promise<Change | undefined> {
    const before = this.#known
    const now = await this.#list()
    this.#known = now
    const left = [...(before ?? [])].flatMap(([id, kind]) => (now.has(id) ? [] : [{ id, kind }]))
    const isRule = kinds.some((kind) => ruleKinds.has(kind))
    // Time has passed and changed nothing.
    const isSame = before !== undefined && left.length === 0 && before.size === now.size
    if (isRule && ids.length === 0 && isSame && !this.#isUnsure) return undefined
    const seen = new Set([...now.values(), ...left.map(({ kind }) => kind)])
    const changed = isRule
      ? [...ruledKinds, ...ids.flatMap((id) => now.get(id) ?? [])]
      : kinds.filter((kind) => ids.length === 0 || seen.has(kind))
    const told = new Set([...changed, ...left.map(({ kind }) => kind)])
    if (told.size === 0) return undefined
    return { ids: [], kinds: [...told], more: 0, ...leftField(left) }
  }

  /** The records of `ids`, and those made from them, that the holder can read now or could read before. */
  async #some(ids: readonly string[]): Promise<Change | undefined> {
    const known = this.#known ?? new Map<string, string>()
    const made = await reached(this.#parts.askOwner, { ids, made: true })
    const asked = new Set([...ids, ...made.map(({ id }) => id)])
    const now = await reached(this.#parts.ask, { ids: [...asked] })
    const changed = new Set(ids)
    const news = now.filter(({ id }) => changed.has(id) || !known.has(id))
    for (const { id } of now) asked.delete(id)
    const left = [...asked].flatMap((id) => {
      const kind = known.get(id)
      return kind === undefined ? [] : [{ id, kind }]
    })
    for (const { id, kind } of now) known.set(id, kind)
    for (const { id } of left) known.delete(id)
    const told = [...news, ...left]
    if (told.length === 0) return undefined
    const kinds = [...new Set(told.map(({ kind }) => kind))]
    return { ids: told.map(({ id }) => id), kinds, more: 0, ...leftField(left) }
  }

  async #list(): Promise<Map<string, string>> {
    return new Map((await reached(this.#parts.ask, {})).map(({ id, kind }) => [id, kind]))
  }
}

const leftField = (left: readonly Named[]) => (left.length === 0 ? {} : { left: left.slice(0, namedLimit) })

/** The records that whoever asks may read: all, or those of `ids`. */
async function reached(
  ask: Ask,
  { ids, ...query }: { readonly ids?: readonly string[]; readonly made?: boolean },
): Promise<Named[]> {
  const found: Named[] = []
  for (let from = 0; from === 0 || from < (ids?.length ?? 0); from += pageSize) {
    const named = ids === undefined ? {} : { ids: ids.slice(from, from + pageSize) }
    for (let after: string | undefined; ;) {
      const page = { ...query, ...named, limit: pageSize, ...(after === undefined ? {} : { after }) }
      const { records } = (await ask('access:reach', page)) as { readonly records: readonly Named[] }
      for (const one of records) found.push(one)
      if (records.length < pageSize) break
      after = records.at(-1)?.id
    }
  }
  return found
}

async function told(event: Exclude<BookEvent, { name: 'change' }>, ask: Ask): Promise<BookEvent | undefined> {
  switch (event.name) {
    case 'closed':
      return event
    case 'status': {
      // What does not work is the owner's to know.
      const { owner, durability } = event.detail
      return { name: 'status', detail: { owner, durability } }
    }
    case 'inbox':
      return (await reached(ask, { ids: [event.detail.id] })).length > 0 ? event : undefined
    case 'proposal': {
      // An agent has its own.
      const { proposals } = (await ask('a2p:list_proposals', { id: event.detail.id })) as {
        readonly proposals: readonly unknown[]
      }
      return proposals.length > 0 ? event : undefined
    }
    case 'room':
      // Answered to those alone whose token lets them in.
      await ask('room:who_is_here', {})
      return event
    case 'consent': {
      const { requests } = (await ask('consent:requests', {})) as { requests: readonly Pick<Named, 'id'>[] }
      return requests.some(({ id }) => id === event.detail.id) ? event : undefined
    }
    case 'pool':
      return (await reached(ask, { ids: [event.detail.record] })).length > 0 ? event : undefined
    case 'progress':
    case 'task':
    case 'activity':
    case 'sync':
    case 'secret':
      return undefined
  }
}
