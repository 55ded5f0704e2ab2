// Builds the book object that users call. Its methods come from the table of the running engine (`BookTable`), their
// types from `CapabilityTable`.
import {
  checkFileOptions,
  checkSource,
  type ByteStream,
  exportStream,
  type ImportSource,
  peekBundle,
  readText,
  sendPieces,
  sourceTexts,
  withTexts,
  type WebStreams,
} from './book-stream.ts'
import { checkAborted, createDeadline, neverAborted, type AbortSignalLike } from '../core/abort.ts'
import { type BookDoor, checkEventName } from './book-door.ts'
import { createBookEnd, type EndSignal } from './book-end.ts'
import { HandleDoor, type HandleOptions } from './book-handle.ts'
import { callListener, clockOf } from './live/live-clock.ts'
import type { BookTable } from './book-table.ts'
import { outerVerb } from './outer-verb.ts'
import { type Live, type LiveHost, createLiveMember } from './live/live.ts'
import {
  checkToolOptions,
  modelTools,
  type ModelTools,
  type ToolFormat,
  type ToolOptions,
} from './tool/model-tools.ts'
import {
  checkOfferOptions,
  type OfferedTools,
  type OfferHost,
  type OfferOptions,
  offerTools,
} from './tool/offer-tools.ts'
import { type BookCallOptions, callOptionTable, checkCallOptions, splitOptions } from './call-options.ts'
import type { CapabilityTable, RecordByKind } from '../engine/capability-table.ts'
import type { RecallHit } from '../core/capability/port/recall-port.ts'
import type { RoomMessage } from '../core/capability/port/room-port.ts'
import type { SecretCount } from '../core/secret/stored-secrets.ts'
import { anyOption, functionOption, optionsOf, textOption } from '../core/option-check.ts'
import { DaybookError, type ErrorCode, invalidInput, isDaybookError } from '../core/errors.ts'
import { formatTime } from '../core/time.ts'
import type { InputOf, OutputOf } from '../core/schema.ts'
import type { BookEvents } from '../core/capability/event.ts'
import { defined } from '../core/defined.ts'

export type { BookDoor } from './book-door.ts'
export type { HandleOptions } from './book-handle.ts'
export type { BookCallOptions } from './call-options.ts'
export type { OfferedTools, OfferOptions } from './tool/offer-tools.ts'
export type { ModelTools, ToolAnswer, ToolFormat, ToolOptions, ToolShapes } from './tool/model-tools.ts'
export type { ToolSetName } from './tool/tool-source.ts'
export type { Live, LiveObservable, LiveObserver, LiveSnapshot } from './live/live.ts'

type Entry = CapabilityTable[number]
// Entries are looked up by key: a search would make the compiler compare every schema with every other schema.
type ById = { readonly [E in Entry as E['id']]: E }
type ByMethod = { readonly [E in Entry as E['methods'][number]]: E }
type Method = keyof ByMethod
/** The path of a verb on a book: `traces.store`. */
export type BookMethod = Method

/** The kinds of records: `trace`, `fact`, `message`, … */
export type RecordKind = keyof RecordByKind
/** A record of kind `K`, as verbs return it. `RecordOf` without `K` is any record: its `kind` narrows the type. */
export type RecordOf<K extends RecordKind = RecordKind> = { [Name in K]: RecordByKind[Name] }[K]
/**
 * A fact with `data` of the type `Data`. The book checks `data` by the fact's schema, if the schema is registered.
 */
export type FactOf<Data extends object> = RecordOf<'fact'> & { readonly data: Data }
/** A hit of `recall`: the record, its score (0 to 1) and the reasons. */
export type Hit<K extends RecordKind = RecordKind> = Omit<RecallHit, 'record'> & {
  readonly record: RecordOf<K>
}

type Answer<E extends Entry> = OutputOf<E['output']>
/** `Answer` with records of the kinds `K` in place of records of any kind. */
type With<Id extends keyof ById, Field extends string, Item> = Omit<Answer<ById[Id]>, Field> & {
  [Name in Field]: Item[]
}
type RecallAnswer<K extends RecordKind> = With<'daybook:recall', 'hits', Hit<K>>
type PageOf<Record> = With<'kstar:query_memory', 'records', Record>

