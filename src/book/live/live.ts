// Live queries of a book: what is asked once and told anew as the book changes. Invariant: equal queries are one while
// anybody listens, and for a while after, so that who comes back finds the last answer at once.
import type { BookEvent } from '../../core/capability/event.ts'
import type { DaybookError } from '../../core/errors.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import type { Json } from '../../core/json/path.ts'
import { LiveAnswer, type LiveSnapshot } from './live-answer.ts'
import { clockOf, type LiveHost } from './live-clock.ts'
import { type AnyLiveQuery, checkLiveQuery, listensFor, type MethodTable } from './live-query.ts'

export type { LiveSnapshot } from './live-answer.ts'
export type { LiveHost } from './live-clock.ts'

/** Who is told by an observable, as RxJS and others have it. */
export interface LiveObserver<T> {
  readonly next?: ((data: T) => void) | undefined
  readonly error?: ((error: DaybookError) => void) | undefined
  readonly complete?: (() => void) | undefined
}

/** What `Symbol.observable` gives: data as they come, then the error if there is one, which ends it. */
export interface LiveObservable<T> {
  subscribe(observer: LiveObserver<T> | ((data: T) => void)): { unsubscribe(): void }
}

/** A query that goes on being answered while somebody listens. */
export interface Live<T> {
  /** How it stands: the same object until something in it changed. */
  getSnapshot(): LiveSnapshot<T>
  /**
   * Calls `onChange` whenever there is another snapshot, until the function it answers is called. The first listener begins
   * the query, the last one that goes ends it.
   */
  subscribe(onChange: () => void): () => void
  /** The same as an observable. It is there as `Symbol.observable` too, where a program defines that. */
  '@@observable'(): LiveObservable<T>
}

/** The book as a live query sees it. */
export interface LiveDoor {
  call(id: string, input: unknown, options: object): Promise<unknown>
  on(listener: (event: BookEvent) => void): () => void
  /** In place of `on` where the holder of a token asks: see `BookDoor`. */
  readonly watch?: ((listener: (event: BookEvent) => void) => () => void) | undefined
}

/** How many queries that nobody listens to are remembered with their last answer. */
const keptQueries = 50

/** The member `live` of a book. */
export function createLive(door: LiveDoor, methods: MethodTable, host: LiveHost) {
  const kept = new Map<string, Live<unknown>>()
  const unused = new Set<string>()
  const clock = clockOf(host)
  const { watch } = door

  function use(key: string, live: Live<unknown>, isUsed: boolean): void {
    unused.delete(key)
    kept.set(key, live)
    if (isUsed) return
    unused.add(key)
    const [oldest] = unused
    if (unused.size <= keptQueries || oldest === undefined) return
    unused.delete(oldest)
    kept.delete(oldest)
  }

  return (query: AnyLiveQuery): Live<unknown> => {
    const id = checkLiveQuery(query, methods)
    const { method, input, kinds } = query
    const key = canonicalText({ method, input, kinds } as Json)
    const known = kept.get(key)
    if (known) return known
    const answer = new LiveAnswer({
      ask: () => door.call(id, input, {}),
      on: watch ?? ((listener) => door.on(listener)),
      isNews: listensFor(id, watch ? undefined : kinds),
      isGuest: watch !== undefined,
      clock,
      used: (isUsed) => use(key, live, isUsed),
    })
    const live = liveOf(answer)
    use(key, live, false)
    return live
  }
}

function liveOf(answer: LiveAnswer): Live<unknown> {
  const live: Live<unknown> = {
    getSnapshot: () => answer.getSnapshot(),
    subscribe: (onChange) => answer.subscribe(onChange),
    '@@observable': () => observableOf(live),
  }
  return withSymbol(live, live['@@observable'])
}

/** A program that knows `Symbol.observable` has defined it; the language has not. */
function withSymbol<Target extends object>(target: Target, observable: () => unknown): Target {
  const { observable: symbol } = Symbol as unknown as { readonly observable?: symbol }
  return symbol === undefined ? target : Object.assign(target, { [symbol]: observable })
}

function observableOf(live: Live<unknown>): LiveObservable<unknown> {
  const observable: LiveObservable<unknown> = {
    subscribe(given) {
      const observer = typeof given === 'function' ? { next: given } : given
      let last: unknown = live
      const tell = () => {
        const { status, data, error } = live.getSnapshot()
        if (status === 'ready' && data !== last) observer.next?.((last = data))
        if (!error) return
        off()
        observer.error?.(error)
      }
      const off = live.subscribe(tell)
      if (live.getSnapshot().status === 'ready') tell()
      return { unsubscribe: off }
    },
  }
  return withSymbol(observable, () => observable)
}
