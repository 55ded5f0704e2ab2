// Live queries: calls that are repeated when the book changes.
// Invariant: equal queries are shared while they have listeners, and for a while after, so that a returning listener
// of the owner gets the last answer at once. Only methods that read are repeated; if in doubt, a call is repeated.
import { canonicalText } from '../../core/text/canonical-json.ts'
import { copyJson } from '../../core/json/copy-json.ts'
import type { Json } from '../../core/json/path.ts'
import { LiveAnswer, type LiveSnapshot } from './live-answer.ts'
import { clockOf, type LiveHost } from './live-clock.ts'
import { type BookTable, kindInTable, type MethodRow, unknownName } from '../book-table.ts'
import type { BookEvent } from '../../core/capability/event.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import {
  anyOption,
  functionOption,
  listOption,
  nearName,
  optionsOf,
  textOption,
  typedOption,
} from '../../core/option-check.ts'

export type { LiveSnapshot } from './live-answer.ts'
export type { LiveHost } from './live-clock.ts'

/** Observer of an observable, as in RxJS. */
export interface LiveObserver<T> {
  readonly next?: ((data: T) => void) | undefined
  readonly error?: ((error: DaybookError) => void) | undefined
  readonly complete?: (() => void) | undefined
}

/** Result of `Symbol.observable`: emits data, and ends with the first error. */
export interface LiveObservable<T> {
  subscribe(observer: LiveObserver<T> | ((data: T) => void)): { unsubscribe(): void }
}

/** A live query. */
export interface Live<T> {
  /** The current state: the same object until something in it changes. */
  getSnapshot(): LiveSnapshot<T>
  /**
   * Calls `onChange` after each new snapshot, until the returned function is called. The first listener starts the
   * query, and the end of the last listener stops it. Throws `invalid-input` unless `onChange` is a function.
   */
  subscribe(onChange: () => void): () => void
  /** The query as an observable; also under `Symbol.observable`, if the program defines that symbol. */
  '@@observable'(): LiveObservable<T>
}

/** The used part of a book's door. */
export interface LiveDoor {
  call(id: string, input: unknown, options: object): Promise<unknown>
  on(listener: (event: BookEvent) => void): () => void
  /**
   * Replaces `on` for the holder of a token. Its listener also gets events that the holder may not see: it repeats the
   * call, and shows no event.
   */
  readonly watch?: ((listener: (event: BookEvent) => void) => () => void) | undefined
}

/** Most queries without listeners that stay cached; the longest unused go first. */
const cachedQueries = 50

/** Creates `book.live`. */
export function createLiveMember(door: LiveDoor, table: BookTable, host: LiveHost) {
  const cache = new Map<string, Live<unknown>>()
  /** Keys of cached queries without listeners, the longest unused first. */
  const unused = new Set<string>()
  const clock = clockOf(host)
  const { watch } = door

  function use(key: string, live: Live<unknown>, isUsed: boolean): void {
    unused.delete(key)
    // A removed query that gets a listener again is cached again.
    cache.set(key, live)
    if (isUsed) return
    unused.add(key)
    const [oldest] = unused
    if (unused.size <= cachedQueries || oldest === undefined) return
    unused.delete(oldest)
    cache.delete(oldest)
  }

  return (query: AnyLiveQuery): Live<unknown> => {
    const { id, kinds } = checkLiveQuery(query, table)
    const { method } = query
    // The caller may change its object later, but others may share this query. True: only JSON is allowed.
    const input = copyJson(query.input, true)
    const key = canonicalText({ method, input, kinds } as Json)
    const cached = cache.get(key)
    if (cached) return cached
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
    subscribe(onChange) {
      functionOption(onChange, 'onChange')
      return answer.subscribe(onChange)
    },
    '@@observable': () => observableOf(live),
  }
  return withSymbol(live, live['@@observable'])
}

