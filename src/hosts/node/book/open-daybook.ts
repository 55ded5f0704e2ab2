// A book in a file, or in memory, in this process. Invariant: a book that could not be opened is not left locked.
import { dirname, resolve } from 'node:path'
import { createDaybook, type Daybook, methodTable } from '../../../book/daybook.ts'
import { checkAborted } from '../../../core/abort.ts'
import { bookScope, checkBookName } from '../../../core/book.ts'
import type { RoomSize } from '../../../core/capability/room-port.ts'
import { roomOption, roomSizeOf } from '../../../commons/room/room-size.ts'
import { type SecretMode, secretModes } from '../../../core/secret/stored-secrets.ts'
import {
  anyOption,
  flagOption,
  optionsOf,
  scopeOptionTable,
  signalOption,
  textOption,
  wordOption,
} from '../../../core/option/option-check.ts'
import { createLocalDoor } from '../../../doors/local-door.ts'
import { capabilityTable } from '../../../engine/capability-table.ts'
import { createEngine, type Engine } from '../../../engine/engine.ts'
import { llmOption } from '../../../memory/conversation/llm/llm-option-check.ts'
import { createLlm, type LlmOptions } from '../../../memory/conversation/llm/llm-options.ts'
import { embedderOption, type EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { createHttpCarrier } from '../../../sync/device/http-carrier.ts'
import { mirrorOptionTable, type SyncPreferences } from '../../../sync/device/sync-plan.ts'
import { openZone } from '../../../web/web-zone.ts'
import { openNodeKeyring } from '../key/key-file.ts'
import { openNodeVault } from '../key/vault-file.ts'
import { nodeEmbedder } from '../model/node-embedder.ts'
import { nodeGzip } from '../port/node-gzip.ts'
import { nodePorts } from '../port/node-ports.ts'
import { makeOwnFolder } from '../port/private-file.ts'
import { type BookFile, openBookFile } from './book-file.ts'
import { openNodeDatabase } from './node-database.ts'

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
  readonly signal?: AbortSignal
}

const checkOptions = optionsOf<NodeBookOptions>({
  ...scopeOptionTable,
  name: anyOption,
  path: textOption(4000),
  durability: wordOption('relaxed', 'strict'),
  timeZone: textOption(100),
  secrets: wordOption(...secretModes),
  room: roomOption,
  passphrase: textOption(1024),
  textIndexInMemory: flagOption,
  sync: optionsOf(mirrorOptionTable, ['url', 'key']),
  embedder: embedderOption,
  llm: llmOption,
  checkpoint: flagOption,
  signal: signalOption,
})

/** Opens a book in this process. Rejects with `open-elsewhere` while another process has it open. */
export async function openDaybook(options: NodeBookOptions): Promise<Daybook> {
  checkOptions(options, '')
  if (options.signal) checkAborted(options.signal)
  const parts = partsOf(options)
  const { path } = parts
  if (path !== memoryPath) makeOwnFolder(dirname(path))
  const { durability, passphrase } = options
  const engine = openBookFile({ path, ...(durability ? { durability } : {}) }, (file) =>
    createBookEngine(options, parts, file),
  )
  try {
    if (passphrase !== undefined) await engine.call('seal:unlock', { passphrase })
    const door = createLocalDoor(engine, nodePorts.scheduler)
    return createDaybook(door, methodTable(capabilityTable), globalThis)
  } catch (error) {
    engine.close()
    throw error
  }
}

const memoryPath = ':memory:'

/** What is made of the options before any file is touched: a mistake in them is told first. */
function partsOf({ name, path, secrets, embedder, llm, timeZone }: NodeBookOptions) {
  const checkedName = checkBookName(name)
  return {
    name: checkedName,
    secrets,
    zone: openZone(timeZone),
    path: path === memoryPath ? path : resolve(path ?? `${checkedName}.daybook`),
    embedder: nodeEmbedder(embedder),
    llm: createLlm(llm, { web: globalThis, scheduler: nodePorts.scheduler }),
  }
}

function createBookEngine(
  options: NodeBookOptions,
  { name, path, zone, secrets, embedder, llm }: ReturnType<typeof partsOf>,
  { db, storage, check, checkpointFile, erase }: BookFile,
): Engine {
  const { sync, checkpoint = !sync, textIndexInMemory } = options
  const isInMemory = path === memoryPath
  const kept = { storage, care: { check }, checkpointFile: { file: checkpointFile, isWanted: checkpoint } }
  const engine: Engine = createEngine({
    db,
    eraseHere: async () => erase(() => engine.close()),
    ports: nodePorts,
    name,
    scope: bookScope(options),
    zone,
    durability: isInMemory ? 'memory' : 'file',
    ...(isInMemory ? {} : kept),
    embedder,
    ...(textIndexInMemory === false ? { textIndex: false } : {}),
    llm,
    keys: openNodeKeyring(isInMemory ? undefined : `${path}.key`),
    vault: openNodeVault(isInMemory ? undefined : path),
    secrets,
    roomSize: roomSizeOf(options.room),
    openMemory: () => openNodeDatabase({ path: memoryPath }),
    ...(sync ? { sync, carrier: carrierOf(name, sync) } : {}),
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