/** Answers with records of many kinds, typed so that a record's `kind` narrows its type. */
interface Narrowed {
  'daybook:recall': RecallAnswer<RecordKind>
  'kstar:get_record': RecordOf | null
  'kstar:query_memory': PageOf<RecordOf>
  'kstar:search_memory': With<'kstar:search_memory', 'records', RecordOf>
  'kstar:citing': With<'kstar:citing', 'records', RecordOf>
}
type AnswerOf<E extends Entry> = E['id'] extends keyof Narrowed ? Narrowed[E['id']] : Answer<E>

/** Id of a capability. */
export type CapabilityId = keyof ById
/** Input and answer of a capability. */
export type CapabilityInput<Id extends CapabilityId> = InputOf<ById[Id]['input']>
export type CapabilityOutput<Id extends CapabilityId> = AnswerOf<ById[Id]>

/** A kind that the caller knows (`K`), or any other text; editors still suggest the known kinds. */
type KindName<K extends RecordKind> = K | (string & Record<never, never>)
type InputWith<Id extends CapabilityId, Field extends string, Value> = Omit<
  NonNullable<CapabilityInput<Id>>,
  Field
> & { readonly [Name in Field]?: Value | undefined }

/** Methods whose answer depends on the type of their input. */
interface Generic {
  recall<K extends RecordKind = RecordKind>(
    input: InputWith<'daybook:recall', 'kinds', readonly KindName<K>[]>,
    options?: BookCallOptions,
  ): Promise<RecallAnswer<K>>
  'records.query'<K extends RecordKind = RecordKind>(
    input?: InputWith<'kstar:query_memory', 'kind', KindName<K>>,
    options?: BookCallOptions,
  ): Promise<PageOf<RecordOf<K>>>
  'records.search'<K extends RecordKind = RecordKind>(
    input: InputWith<'kstar:search_memory', 'kind', KindName<K>>,
    options?: BookCallOptions,
  ): Promise<With<'kstar:search_memory', 'records', RecordOf<K>>>
  'facts.query'<Data extends object = RecordOf<'fact'>['data']>(
    input?: CapabilityInput<'kstar:query_facts'>,
    options?: BookCallOptions,
  ): Promise<With<'kstar:query_facts', 'records', FactOf<Data>>>
}

type Verb<E extends Entry> =
  undefined extends InputOf<E['input']>
    ? (input?: InputOf<E['input']>, options?: BookCallOptions) => Promise<AnswerOf<E>>
    : (input: InputOf<E['input']>, options?: BookCallOptions) => Promise<AnswerOf<E>>

/** The part of a method before its first dot. */
type Head<M extends string> = M extends `${infer Name}.${string}` ? Name : M
/** The methods that begin with `Name.`, without that prefix. */
type Below<M extends string, Name extends string> = M extends `${Name}.${infer Rest}` ? Rest : never

/** Verbs and nested namespaces: `M` are methods without their `Prefix`. `recall` is a verb and has one below it. */
type Verbs<M extends string, Prefix extends string = ''> = {
  readonly [Name in Head<M>]: [Below<M, Name>] extends [never]
    ? Called<`${Prefix}${Name}`>
    : Verbs<Below<M, Name>, `${Prefix}${Name}.`> &
        (`${Prefix}${Name}` extends Method ? Called<`${Prefix}${Name}`> : unknown)
}
/** The verb with the method `Path`. */
type Called<Path extends string> = Path extends keyof Generic
  ? Generic[Path]
  : Path extends Method
    ? Verb<ByMethod[Path]>
    : never

