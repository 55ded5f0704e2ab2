// `daybook/node`: a book in a file, or in memory, in this process.
import { dirname, resolve } from 'node:path'
import { checkAborted } from '../../core/abort.ts'
import { bookScope, checkBookName } from '../../core/book.ts'
import { capabilityTable } from '../../engine/capability-table.ts'
import { createDaybook, type Daybook, methodTable } from '../../book/daybook.ts'
import { createEngine } from '../../engine/engine.ts'
import type { EmbedderOptions } from '../../recall/embed/embedder-options.ts'
import { createLocalDoor } from '../../doors/local-door.ts'
import type { SyncPreferences } from '../../sync/device/sync-plan.ts'
import { createLlm, type LlmOptions } from '../../memory/conversation/llm/llm-options.ts'
import { createHttpCarrier } from '../../sync/device/http-carrier.ts'
import { openNodeKeyring } from './key/key-file.ts'
import { openBookFile } from './book/book-file.ts'
import { openNodeDatabase } from './book/node-database.ts'
import { nodeEmbedder } from './model/node-embedder.ts'
import { nodeGzip } from './port/node-gzip.ts'
import { nodePorts } from './port/node-ports.ts'
import { makeOwnFolder } from './port/private-file.ts'
import { openNodeVault } from './key/vault-file.ts'

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
  /** Guards the keys that encrypt sensitive records. Without one they are in files that only their owner may read. */
  readonly passphrase?: string
  /** False: no text index in memory beside the one on disk. Slower recall, less memory: for short-lived processes. */
  readonly textIndexInMemory?: boolean
  /** The mirror: base address of the edge, the key or how to get it, and when and what to sync. */
  readonly sync?: { readonly url: string; readonly key: string | (() => Promise<string>) } & SyncPreferences
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

/** An open line keeps the process alive until the book is closed, so it is kept only where that was asked for. */
const openSocket = (url: string, protocols: string[]) => new WebSocket(url, protocols)

/** Opens a book in this process. Rejects with `open-elsewhere` while another process has it open. */
export async function openDaybook(options: NodeBookOptions): Promise<Daybook> {
  if (options.signal) checkAborted(options.signal)
  const name = checkBookName(options.name)
  const embedder = nodeEmbedder(options.embedder)
  const path = options.path === ':memory:' ? options.path : resolve(options.path ?? `${name}.daybook`)
  if (path !== ':memory:') makeOwnFolder(dirname(path))
  const llm = createLlm(options.llm, { web: globalThis, scheduler: nodePorts.scheduler })
  const inMemory = path === ':memory:'
  const engine = openBookFile(
    { path, ...(options.durability ? { durability: options.durability } : {}) },
    ({ db, storage, check, spare }) =>
      createEngine({
        db,
        ports: nodePorts,
        name,
        scope: bookScope(options),
        durability: inMemory ? 'memory' : 'file',
        ...(inMemory
          ? {}
          : {
              storage,
              care: { check },
              spare: { file: spare, isWanted: options.checkpoint ?? !options.sync },
            }),
        embedder,
        ...(options.textIndexInMemory === false ? { textLeg: false } : {}),
        llm,
        keys: openNodeKeyring(inMemory ? undefined : `${path}.key`),
        vault: openNodeVault(inMemory ? undefined : path),
        openMemory: () => openNodeDatabase({ path: ':memory:' }),
        ...(options.sync
          ? {
              sync: options.sync,
              carrier: createHttpCarrier({
                url: options.sync.url,
                key: options.sync.key,
                book: name,
                fetch: globalThis.fetch,
                gzip: nodeGzip,
                scheduler: nodePorts.scheduler,
                socket: options.sync.live === true ? openSocket : undefined,
              }),
            }
          : {}),
      }),
  )
  try {
    if (options.passphrase !== undefined) await engine.call('seal:unlock', { passphrase: options.passphrase })
    return createDaybook(
      createLocalDoor(engine, nodePorts.scheduler),
      methodTable(capabilityTable),
      globalThis,
    )
  } catch (error) {
    // What could not be opened must not stay locked.
    engine.close()
    throw error
  }
}

export { DaybookError, type ErrorCode, isDaybookError } from '../../core/errors.ts'
export {
  type Answered,
  type MirrorServer,
  serveMirrors,
  type ServeMirrorsOptions,
} from './serve/serve-mirrors.ts'
export { type EmbedServer, serveEmbed, type ServeEmbedOptions } from './serve/serve-embed.ts'
export type { LlmOptions } from '../../memory/conversation/llm/llm-options.ts'
export type { EmbedderOptions } from '../../recall/embed/embedder-options.ts'
export type { BookEvents } from '../../core/capability/event.ts'
export type { CapabilityId, CapabilityInput, CapabilityOutput, Daybook } from '../../book/daybook.ts'
