// Creates the embedder of a book from its options.
import { DaybookError } from '../../core/errors.ts'
import type { Clock, Embedder, Wasm } from '../../core/ports.ts'
import type { ModelStore } from '../../store/vector/model-store.ts'
import type { EmbedHttpAccess } from './embed-fetch.ts'
import { embedderName, type EmbedderOptions, parseEmbedderOptions } from './embedder-options.ts'
import { createApiEmbedder, createHttpEmbedder } from './http-embedder.ts'
import { LocalEmbedder } from './local-embedder.ts'
import { createLsaEmbedder } from './lsa-embedder.ts'
import { createMeaningEmbedder } from './meaning-embedder.ts'
import type { TableHost } from './meaning/table-host.ts'
import type { ModelHost } from './model-message.ts'

/** The parts of its host that an embedder needs. */
export interface EmbedHost extends EmbedHttpAccess {
  readonly wasm?: Wasm | undefined
  /** Absent where no model can run. */
  readonly models?: ModelHost | undefined
  /** Absent where the table of `meaning` can't be read. */
  readonly tables?: TableHost | undefined
}

/** How to open the embedder; undefined without options or for `none`. Throws `invalid-input` with a path. */
export function embedderSource(
  options: EmbedderOptions | undefined,
  host: EmbedHost,
): EmbedderSource | undefined {
  const activeOptions = parseEmbedderOptions(options)
  if (!activeOptions) return undefined
  if (activeOptions.provider === 'local' && !host.models) throw noLocalModelsError()
  if (activeOptions.provider === 'meaning' && !host.tables) throw noTableError()
  const { questionDeadlineMs } = activeOptions
  const name = embedderName(activeOptions)
  if (activeOptions.provider === 'lsa')
    return {
      name,
      questionDeadlineMs,
      open: (parts) => createLsaEmbedder(activeOptions, { ...parts, scheduler: host.scheduler }),
    }
  return {
    name,
    questionDeadlineMs,
    open: ({ onLoading }) => createModelEmbedder(activeOptions, host, onLoading),
  }
}

/** Creates the embedder of any provider except `lsa`, which learns from the texts of the book. */
export function createModelEmbedder(
  options: Exclude<EmbedderOptions, { readonly provider: 'none' | 'lsa' }>,
  host: EmbedHost,
  onLoading?: () => void,
): Embedder {
  if (options.provider === 'http') return createHttpEmbedder(options, host)
  if (options.provider === 'api') return createApiEmbedder(options, host)
  if (options.provider === 'meaning') {
    if (!host.tables) throw noTableError()
    return createMeaningEmbedder(options, { ...host, host: host.tables, onLoading })
  }
  if (host.models) return new LocalEmbedder(options, { ...host, host: host.models, onLoading })
  throw noLocalModelsError()
}

/** In a page, `models` comes from the option `start`, which `localEmbedder` sets. The edge can't run a local model. */
function noLocalModelsError(): DaybookError {
  const message =
    '`embedder.start`: in a page a local model comes from `localEmbedder` of `daybook/local`; at the edge none can be run.'
  return new DaybookError('invalid-input', message, { details: { path: 'embedder.start' } })
}

/** In a page, `tables` comes with the option `url`, which `meaning` sets. The edge has no file to read. */
function noTableError(): DaybookError {
  const message =
    '`embedder.url`: in a page the table comes from `meaning` of `daybook/meaning`; the edge can not read it.'
  return new DaybookError('invalid-input', message, { details: { path: 'embedder.url' } })
}

/** An embedder that is not open yet. The engine calls `open` after it has opened the book. */
export interface EmbedderSource {
  /**
   * From `embedderName`. If another tab holds the book with an embedder of another name, the status says so. Absent at
   * the edge, which has no tabs.
   */
  readonly name?: string | undefined
  open(parts: {
    readonly models: ModelStore
    readonly clock: Clock
    /** Of the vectors that the book has: `provider|model|…`. Undefined if it never had any. */
    readonly fingerprint: () => string | undefined
    /** Called when the loading progress of a model changes. */
    readonly onLoading: () => void
  }): Embedder
  /** How long a recall waits for the vector of its question, in milliseconds. Default 800. */
  readonly questionDeadlineMs?: number | undefined
}
