// A book in a file, or in memory, in this process. Invariant: a book that could not be opened is not left locked.
import { dirname, resolve } from 'node:path'
import { createDaybook, type Daybook, methodTable } from '../../../book/daybook.ts'
import { checkAborted } from '../../../core/abort.ts'
import { bookScope, checkBookName } from '../../../core/book.ts'
import type { PoolCarrier } from '../../../core/pool/pool-carrier.ts'
import type { RoomSize } from '../../../core/capability/port/room-port.ts'
import { roomOption, roomSizeOf, roomSizeText } from '../../../commons/room/room-size.ts'
import { type SecretMode, secretModes } from '../../../core/secret/stored-secrets.ts'
import {
  anyOption,
  flagOption,
  optionsOf,
  scopeOptionTable,
  signalOption,
  textOption,
  typedOption,
  wordOption,
} from '../../../core/option/option-check.ts'
import { createLocalDoor, type EngineDoor } from '../../../doors/local-door.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { createEngine, type Engine } from '../../../engine/engine.ts'
import { llmOption } from '../../../memory/conversation/llm/llm-option-check.ts'
import { createLlm, type LlmOptions } from '../../../memory/conversation/llm/llm-options.ts'
import { embedderOption, type EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { createHttpCarrier } from '../../../sync/device/http-carrier.ts'
import { mirrorOptionTable, type SyncPreferences } from '../../../sync/device/sync-plan.ts'
import { openBookZone } from '../../../web/web-zone.ts'
import { type ArchiveOptions, nodeArchives } from '../archive/node-archives.ts'
import { openNodeKeyring } from '../key/key-file.ts'
import { openNodeVault } from '../key/vault-file.ts'
import { nodeEmbedder } from '../model/node-embedder.ts'
import { nodeGzip } from '../port/node-gzip.ts'
import { nodePorts } from '../port/node-ports.ts'
import { makeOwnFolder } from '../port/private-file.ts'
import { type BookFile, openBookFile } from './book-file.ts'
import { openNodeDatabase } from './node-database.ts'
import { type HoldingTurn, type Joiner, openSharedBook } from '../socket/open-shared-book.ts'
import { hasSockets } from '../socket/socket-place.ts'

export interface NodeBookOptions {
  /** One book = one database, one mirror: 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /**
   * The file of the book, or `:memory:`. Default `./<name>.daybook`. Its key is kept beside it, in `<path>.key`. What is there
   * for others to read is narrowed to its owner.
   */
  readonly path?: string
  /** Default scope of what is stored. */
  readonly agent?: string
  readonly session?: string
  readonly resource?: string
  readonly durability?: 'relaxed' | 'strict'
  /**
   * Whose days are meant by dates without a time, by counts of a day and by words such as `yesterday`: a name of the IANA
   * database (`Europe/Berlin`). Default that of this machine.
   */
  readonly timeZone?: string
  /** Guards the keys that encrypt sensitive records. Without one they are in files that only their owner may read. */
  readonly passphrase?: string
  /** False: no text index in memory beside the one on disk. Slower recall, less memory: for short-lived processes. */
  readonly textIndexInMemory?: boolean
  /**
   * What is done when something to be stored holds a secret of known form (a provider's key, a private key, a password in an
   * address, a card number). `seal`: its record becomes sensitive, and is encrypted. `mask`: a mark takes its place. `warn`:
   * it is stored, and `on('secret')` tells. `off`: nobody looks. Default `seal`, and `mask` while the book is locked.
   */
  readonly secrets?: SecretMode
  /**
   * False: recalls and contexts are not kept as they were asked. Default: they are, for 7 days and 10,000 of them at most, on this
   * device alone, sealed when the book is (`book.activity`).
   */
  readonly activity?: boolean
  /** The mirror: base address of the edge, the key or how to get it, and when and what to sync. */
  readonly sync?: { readonly url: string; readonly key: string | (() => Promise<string>) } & SyncPreferences
  /**
   * How large the meeting room is: messages kept (`slots`, default 100), bytes of one (`slotBytes`, default 1,024), `participants`
   * (default 32). It is as the first of several tabs asked for.
   */
  readonly room?: Partial<RoomSize>
  /** What gives records vectors. Default none: recall is by full text, and nothing leaves the machine. */
  readonly embedder?: EmbedderOptions
  /** A language model for summaries and profiles, behind an OpenAI-compatible endpoint. Default none. */
  readonly llm?: LlmOptions
  /**
   * Keeps a copy of the records in `<path>.checkpoint`, brought up to date in idle moments, from which comes back what can't
   * be read in a damaged file. Default true without `sync`: with it, the mirror is the copy.
   */
  readonly checkpoint?: boolean
  /**
   * The ways to the agents of other books. `edge`: over the live line to the mirror (`sync.live`), to the other devices of this
   * book; `carriers`: others, as `openKafka` makes one. Default none: envelopes wait in the outbox.
   */
  readonly pool?: { readonly edge?: boolean; readonly carriers?: readonly PoolCarrier[] }
  /**
   * Processes of one user share a book: the first to open its file holds it and listens on a socket that is its user's alone,
   * the others work through it, with the holder's `sync`, `embedder` and `llm`, and when it ends one of them holds the book.
   * `false`: neither. `join: false`: hold it or reject with `open-elsewhere`. `path`: listen there too, for agents that speak
   * P3394. A book that was opened with a passphrase is shared with those who give it. Default true; not on Windows.
   */
  readonly share?: boolean | { readonly path?: string; readonly join?: boolean }
  /**
   * Where archives of the book go (`book.archives`), unless a call says otherwise: `s3://bucket/path`. Credentials come from the
   * environment alone, of a shared book from that of the process that holds it: see docs/move.md.
   */
  readonly archive?: ArchiveOptions
  readonly signal?: AbortSignal
}

const checkOptions = optionsOf<NodeBookOptions>({
  ...scopeOptionTable,
  name: anyOption,
  path: textOption(4000),
  durability: wordOption('relaxed', 'strict'),
  timeZone: textOption(100),
  secrets: wordOption(...secretModes),
  activity: flagOption,
  room: roomOption,
  passphrase: textOption(1024),
  textIndexInMemory: flagOption,
  sync: optionsOf(mirrorOptionTable, ['url', 'key']),
  embedder: embedderOption,
  llm: llmOption,
  checkpoint: flagOption,
  pool: optionsOf({ edge: flagOption, carriers: anyOption }),
  share: typedOption({ boolean: anyOption, object: optionsOf({ path: textOption(100), join: flagOption }) }),
  archive: optionsOf({ target: textOption(1000) }),
  signal: signalOption,
})

/**
 * Opens a book in this process, or through the process that has it open. Rejects with `open-elsewhere` while another has it
 * that does not share it.
 */
export async function openDaybook(options: NodeBookOptions): Promise<Daybook> {
  checkOptions(options, '')
  if (options.signal) checkAborted(options.signal)
  const parts = partsOf(options)
  if (parts.path !== memoryPath) makeOwnFolder(dirname(parts.path))
  const door = createLocalDoor(await openEngine(options, parts), nodePorts.scheduler)
  return createDaybook(door, methodTable(capabilityTable), globalThis)
}

type BookParts = ReturnType<typeof partsOf>

async function openEngine(options: NodeBookOptions, parts: BookParts): Promise<EngineDoor> {
  const { path } = parts
  const { durability, passphrase, share = true } = options
  const file = { path, ...(durability ? { durability } : {}) }
  if (path !== memoryPath && share !== false && hasSockets) {
    return openSharedBook({
      path,
      share: share === true ? {} : share,
      joiner: joinerOf(options, parts),
      signal: options.signal,
      hold: (turn) =>
        openBookFile(file, (found) => turn.held(found, createBookEngine(options, parts, found, turn))),
    })
  }
  const engine = openBookFile(file, (found) => createBookEngine(options, parts, found))
  try {
    if (passphrase !== undefined) await engine.call('seal:unlock', { passphrase })
    return engine
  } catch (error) {
    engine.close()
    throw error
  }
}

/** What the holder of the book is told of this process. */
function joinerOf(options: NodeBookOptions, { embedder, llm }: BookParts): Joiner {
  return {
    scope: bookScope(options),
    strict: options.durability === 'strict',
    passphrase: options.passphrase,
    embedder: embedder?.name ?? 'none',
    mirror: options.sync?.url,
    llm: llm?.name,
    room: options.room && roomSizeText(roomSizeOf(options.room)),
  }
}

const memoryPath = ':memory:'

/** What is made of the options before any file is touched: a mistake in them is told first. */
function partsOf({ name, path, secrets, embedder, llm, timeZone }: NodeBookOptions) {
  const checkedName = checkBookName(name)
  return {
    name: checkedName,
    secrets,
    zone: openBookZone(timeZone),
    path: path === memoryPath ? path : resolve(path ?? `${checkedName}.daybook`),
    embedder: nodeEmbedder(embedder),
    llm: createLlm(llm, { web: globalThis, scheduler: nodePorts.scheduler }),
  }
}

function createBookEngine(
  options: NodeBookOptions,
  { name, path, zone, secrets, embedder, llm }: BookParts,
  { db, storage, wasKept, check, checkpointFile, erase, useReserve, isScarce }: BookFile,
  turn?: HoldingTurn,
): Engine {
  const { sync, checkpoint = !sync, textIndexInMemory } = options
  const isInMemory = path === memoryPath
  const kept = { storage, care: { check }, checkpointFile: { file: checkpointFile, isWanted: checkpoint } }
  const engine: Engine = createEngine({
    db,
    eraseHere: async () => {
      turn?.erasing()
      erase(() => engine.close())
      turn?.erased()
    },
    ...(turn ? { tab: turn.process, room: turn.room() } : {}),
    ports: nodePorts,
    name,
    scope: bookScope(options),
    zone,
    durability: isInMemory ? 'memory' : 'file',
    ...(isInMemory ? {} : kept),
    useReserve,
    isScarce,
    wasKept,
    embedder,
    ...(textIndexInMemory === false ? { textIndex: false } : {}),
    llm,
    keys: openNodeKeyring(isInMemory ? undefined : `${path}.key`),
    vault: openNodeVault(isInMemory ? undefined : path),
    secrets,
    activity: options.activity,
    roomSize: roomSizeOf(options.room),
    openMemory: () => openNodeDatabase({ path: memoryPath }),
    ...(sync ? { sync, carrier: carrierOf(name, sync) } : {}),
    carriers: options.pool?.carriers,
    poolLine: options.pool?.edge,
    archives: nodeArchives(options.archive ?? {}, isInMemory ? undefined : path),
  })
  return engine
}

function carrierOf(book: string, { url, key, live }: NonNullable<NodeBookOptions['sync']>) {
  return createHttpCarrier({
    url,
    key,
    book,
    fetch: globalThis.fetch,
    gzip: nodeGzip,
    scheduler: nodePorts.scheduler,
    socket: live === true ? openSocket : undefined,
  })
}

/** An open line keeps the process alive until the book is closed, so it is kept only where that was asked for. */
const openSocket = (url: string, protocols: string[]) => new WebSocket(url, protocols)
