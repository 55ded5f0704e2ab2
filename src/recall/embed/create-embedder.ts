// From what a user said about the embedder to the embedder itself.
import type { Embedder } from '../../core/ports.ts'
import type { EmbedderSource } from './embedder-source.ts'
import type { EmbedCaller } from './embed-fetch.ts'
import type { ModelHost } from './model-message.ts'
import { embedderName, type EmbedderOptions, parseEmbedderOptions } from './embedder-options.ts'
import { createApiEmbedder, createHttpEmbedder } from './http-embedder.ts'
import { createLocalEmbedder } from './local-embedder.ts'
import { createLsaEmbedder } from './lsa-embedder.ts'
import { DaybookError } from '../../core/errors.ts'

/** What embedders need of their host. */
export interface EmbedHost extends EmbedCaller {
  /** Absent where no model can be run. */
  readonly models?: ModelHost | undefined
}

/** What gives the book its vectors, or undefined when the options say `none`. Throws `invalid-input` with a path. */
export function embedderSource(
  options: EmbedderOptions | undefined,
  host: EmbedHost,
): EmbedderSource | undefined {
  const chosen = parseEmbedderOptions(options)
  if (!chosen) return undefined
  if (chosen.provider === 'local' && !host.models) throw noModels()
  const { questionDeadlineMs } = chosen
  const name = embedderName(chosen)
  if (chosen.provider === 'lsa')
    return { name, questionDeadlineMs, open: (parts) => createLsaEmbedder(chosen, parts) }
  return { name, questionDeadlineMs, open: ({ onLoading }) => createFar(chosen, host, onLoading) }
}

/** An embedder that needs no book: everything but `lsa`. */
export function createFar(
  options: Exclude<EmbedderOptions, { readonly provider: 'none' | 'lsa' }>,
  host: EmbedHost,
  onLoading?: () => void,
): Embedder {
  if (options.provider === 'http') return createHttpEmbedder(options, host)
  if (options.provider === 'api') return createApiEmbedder(options, host)
  if (host.models) return createLocalEmbedder(options, { ...host, host: host.models, onLoading })
  throw noModels()
}

function noModels(): DaybookError {
  const message =
    '`embedder.start`: in a page a local model comes from `localEmbedder` of `daybook/local`; at the edge none can be run.'
  return new DaybookError('invalid-input', message, { details: { path: 'embedder.start' } })
}
