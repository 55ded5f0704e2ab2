// Opens a book in a file or in memory: in this process, or through the process that owns the book.
// Invariant: a book that fails to open doesn't stay locked.
import { invalidInput, isDaybookError } from '../../../core/errors.ts'
import { dirname, resolve } from 'node:path'
import { bookTable } from '../../../book/book-table.ts'
import { createDaybook, type Daybook } from '../../../book/daybook.ts'
import { checkAborted } from '../../../core/abort.ts'
import { bookScope, checkBookName } from '../../../core/book.ts'
import type { PoolCarrier } from '../../../core/pool.ts'
import type { Scope } from '../../../core/record.ts'
import type { RoomSize } from '../../../core/capability/port/room-port.ts'
import { carriersOption } from '../../../commons/pool/carrier-option.ts'
import { checkRoomOption, roomSizeOf, roomSizeText } from '../../../commons/room/room-size.ts'
import { type SecretMode, secretModes } from '../../../core/secret/stored-secrets.ts'
import {
  anyOption,
  flagOption,
  type OptionCheck,
  optionsOf,
  scopeOptionTable,
  signalOption,
  textOption,
  typedOption,
  wordOption,
} from '../../../core/option-check.ts'
import { createLocalDoor, type EngineDoor } from '../../../doors/local-door.ts'
import { capabilityTable, kinds } from '../../../engine/capability-table.ts'
import { createEngine, type Engine } from '../../../engine/engine.ts'
import { llmOption } from '../../../memory/conversation/llm/llm-option-check.ts'
import { createLlm, type LlmOptions } from '../../../memory/conversation/llm/llm-options.ts'
import { embedderOption, type EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { createHttpCarrier } from '../../../sync/device/http-carrier.ts'
import { mirrorOptionTable, parseSyncPlan, type SyncPreferences } from '../../../sync/device/sync-plan.ts'
import { passphraseLength } from '../../../core/sealed.ts'
import { openBookZone } from '../../../web/web-zone.ts'
import { type ArchiveOptions, nodeArchives } from '../archive/node-archives.ts'
import { openNodeKeyring } from '../key/key-file.ts'
import { keyPlaceOf } from '../key/key-place.ts'
import { afterKeyWork, keySuffix } from '../key/key-turn.ts'
import { openNodeVault } from '../key/vault-file.ts'
import { defaultEmbedderSource, noneIfOwner } from '../model/default-embedder.ts'
import { nodeEmbedder } from '../model/node-embedder.ts'
import { nodeGzip, nodePorts } from '../port/node-ports.ts'
import { makeOwnFolder } from '../port/private-file.ts'
import { type BookFile, openBookFile } from './book-file.ts'
import { type BookPath, bookPathOf, dropBesideLink } from '../port/book-path.ts'
import { isErased } from './erase-file.ts'
import { memoryPath, openNodeDatabase } from './node-database.ts'
import { withPathFault } from './path-fault.ts'
import { type OwnerTurn, type Joiner, openSharedBook } from '../socket/open-shared-book.ts'
import { hasSockets } from '../socket/socket-place.ts'

export interface NodeBookOptions {
  /**
   * The book's name: 1 to 64 letters, digits, `.`, `_`, `-`. Each book has its own database and its own
   * mirror.
   */
  readonly name: string
  /**
   * The file of the book, or `:memory:`. Default `./<name>.daybook`. Its key is in `<path>.key`. Opening
   * restricts the book's files to their owner.
   */
  readonly path?: string | undefined
  /** Default scope of stored records. Default `agent`: 'agent'; `session`, `resource`: none. */
  readonly agent?: string | undefined
  readonly session?: string | undefined
  readonly resource?: string | undefined
  /**
   * `relaxed` (default): commits survive a killed process; a power cut may lose the last ones. `strict`: each
   * commit also waits until the disk has it.
   */
  readonly durability?: 'relaxed' | 'strict' | undefined
  /**
   * Time zone for dates without a time, counts of a day and words such as `yesterday`: an IANA name
   * (`Europe/Berlin`). Default: this machine's time zone.
   */
  readonly timeZone?: string | undefined
  /**
   * Protects the keys that encrypt sensitive records. Default: only the permissions of the key files protect
   * these keys. A wrong passphrase rejects with `wrong-passphrase`.
   */
  readonly passphrase?: string | undefined
  /**
   * False: no text index in memory, only the index on disk. Recall is slower and uses less memory: for
   * short-lived processes. Default true.
   */
  readonly textIndexInMemory?: boolean | undefined
  /**
   * Action when a record to store contains a secret of known form (a provider's key, a private key, a
   * password in a URL, a card number). `seal`: the record becomes sensitive, and is encrypted. `mask`: a mark
   * replaces the secret. `warn`: the secret is stored, and `on('secret')` reports it. `off`: no check.
   * Default `seal`, and `mask` while the book is locked.
   */
  readonly secrets?: SecretMode | undefined
  /**
   * Whether recalls and contexts are logged (`book.activity`). Default true: at most 10,000 entries of the
   * last 7 days, on this device only, sealed if the book is sealed.
   */
  readonly activity?: boolean | undefined
  /**
   * The mirror: `url` of the edge, `key` or a function that fetches the key, and when and what to sync.
   * Default: no mirror.
   */
  readonly sync?:
    ({ readonly url: string; readonly key: string | (() => Promise<string>) } & SyncPreferences) | undefined
  /**
   * Size of the meeting room: `slots`, messages kept (default 100); `slotBytes`, most bytes of a message
   * (default 1,024); `participants` (default 32). The first process's option applies to all processes.
   */
  readonly room?: Partial<RoomSize> | undefined
  /**
   * Computes the vectors of records. Default: the table of `daybook/meaning`, which is a file of this package; it is
   * read for the first text or question, and nothing leaves the machine. A book that has vectors of another embedder
   * keeps those, and words answer until it is opened with that embedder. `{ provider: 'none' }`: words only.
   */
  readonly embedder?: EmbedderOptions | undefined
  /** A language model for summaries and profiles, behind an OpenAI-compatible endpoint. Default none. */
  readonly llm?: LlmOptions | undefined
  /**
   * Keeps a copy of the records in `<path>.checkpoint`, updated when idle, to restore records of a damaged
   * file. Default: true without `sync`, false with `sync`, because then the mirror has a copy.
   */
  readonly checkpoint?: boolean | undefined
  /**
   * Connections to the agents of other books. `edge`: over the live line to the mirror (`sync.live`), to
   * other devices of this book; `carriers`: further connections, such as those of `openKafka`. Default none:
   * envelopes wait in the outbox.
   */
  readonly pool?: { readonly edge?: boolean; readonly carriers?: readonly PoolCarrier[] } | undefined
  /**
   * Processes of one user share a book: the first process that opens the file owns the book, and listens on a
   * socket that only this user can use. The other processes work through the owner, with the owner's `sync`,
   * `embedder` and `llm`; when the owner ends, another process becomes the owner. `false`: the book isn't
   * shared. `join: false`: this process must be the owner, otherwise it rejects with `open-elsewhere`.
   * `path`: also listens on this socket path, for P3394 agents. While a passphrase has the keys of the book open,
   * only processes that give it can join; processes that joined before read sealed records too. Default true; never
   * shared on Windows.
   */
  readonly share?: boolean | { readonly path?: string; readonly join?: boolean } | undefined
  /**
   * Default target of the book's archives (`book.archives`): `s3://bucket/path`. Credentials come from the
   * environment only; for a shared book from the owner process's environment: see docs/move.md.
   */
  readonly archive?: ArchiveOptions | undefined
  /** Cancels the opening. Has no effect when the book is open. */
  readonly signal?: AbortSignal | undefined
}

const pathOption = textOption(4000)

const bookPathOption: OptionCheck = (value, path) => {
  pathOption(value, path)
  if (String(value).includes('\0')) throw invalidInput(path, 'Must not contain the character U+0000.')
}

const checkOptions = optionsOf<NodeBookOptions>({
  ...scopeOptionTable,
  name: anyOption,
  path: bookPathOption,
  durability: wordOption('relaxed', 'strict'),
  timeZone: textOption(100),
  secrets: wordOption(...secretModes),
  activity: flagOption,
  room: checkRoomOption,
  passphrase: textOption(passphraseLength.most, passphraseLength.least),
  textIndexInMemory: flagOption,
  sync: optionsOf(mirrorOptionTable, ['url', 'key']),
  embedder: embedderOption,
  llm: llmOption,
  checkpoint: flagOption,
  pool: optionsOf({ edge: flagOption, carriers: carriersOption }),
  share: typedOption({ boolean: anyOption, object: optionsOf({ path: textOption(100), join: flagOption }) }),
  archive: optionsOf({ target: textOption(1000) }),
  signal: signalOption,
})

/**
 * Opens a book in this process, or through the process that owns it. Rejects with `invalid-input` for wrong
 * options, `open-elsewhere` if the owner doesn't share the book, and `storage-failed` if the file is no book or
 * can't be opened.
 */
export const openDaybook = (options: NodeBookOptions): Promise<Daybook> => openDaybookAs(options)

/**
 * `openDaybook`, with `agent` as the agent of this process's calls. The agent of the book itself, which delegates of
 * tokens may not have as their name, stays that of `options`.
 */
export async function openDaybookAs(options: NodeBookOptions, agent?: string): Promise<Daybook> {
  try {
    checkOptions(options, '')
  } catch (cause) {
    if (isDaybookError(cause)) throw cause
    throw invalidInput('', "The options can't be read: a getter or a proxy threw an error", { cause })
  }
  if (options.signal) checkAborted(options.signal)
  const { path, ...others } = partsOf(options)
  // Not where a link leads: that disk may not be mounted.
  if (path !== memoryPath) withPathFault(path, () => makeOwnFolder(dirname(path)))
  const place = path === memoryPath ? { path } : bookPathOf(path)
  const scope = bookScope({ ...options, agent: agent ?? options.agent })
  const engine = await openEngine(options, { ...others, place, scope })
  dropBesideLink(place)
  const door = createLocalDoor(engine, nodePorts.scheduler)
  return createDaybook(door, bookTable(capabilityTable, kinds), globalThis)
}

/** `scope`: default scope of this process's calls. */
type BookParts = Omit<ReturnType<typeof partsOf>, 'path'> & {
  readonly place: BookPath
  readonly scope: Scope
}

async function openEngine(options: NodeBookOptions, parts: BookParts): Promise<EngineDoor> {
  const { place } = parts
  const { path } = place
  const { durability, passphrase, share = true } = options
  const file = { ...place, ...(durability ? { durability } : {}) }
  if (path !== memoryPath && share !== false && hasSockets) {
    return openSharedBook({
      ...place,
      share: share === true ? {} : share,
      joiner: joinerOf(options, parts),
      signal: options.signal,
      isErased: () => isErased(path),
      hold: (turn) =>
        openBookFile(file, (found) => turn.held(found, createBookEngine(options, parts, found, turn))),
    })
  }
  const engine = openBookFile(file, (found) => createBookEngine(options, parts, found))
  try {
    if (passphrase !== undefined) await engine.call('seal:unlock', { passphrase })
    const from = { tab: 'here', scope: parts.scope, owner: true }
    return {
      ...engine,
      call: (id, input, call) => engine.call(id, input, { from, ...call }),
      close: () => afterKeyWork(place, engine.close),
    }
  } catch (error) {
    engine.close()
    throw error
  }
}

/** The description that this process sends to the owner of the book. The owner's options apply to all processes. */
function joinerOf(options: NodeBookOptions, { embedder, llm, scope }: BookParts): Joiner {
  return {
    scope,
    strict: options.durability === 'strict',
    passphrase: options.passphrase,
    // Reported only if this process names one; `none` too, because the owner's embedder gets its texts.
    embedder: options.embedder === noneIfOwner ? undefined : options.embedder && (embedder?.name ?? 'none'),
    mirror: options.sync?.url,
    llm: llm?.name,
    room: options.room && roomSizeText(roomSizeOf(options.room)),
  }
}

/**
 * Returns parts derived from the options. Call it before any file is opened: it throws for wrong options.
 */
function partsOf({ name, path, secrets, embedder, llm, timeZone, sync }: NodeBookOptions) {
  const checkedName = checkBookName(name)
  if (sync) {
    // Only to check the options: both throw for wrong ones.
    carrierOf(checkedName, sync)
    parseSyncPlan(sync, kinds)
  }
  return {
    name: checkedName,
    secrets,
    zone: openBookZone(timeZone),
    path: path === memoryPath ? path : resolve(path ?? `${checkedName}.daybook`),
    embedder: embedder ? nodeEmbedder(embedder) : defaultEmbedderSource(),
    llm: createLlm(llm, { web: globalThis, scheduler: nodePorts.scheduler }),
  }
}

/**
 * Creates the engine of an open file. `turn`: absent if the book isn't shared. The options of the engine:
 * engine/engine-options.ts.
 */
function createBookEngine(
  options: NodeBookOptions,
  { name, place, zone, secrets, embedder, llm }: BookParts,
  { db, storage, existedBefore, check, checkpointFile, erase, useReserve, isScarce }: BookFile,
  turn?: OwnerTurn,
): Engine {
  const { sync, checkpoint = !sync, textIndexInMemory } = options
  const { path } = place
  const isInMemory = path === memoryPath
  const keys = isInMemory ? undefined : keyPlaceOf(place)
  const fileParts = {
    storage,
    care: { check },
    checkpointFile: { file: checkpointFile, isWanted: checkpoint },
  }
  /** The error of an erasure that has begun and failed. */
  let unfinished: Error | undefined
  const engine: Engine = createEngine({
    db,
    eraseHere: async () => {
      let hasBegun = false
      try {
        // The erasure begins first, which may fail: then the book stays open and shared.
        await afterKeyWork(place, () =>
          erase(() => {
            hasBegun = true
            turn?.erasing()
            engine.close()
          }),
        )
      } catch (error) {
        if (hasBegun) unfinished = error as Error
        throw error
      } finally {
        if (hasBegun) turn?.erased()
      }
    },
    ...(turn ? { tab: turn.process, room: turn.room() } : {}),
    ports: nodePorts,
    name,
    scope: bookScope(options),
    zone,
    durability: isInMemory ? 'memory' : 'file',
    ...(isInMemory ? {} : fileParts),
    useReserve,
    isScarce,
    existedBefore,
    embedder,
    ...(textIndexInMemory === false ? { textIndex: false } : {}),
    llm,
    keys: openNodeKeyring(keys && keys.signing + keySuffix),
    vault: openNodeVault(keys?.sealing),
    secrets,
    activity: options.activity,
    roomSize: roomSizeOf(options.room),
    openMemory: () => openNodeDatabase({ path: memoryPath }),
    ...(sync ? { sync, carrier: carrierOf(name, sync) } : {}),
    carriers: options.pool?.carriers,
    poolLine: options.pool?.edge,
    archives: nodeArchives(options.archive ?? {}, isInMemory ? undefined : path),
  })
  return {
    ...engine,
    call: (...call) => (unfinished ? Promise.reject(unfinished) : engine.call(...call)),
  }
}

function carrierOf(book: string, { url, key, live }: NonNullable<NodeBookOptions['sync']>) {
  return createHttpCarrier({
    url,
    key,
    book,
    fetch: (to, { timeoutMs, ...init }) =>
      fetch(to, { ...init, signal: timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs) }),
    gzip: nodeGzip,
    scheduler: nodePorts.scheduler,
    socket: live === true ? openSocket : undefined,
  })
}

/**
 * Opens the live line. An open line keeps the process alive until the book is closed, so the line needs
 * `live: true`.
 */
const openSocket = (url: string, protocols: string[]) => new WebSocket(url, protocols)
