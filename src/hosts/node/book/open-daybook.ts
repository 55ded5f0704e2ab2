// Opens a book in a file, or in memory, in this process. Invariant: a book that fails to open isn't left
// locked.
import { dirname, resolve } from 'node:path'
import { createDaybook, type Daybook, methodTable } from '../../../book/daybook.ts'
import { checkAborted } from '../../../core/abort.ts'
import { bookScope, checkBookName } from '../../../core/book.ts'
import type { PoolCarrier } from '../../../core/pool.ts'
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
} from '../../../core/option-check.ts'
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
import { nodeGzip, nodePorts } from '../port/node-ports.ts'
import { makeOwnFolder } from '../port/private-file.ts'
import { type BookFile, openBookFile } from './book-file.ts'
import { openNodeDatabase } from './node-database.ts'
import { type OwnerTurn, type Joiner, openSharedBook } from '../socket/open-shared-book.ts'
import { hasSockets } from '../socket/socket-place.ts'

export interface NodeBookOptions {
  /** One book = one database, one mirror: 1 to 64 letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /**
   * The file of the book, or `:memory:`. Default `./<name>.daybook`. Its key is in `<path>.key`. Files that
   * others can read are restricted to their owner.
   */
  readonly path?: string
  /** Default scope of stored records. */
  readonly agent?: string
  readonly session?: string
  readonly resource?: string
  readonly durability?: 'relaxed' | 'strict'
  /**
   * Time zone for dates without a time, counts of a day and words such as `yesterday`: an IANA name
   * (`Europe/Berlin`). Default: that of this machine.
   */
  readonly timeZone?: string
  /**
   * Guards the keys that encrypt sensitive records. Without one the keys are in files that only their owner
   * may read.
   */
  readonly passphrase?: string
  /**
   * False: no text index in memory beside the one on disk. Slower recall, less memory: for short-lived
   * processes.
   */
  readonly textIndexInMemory?: boolean
  /**
   * Action when a record to store contains a secret of known form (a provider's key, a private key, a
   * password in a URL, a card number). `seal`: the record becomes sensitive, and is encrypted. `mask`: a mark
   * replaces the secret. `warn`: it is stored, and `on('secret')` reports it. `off`: no check. Default
   * `seal`, and `mask` while the book is locked.
   */
  readonly secrets?: SecretMode
  /**
   * False: recalls and contexts aren't logged. Default: they are, for 7 days and 10,000 of them at most, on
   * this device only, sealed when the book is (`book.activity`).
   */
  readonly activity?: boolean
  /** The mirror: address of the edge, its key or a function that gets it, and when and what to sync. */
  readonly sync?: { readonly url: string; readonly key: string | (() => Promise<string>) } & SyncPreferences
  /**
   * Size of the meeting room: messages kept (`slots`, default 100), bytes of one (`slotBytes`, default
   * 1,024), `participants` (default 32). The first of several tabs decides.
   */
  readonly room?: Partial<RoomSize>
  /** Gives records vectors. Default none: recall is by full text, and nothing leaves the machine. */
  readonly embedder?: EmbedderOptions
  /** A language model for summaries and profiles, behind an OpenAI-compatible endpoint. Default none. */
  readonly llm?: LlmOptions
  /**
   * Keeps a copy of the records in `<path>.checkpoint`, updated when idle, to restore records of a damaged
   * file. Default true without `sync`: with it, the mirror is the copy.
   */
  readonly checkpoint?: boolean
  /**
   * Connections to the agents of other books. `edge`: over the live line to the mirror (`sync.live`), to
   * other devices of this book; `carriers`: others, such as those of `openKafka`. Default none: envelopes
   * wait in the outbox.
   */
  readonly pool?: { readonly edge?: boolean; readonly carriers?: readonly PoolCarrier[] }
  /**
   * Processes of one user share a book: the first to open its file owns it and listens on a socket for that
   * user only. The others work through it, with the owner's `sync`, `embedder` and `llm`; when it ends, one
   * of them becomes the owner. `false`: not shared. `join: false`: own it or reject with `open-elsewhere`.
   * `path`: also listen there, for P3394 agents. A book with a passphrase is shared with those who give it.
   * Default true; not on Windows.
   */
  readonly share?: boolean | { readonly path?: string; readonly join?: boolean }
  /**
   * Default target of the book's archives (`book.archives`): `s3://bucket/path`. Credentials come from the
   * environment only; for a shared book from that of its owner process: see docs/move.md.
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
 * Opens a book in this process, or through the process that owns it. Rejects with `open-elsewhere` if the
 * owner doesn't share it.
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

/** Description of this process for the owner of the book. */
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

/** Derived from the options before any file is touched, so that mistakes are reported first. */
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
  { db, storage, existedBefore, check, checkpointFile, erase, useReserve, isScarce }: BookFile,
  turn?: OwnerTurn,
): Engine {
  const { sync, checkpoint = !sync, textIndexInMemory } = options
  const isInMemory = path === memoryPath
  const fileParts = {
    storage,
    care: { check },
    checkpointFile: { file: checkpointFile, isWanted: checkpoint },
  }
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
    ...(isInMemory ? {} : fileParts),
    useReserve,
    isScarce,
    existedBefore,
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

/** An open line keeps the process alive until the book is closed, so it needs `live: true`. */
const openSocket = (url: string, protocols: string[]) => new WebSocket(url, protocols)
