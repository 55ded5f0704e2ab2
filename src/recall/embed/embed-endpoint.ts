// What `POST /embed` does, whoever serves it: up to 100 texts in, their vectors out.
import { type AbortSignalLike, neverAborted } from '../../core/abort.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { embedInput, embedOutput, type EmbedOutput } from './embed-capability.ts'

/**
 * Answers `{ texts }` with `{ embeddings, dimensions }`. Throws `invalid-input` with the path of what is wrong,
 * `embedder-off` when there is no embedder, `embedder-failed` when it gave no vectors.
 */
export async function answerEmbed(
  embedder: Embedder | undefined,
  body: unknown,
  signal: AbortSignalLike = neverAborted,
): Promise<EmbedOutput> {
  const { texts } = parseWith(embedInput, body)
  if (!embedder) throw new DaybookError('embedder-off')
  const vectors: Float32Array[] = []
  for (let from = 0; from < texts.length; from += embedder.batch)
    vectors.push(...(await embedder.embed(texts.slice(from, from + embedder.batch), 'document', signal)))
  return embedOutput(vectors)
}