/** The language doesn't define `Symbol.observable`, but a program may. */
function withSymbol<Target extends object>(target: Target, observable: () => unknown): Target {
  const { observable: symbol } = Symbol as unknown as { readonly observable?: symbol }
  return symbol === undefined ? target : Object.assign(target, { [symbol]: observable })
}

const checkObserver = typedOption({ function: anyOption, object: checkObserverMethods })

/** Other members are allowed: observers of a program are instances of its own classes. */
function checkObserverMethods(observer: unknown, path: string): void {
  for (const name of ['next', 'error', 'complete']) {
    const method = (observer as Record<string, unknown>)[name]
    if (method !== undefined) functionOption(method, `${path}.${name}`)
  }
}

function observableOf(live: Live<unknown>): LiveObservable<unknown> {
  const observable: LiveObservable<unknown> = {
    subscribe(target) {
      checkObserver(target, 'observer')
      const observer = typeof target === 'function' ? { next: target } : target
      // At first a value that equals no data.
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

/** A live query without its types. */
export interface AnyLiveQuery {
  readonly method: string
  readonly input?: unknown
  readonly kinds?: readonly string[] | undefined
}

const checkShape = optionsOf<AnyLiveQuery>(
  { method: textOption(200), input: anyOption, kinds: listOption(textOption(100)) },
  ['method'],
)

/**
 * Returns the verb id of a live query and the names of its kinds; throws `invalid-input` for an unknown method or kind,
 * or for a method that changes the book.
 */
export function checkLiveQuery(query: AnyLiveQuery, table: BookTable): { id: string; kinds?: string[] } {
  checkShape(query, 'query')
  const id = liveVerb(query, table)
  const kinds = query.kinds?.map((name, i) => kindInTable(table, name, `query.kinds.${i}`))
  return { id, ...defined({ kinds }) }
}

function liveVerb({ method }: AnyLiveQuery, { methods }: BookTable): string {
  const path = 'query.method'
  const row = methods.find(([name]) => name === method)
  if (!row) {
    const reads = methods.filter(isRead).map(([name]) => name)
    throw unknownName(path, `There is no method \`${method}\`.`, nearName(method, reads))
  }
  if (isRead(row)) return row[1]
  const message = `\`${path}\`: \`${method}\` changes the book; only methods that read can be live.`
  throw new DaybookError('invalid-input', message, { details: { path } })
}

const isRead = ([, , effect]: MethodRow) => effect === 'read'

type EventName = BookEvent['name']

/** Events beside `change` that may change the answers of verbs, by the prefix of their ids. */
const eventsOf: readonly (readonly [start: string, names: readonly EventName[]])[] = [
  ['daybook:', ['status', 'sync', 'task']],
  ['embed:', ['status', 'task']],
  ['recall:', ['status']],
  ['ks:recall', ['status']],
  ['seal:', ['status']],
  ['task:', ['task']],
  ['activity:', ['activity']],
  ['room:', ['room', 'status']],
  // `katra:sunrise` shows the participants of the room.
  ['katra:', ['room']],
  ['pool:', ['pool']],
  ['a2p:', ['proposal']],
  ['consent:', ['consent']],
]

/** Verbs that search vectors: each batch of new vectors may change their answers, and so may a loaded model. */
const searchesVectors = new Set(['daybook:recall', 'recall:context', 'recall:explain', 'ks:recall'])

/**
 * Returns a test for events that may change the answer of verb `id`. Of changed records, only `kinds` count; omit
 * `kinds` for the holder of a token, since records of any kind may change its reach.
 */
export function listensFor(id: string, kinds: readonly string[] | undefined): (event: BookEvent) => boolean {
  const names = new Set(eventsOf.filter(([start]) => id.startsWith(start)).flatMap(([, list]) => list))
  return (event) => {
    if (event.name === 'progress')
      return event.detail.capability === 'embed:status' && searchesVectors.has(id)
    if (event.name !== 'change') return names.has(event.name)
    return kinds === undefined || event.detail.kinds.some((kind) => kinds.includes(kind))
  }
}
