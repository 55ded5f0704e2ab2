// What users hold: a book, whose namespaces and types are the capability table and nothing else.
import type { CapabilityTable } from './capability-table.ts'
import type { AbortSignalLike } from './core/abort.ts'
import type { BookEvents } from './core/event.ts'
import { formatTime } from './core/time.ts'
import type { InputOf, OutputOf } from './core/schema.ts'

type Entry = CapabilityTable[number]
/** Every capability id. */
export type CapabilityId = Entry['id']
type ById<Id extends CapabilityId> = Extract<Entry, { readonly id: Id }>
/** What a capability takes and answers. */
export type CapabilityInput<Id extends CapabilityId> = InputOf<ById<Id>['input']>
export type CapabilityOutput<Id extends CapabilityId> = OutputOf<ById<Id>['output']>

export interface BookCallOptions {
  /** Makes a write safe to send again: it takes effect once. */
  readonly requestId?: string
  readonly signal?: AbortSignalLike
  /** Milliseconds to wait for the answer; default 30,000, and none for long work. */
  readonly deadlineMs?: number
}

type Verb<E extends Entry> =
  undefined extends InputOf<E['input']>
    ? (input?: InputOf<E['input']>, options?: BookCallOptions) => Promise<OutputOf<E['output']>>
    : (input: InputOf<E['input']>, options?: BookCallOptions) => Promise<OutputOf<E['output']>>

type MethodOf<E extends Entry> = E['methods'][number]
type Head<M extends string> = M extends `${infer Name}.${string}` ? Name : M
/** What is left of the methods that begin with `Name`. */
type Below<M extends string, Name extends string> = M extends `${Name}.${infer Rest}` ? Rest : never
type EntryOf<M extends string> = Entry extends infer E
  ? E extends Entry
    ? M extends MethodOf<E>
      ? E
      : never
    : never
  : never
type Method = MethodOf<Entry>

/** Verbs and namespaces, which nest: `M` are methods without the `Prefix` that leads here. */
type Verbs<M extends string, Prefix extends string = ''> = {
  readonly [Name in Head<M>]: [Below<M, Name>] extends [never]
    ? Verb<EntryOf<`${Prefix}${Name}`>>
    : Verbs<Below<M, Name>, `${Prefix}${Name}.`>
}

/** Something to import: the text itself, or a file (a `File`, a `Blob`). */
export type ImportSource =
  string | { text(): Promise<string>; readonly name?: string; readonly lastModified?: number }

export interface ImportOptions extends BookCallOptions {
  /** The name of the file, for messages; default the source's own. */
  readonly name?: string
}

export interface BookMembers extends AsyncDisposable {
  /** The generic door: any capability by its id. `book.traces.store(x)` is `book.call('kstar:store_trace', x)`. */
  call<Id extends CapabilityId>(
    id: Id,
    ...rest: undefined extends CapabilityInput<Id>
      ? [input?: CapabilityInput<Id>, options?: BookCallOptions]
      : [input: CapabilityInput<Id>, options?: BookCallOptions]
  ): Promise<CapabilityOutput<Id>>
  call<Id extends string>(
    id: Id extends CapabilityId ? never : Id,
    input?: unknown,
    options?: BookCallOptions,
  ): Promise<unknown>
  /** Imports what another program saved: SWE-agent trajectories (`.traj`). Whole or not at all, and each file once. */
  import(source: ImportSource, options?: ImportOptions): Promise<CapabilityOutput<'import:swe_agent'>>
  /** Listens until the function it answers is called. */
  on<Name extends keyof BookEvents>(name: Name, listener: (detail: BookEvents[Name]) => void): () => void
  /** Ends the book here: what waits is committed, calls that wait for an answer are rejected. */
  close(): Promise<void>
}

/** A book. See README for what each verb does; `call` takes the same verbs by id. */
export type Daybook = Verbs<Method> & BookMembers

/** What a book is built on: an engine in this thread, or one behind a wire. */
export interface BookDoor {
  call(id: string, input: unknown, options: BookCallOptions): Promise<unknown>
  on(listener: (event: { name: keyof BookEvents; detail: BookEvents[keyof BookEvents] }) => void): () => void
  close(): Promise<void>
}

/** Where each capability hangs on a book: pairs of method and id. */
export type MethodTable = ReadonlyArray<readonly [method: string, id: string]>

/** Builds a book over `door`; `methods` comes from the capability table of the engine behind it. */
export function createDaybook(door: BookDoor, methods: MethodTable): Daybook {
  const book: Record<string, unknown> = {}
  for (const [method, id] of methods) {
    const verb = (input: unknown, options: BookCallOptions = {}) => door.call(id, input, options)
    const names = method.split('.')
    const last = names.pop() ?? ''
    let place = book
    for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>
    place[last] = verb
  }
  const members: BookMembers = {
    call: (id: string, input?: unknown, options: BookCallOptions = {}) =>
      door.call(id, input, options) as Promise<never>,
    import: async (source, options = {}) =>
      (await door.call('import:swe_agent', await readSource(source, options), options)) as never,
    on: (name, listener) =>
      door.on((event) => {
        if (event.name === name) listener(event.detail as never)
      }),
    close: () => door.close(),
    [Symbol.asyncDispose]: () => door.close(),
  }
  return Object.assign(book, members) as unknown as Daybook
}

async function readSource(
  source: ImportSource,
  { name }: ImportOptions,
): Promise<CapabilityInput<'import:swe_agent'>> {
  if (typeof source === 'string') return { text: source, ...(name === undefined ? {} : { name }) }
  const own = name ?? source.name
  return {
    text: await source.text(),
    ...(own ? { name: own } : {}),
    ...(source.lastModified === undefined ? {} : { recorded_at: formatTime(source.lastModified) }),
  }
}

/** Reads the method table off capabilities. */
export function methodTable(
  table: readonly { readonly id: string; readonly methods: readonly string[] }[],
): MethodTable {
  return table.flatMap(({ id, methods }) => methods.map((method) => [method, id] as const))
}