/** The verbs whose answer has records of the kinds `K` only, if their input names these kinds. */
interface ByKind<K extends RecordKind> {
  'daybook:recall': RecallAnswer<K>
  'kstar:query_memory': PageOf<RecordOf<K>>
  'kstar:search_memory': With<'kstar:search_memory', 'records', RecordOf<K>>
}
type IdByKind = keyof ByKind<RecordKind>
/** The kinds that the input of a verb by kind names. */
interface NamedKinds<K extends RecordKind> {
  readonly kinds?: readonly KindName<K>[] | undefined
  readonly kind?: KindName<K> | undefined
}
/** Methods of the verbs by kind. */
type MethodByKind = { [M in Method]: ByMethod[M]['id'] extends IdByKind ? M : never }[Method]
/** `LiveQuery` of a verb by kind: the compiler takes `K` from it. */
type KindQuery<M extends Method, K extends RecordKind> = M extends MethodByKind
  ? { readonly method: M; readonly input?: NamedKinds<K> }
  : { readonly method: M }
type KindAnswer<E extends Entry, K extends RecordKind> = E['id'] extends IdByKind
  ? ByKind<K>[E['id']]
  : AnswerOf<E>

/** Methods that a live query may call: methods that only read. */
export type LiveMethod = { [M in Method]: ByMethod[M]['effect'] extends 'read' ? M : never }[Method]
/** The answer of a live query. `K`: the kinds that the query names. */
export type LiveData<M extends LiveMethod, K extends RecordKind = RecordKind> = KindAnswer<ByMethod[M], K>
/** The query of `book.live`: a method of the book by its name, and its input. */
export type LiveQuery<M extends LiveMethod = LiveMethod, K extends RecordKind = RecordKind> = KindQuery<
  M,
  K
> & {
  /** Only changes of these kinds repeat the query. Default: all. */
  readonly kinds?: readonly string[] | undefined
} & (undefined extends InputOf<ByMethod[M]['input']>
    ? { readonly input?: InputOf<ByMethod[M]['input']> }
    : { readonly input: InputOf<ByMethod[M]['input']> })

type ImportBundle = CapabilityInput<'bundle:import'>
type ExportBundle = CapabilityInput<'bundle:export'>
/** Fields of the verbs' inputs that the book itself sets while it transfers a file in pieces. */
type Transfer = 'text' | 'more' | 'cursor' | 'cancel' | 'size'

/** Content and form of an export. */
export type ExportOptions = Omit<ExportBundle, Transfer>

/** Options of an import: how to open the file, and how to import it. */
export interface ImportOptions extends BookCallOptions, Partial<Omit<ImportBundle, Transfer>> {
  /** Name of the file in messages. Default: the name of the source. */
  readonly name?: string | undefined
  /** Format of another program's file, if neither content nor name shows it: `markdown`, for example. */
  readonly format?: CapabilityInput<'import:file'>['format'] | undefined
}

export interface VerifyOptions
  extends BookCallOptions, Pick<CapabilityInput<'bundle:verify'>, 'passphrase' | 'signedBy'> {}

/** Result of an import. `skipped` records were already in the book. */
export interface ImportResult extends Pick<CapabilityOutput<'import:file'>, 'omitted'> {
  /** The detected format: `kstar-bundle`, or that of another program's file. */
  readonly format: string
  readonly imported: number
  readonly skipped: number
  /** True for another tool's file in a dry run: counts what would be stored, and stores nothing. */
  readonly dryRun?: boolean | undefined
  /** Session of all records of an imported run or chat. */
  readonly session?: string | undefined
  /** Records of an imported run or chat, in order. */
  readonly ids: readonly string[]
  /** Secrets of known forms found, by rule, kind and place, with the outcome. */
  readonly secrets: readonly SecretCount[]
  /** Full result for a bundle. */
  readonly bundle?: NonNullable<CapabilityOutput<'bundle:import'>['result']>
}

