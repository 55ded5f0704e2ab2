// From what a user said about the embedder to the embedder itself.
import type { Embedder } from '../../core/ports.ts'
import type { EmbedderSource } from './book-embedding.ts'
import type { EmbedCaller } from './embed-fetch.ts'
import { type EmbedderOptions, parseEmbedderOptions } from './embedder-options.ts'
import { createApiEmbedder, createHttpEmbedder } from './http-embedder.ts'
import { createLsaEmbedder } from './lsa-embedder.ts'

/** What gives the book its vectors, or undefined when the options say `none`. Throws `invalid-input` with a path. */
export function embedderSource(
  options: EmbedderOptions | undefined,
  host: EmbedCaller,
): EmbedderSource | undefined {
  const chosen = parseEmbedderOptions(options)
  if (!chosen) return undefined
  const { questionDeadlineMs } = chosen
  if (chosen.provider === 'lsa')
    return { questionDeadlineMs, open: (parts) => createLsaEmbedder(chosen, parts) }
  return { questionDeadlineMs, open: () => createFar(chosen, host) }
}

/** An embedder that needs no book: everything but `lsa`. */
export function createFar(
  options: Exclude<EmbedderOptions, { readonly provider: 'none' | 'lsa' }>,
  host: EmbedCaller,
): Embedder {
  return options.provider === 'http' ? createHttpEmbedder(options, host) : createApiEmbedder(options, host)
}
