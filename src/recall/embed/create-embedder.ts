// From what a user said to an embedder. What a host alone can do (run a model in a worker) it brings along.
import { DaybookError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import type { EmbedderSource } from './book-embedding.ts'
import type { EmbedCaller } from './embed-fetch.ts'
import { type EmbedderOptions, type LocalEmbedderOptions, parseEmbedderOptions } from './embedder-options.ts'
import { createApiEmbedder, createHttpEmbedder } from './http-embedder.ts'
import { createLsaEmbedder } from './lsa-embedder.ts'

export interface EmbedderHost extends EmbedCaller {
  /** Starts a worker with a model in it; absent where there are none. */
  readonly startLocal?: (options: LocalEmbedderOptions) => Embedder
}

/** What gives the book its vectors, or undefined when the options say `none`. Throws `invalid-input` with a path. */
export function embedderSource(
  options: EmbedderOptions | undefined,
  host: EmbedderHost,
): EmbedderSource | undefined {
  const chosen = parseEmbedderOptions(options)
  if (!chosen) return undefined
  const { questionDeadlineMs } = chosen
  if (chosen.provider === 'lsa')
    return { questionDeadlineMs, open: (parts) => createLsaEmbedder(chosen, parts) }
  const create = () => createFar(chosen, host)
  return { questionDeadlineMs, open: create }
}

/** An embedder that needs no book: everything but `lsa`. */
export function createFar(
  options: Exclude<EmbedderOptions, { readonly provider: 'none' | 'lsa' }>,
  host: EmbedderHost,
): Embedder {
  if (options.provider === 'http') return createHttpEmbedder(options, host)
  if (options.provider === 'api') return createApiEmbedder(options, host)
  if (host.startLocal) return host.startLocal(options)
  throw new DaybookError('invalid-input', '`embedder.provider`: `local` does not run here.', {
    details: { path: 'embedder.provider' },
  })
}