export interface BookMembers extends AsyncDisposable {
  /** Calls a capability by id. `book.traces.store(x)` is `book.call('kstar:store_trace', x)`. */
  call<Id extends IdByKind, K extends RecordKind = RecordKind>(
    id: Id,
    input: CapabilityInput<Id> & NamedKinds<K>,
    options?: BookCallOptions,
  ): Promise<ByKind<K>[Id]>
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
  /** Exports the book, or a part, as a `kstar-bundle` of this instant; later writes don't change the bundle. */
  export(options?: ExportOptions, call?: BookCallOptions): Promise<ByteStream>
  /**
   * Imports a bundle, or a file of another program: the whole file or nothing. A second import of a file adds
   * nothing.
   */
  import(source: ImportSource, options?: ImportOptions): Promise<ImportResult>
  /** Verifies a bundle without importing it. Rejects if the bundle is incomplete or has a wrong checksum. */
  verify(
    source: ImportSource,
    options?: VerifyOptions,
  ): Promise<NonNullable<CapabilityOutput<'bundle:verify'>['result']>>
  /**
   * Returns the same book with defaults for every call, import, export and listener: token, agent, session, resource.
   * A handle made from a handle replaces the options of the outer handle, except the token: another `as`, of a handle
   * or a call, must be a token granted below the handle's token (else `forbidden`), and nothing removes the token. So
   * a handle gives an agent no way to its owner's book. A listener with a token gets events only of records that its
   * holder may read. Closing a handle ends the calls (`book-closed`) and listeners of this handle and of handles made
   * from it; the book stays open. Throws `invalid-input` with the path of the wrong option.
   */
  with(options: HandleOptions): Daybook
  /**
   * Returns a query whose answer follows the book's changes, in this tab, in another or by a sync. Equal queries of
   * one book or handle are shared. Throws `invalid-input` for an unknown method, or for a method that changes the
   * book.
   */
  live<M extends LiveMethod, K extends RecordKind = RecordKind>(query: LiveQuery<M, K>): Live<LiveData<M, K>>
  /**
   * Returns tools for a model in this page or program, in the model's `tools` format, and the function that runs
   * them: see docs/connect.md. With a token (handle or `as`), only permitted tools. Rejects with `unauthorized` for
   * an invalid token, and with `invalid-input` for tool sets that can't be combined.
   */
  tools<Format extends ToolFormat>(options: ToolOptions<Format>): Promise<ModelTools<Format>>
  /**
   * Offers tools to the browser's agent (WebMCP) under a token: the token of the handle, or `as`. The tools end with
   * the book, the handle or the token. Without such an agent, offers nothing (`isSupported` is false). Rejects with
   * `conflict` if the page already has a tool of the same name.
   */
  offerTools(options?: OfferOptions): Promise<OfferedTools>
  /**
   * Calls `listener` at each event `name`; returns a function that removes the listener. Throws `invalid-input` for
   * an unknown event, and for a listener that is not a function. A listener that throws blocks no other; its error
   * becomes an uncaught error of the host, which ends a Node process.
   */
  on<Name extends keyof BookEvents>(name: Name, listener: (detail: BookEvents[Name]) => void): () => void
  readonly room: {
    /**
     * Calls `listener` for each message in the meeting room, from any tab; returns a function that removes the
     * listener.
     */
    onMessage(listener: (message: RoomMessage) => void): () => void
  }
  /**
   * Closes the book here: commits waiting writes, and rejects calls without an answer. On a handle, closes only the
   * handle: see `with`.
   */
  close(): Promise<void>
}

/** A book. docs/ describes each verb; `call` takes the same verbs by id. */
export type Daybook = Verbs<Method> & BookMembers

/**
 * Builds a book over `base`. `table` comes from the engine's capability table; `host` is the host's `globalThis`,
 * for its streams and timers. `outer` is the end of the book or handle that this handle is made from; absent for a book.
 */
export function createDaybook(base: BookDoor, table: BookTable, host: object, outer?: EndSignal): Daybook {
  const door = withChecks(base)
  const ending = createBookEnd(outer)
  const close = () => {
    ending.end()
    return door.close()
  }
  const web = host as WebStreams
  const clock = clockOf(host as LiveHost)
  const book: Record<string, unknown> = {}
  for (const [method, id] of table.methods) {
    const verb = (input: unknown, options: BookCallOptions = {}) => door.call(id, input, options)
    const names = method.split('.')
    const last = names.pop() ?? ''
    let place = book
    for (const name of names) place = (place[name] ??= {}) as Record<string, unknown>
    place[last] = verb
  }
  const members: BookMembers = {
    async call(id: string, input?: unknown, options: BookCallOptions = {}) {
      const outer = outerVerb(id)
      if (outer) throw outer
      return door.call(id, input, options) as Promise<never>
    },
    async export(options = {}, call = {}) {
      checkCallOptions(call)
      return exportStream(web, asking(door, 'bundle:export', call) as never, { ...options })
    },
    import: (source, options = {}) => importSource({ door, web, host: host as LiveHost }, source, options),
    async verify(source, options = {}) {
      checkSource(source)
      checkVerifyOptions(options, 'options')
      const { call, rest } = splitOptions(options)
      const { name, size } = fileOf(source)
      return inTime(host as LiveHost, call, (timed, signal) =>
        namingFile(name, () =>
          withTexts(sourceTexts(web, source, name ?? 'bundle', signal), signal, (texts) =>
            sendPieces(asking(door, 'bundle:verify', timed) as never, { ...rest, size }, texts),
          ),
        ),
      )
    },
    with: (options) => createDaybook(new HandleDoor(base, options, host as LiveHost), table, host, ending),
    async tools(options) {
      checkToolOptions(options)
      return modelTools(narrowed(base, options, host as LiveHost), options)
    },
    async offerTools(options = {}) {
      checkOfferOptions(options)
      return offerTools(narrowed(base, options, host as LiveHost), options, ending, host as OfferHost)
    },
    live: createLiveMember(door, table, host as LiveHost) as unknown as BookMembers['live'],
    on: (name, listener) => {
      // A listener for an unknown event would wait for ever.
      checkEventName(name, 'name')
      functionOption(listener, 'listener')
      return door.on((event) => {
        if (event.name === name) callListener(clock, () => listener(event.detail as never))
      }, name)
    },
    room: {
      onMessage(listener) {
        functionOption(listener, 'listener')
        return members.on('room', (event) => {
          // Other events of the room: participants that come and leave, and its state.
          if (event.type === 'said') listener(event.message)
        })
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  }
  // A handle ends with `outer`, so only the book itself listens.
  if (!outer) door.on(({ name }) => name === 'closed' && ending.end(), 'closed')
  return Object.assign(book, members, {
    room: { ...(book['room'] as object), ...members.room },
  }) as unknown as Daybook
}

/** The door for the holder of the token `as`; without `as`, `door` itself. */
function narrowed(door: BookDoor, { as }: { readonly as?: string | undefined }, host: LiveHost): BookDoor {
  return as === undefined ? door : new HandleDoor(door, { as }, host)
}

/** The door with checked call options. */
function withChecks(door: BookDoor): BookDoor {
  return {
    tools: door.tools,
    rights: door.rights,
    watch: door.watch,
    on: (listener, name) => door.on(listener, name),
    close: () => door.close(),
    call(id, input, options) {
      try {
        checkCallOptions(options)
        return door.call(id, input, { ...options })
      } catch (cause) {
        // A getter or a proxy may throw anything.
        const unread = () => invalidInput('options', "It can't be read: a getter threw an error", { cause })
        return Promise.reject(isDaybookError(cause) ? cause : unread())
      }
    },
  }
}

/**
 * Returns a function that calls one capability. `signal` does not abort a call with `cancel: true`, which ends the
 * transfer after an abort.
 */
function asking(door: BookDoor, id: string, { signal, ...options }: BookCallOptions) {
  return (input: Record<string, unknown>) =>
    door.call(id, input, input['cancel'] !== true && signal ? { ...options, signal } : options)
}

const checkVerifyOptions = optionsOf<VerifyOptions>({
  ...callOptionTable,
  passphrase: anyOption,
  signedBy: anyOption,
})

/** Only the names of bundle options are checked here; the bundle chapter checks their values. */
const checkImportOptions = optionsOf<ImportOptions>({
  ...callOptionTable,
  name: textOption(500),
  format: anyOption,
  mode: anyOption,
  kinds: anyOption,
  dryRun: anyOption,
  decisions: anyOption,
  includeTokens: anyOption,
  allowIncomplete: anyOption,
  passphrase: anyOption,
  signedBy: anyOption,
})

interface ImportParts {
  readonly door: BookDoor
  readonly web: WebStreams
  readonly host: LiveHost
}

async function importSource(
  { door, web, host }: ImportParts,
  source: ImportSource,
  options: ImportOptions,
): Promise<ImportResult> {
  checkSource(source)
  checkImportOptions(options, 'options')
  const { call, rest } = splitOptions(options)
  const name = options.name ?? fileOf(source).name ?? 'file'
  return inTime(host, call, (timed, signal) =>
    namingFile(options.name ?? fileOf(source).name, () =>
      withTexts(sourceTexts(web, source, name, signal), signal, (texts) =>
        importTexts(door, source, texts, { ...rest, ...timed, name }),
      ),
    ),
  )
}

/**
 * Runs a transfer, all of it within the deadline of the call. `work` gets the options of its calls, and the signal that
 * ends them: by the deadline or by the caller.
 */
async function inTime<Result>(
  host: LiveHost,
  { deadlineMs, signal = neverAborted, ...call }: BookCallOptions,
  work: (call: BookCallOptions, signal: AbortSignalLike) => Promise<Result>,
): Promise<Result> {
  checkAborted(signal)
  if (deadlineMs === undefined) return work({ ...call, signal }, signal)
  const later = (delayMs: number, task: () => void) => {
    const timer = host.setTimeout(task, delayMs)
    return () => host.clearTimeout(timer as never)
  }
  const deadline = createDeadline(signal, { later }, deadlineMs)
  try {
    return await work({ ...call, signal: deadline.signal }, deadline.signal)
  } catch (error) {
    if (!deadline.isOver() || !isDaybookError(error, 'aborted')) throw error
    throw new DaybookError('deadline-exceeded', undefined, { details: { deadlineMs, ...error.details } })
  } finally {
    deadline.end()
  }
}

async function importTexts(
  door: BookDoor,
  source: ImportSource,
  pieces: AsyncIterator<string>,
  options: ImportOptions & { readonly name: string },
): Promise<ImportResult> {
  const { call, rest } = splitOptions(options)
  const { name, format, ...bundle } = rest
  const { isBundle, texts } = await peekBundle(pieces, name)
  if (isBundle && format === undefined) {
    const ask = asking(door, 'bundle:import', call) as never
    const result: NonNullable<ImportResult['bundle']> = await sendPieces(
      ask,
      { ...bundle, size: fileOf(source).size },
      texts,
    )
    return {
      format: 'kstar-bundle',
      imported: result.imported,
      skipped: result.unchanged,
      ids: [],
      secrets: result.secrets,
      bundle: result,
    }
  }
  checkFileOptions(bundle)
  // The time of the records, for formats without times.
  const recorded = fileOf(source).lastModified
  const input = {
    text: await readText(texts, name),
    ...(bundle.dryRun === true ? { dryRun: true } : {}),
    ...(bundle.allowIncomplete === true ? { allowIncomplete: true } : {}),
    ...(name ? { name } : {}),
    ...defined({ format }),
    ...(recorded === undefined ? {} : { recordedAt: formatTime(recorded) }),
  }
  return (await door.call('import:file', input, call)) as CapabilityOutput<'import:file'>
}

/** Runs a transfer; an error about the file gets its name, if that is known, in `details.file` and the message. */
async function namingFile<Result>(
  file: string | undefined,
  transfer: () => Promise<Result>,
): Promise<Result> {
  try {
    return await transfer()
  } catch (error) {
    const isOfFile = isDaybookError(error) && fileFaults.has(error.code)
    if (!isOfFile || file === undefined || error.details['file'] !== undefined) throw error
    const { code, message, details, retry } = error
    throw new DaybookError(code, `${file}: ${message}`, {
      details: { file, ...details },
      retry,
      cause: error,
    })
  }
}

const fileFaults = new Set<ErrorCode>(['invalid-file', 'incomplete-file', 'bundle-newer'])

interface FileFacts {
  readonly name?: string
  /** Milliseconds since 1970. */
  readonly lastModified?: number
  /** Bytes, or characters of a text. */
  readonly size?: number
}

function fileOf(source: ImportSource): FileFacts {
  if (typeof source === 'string') return { size: source.length }
  return source instanceof Uint8Array ? { size: source.byteLength } : source
}
