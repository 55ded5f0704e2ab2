// An embedder for tests that knows some meanings: words of one meaning share a direction, whatever their letters are.
import { neverAborted } from '../../src/core/abort.ts'
import { DaybookError } from '../../src/core/errors.ts'
import type { Embedder } from '../../src/core/ports.ts'
import { meanings } from './meaning.ts'

export interface MeaningEmbedder extends Embedder {
  /** Texts that it was asked to embed as documents, in order. */
  readonly asked: string[]
  /** What the next calls do instead of answering. */
  fail?: ((texts: readonly string[]) => void | Promise<void>) | undefined
}

export function createMeaningEmbedder({
  model = 'meaning',
  dimensions = meanings.length,
  known = true,
  batch = 10,
}: { model?: string; dimensions?: number; known?: boolean; batch?: number } = {}): MeaningEmbedder {
  const asked: string[] = []
  return {
    provider: 'test',
    model,
    dimensions: known ? dimensions : undefined,
    batch,
    minSimilarity: 0.5,
    weight: 1,
    asked,
    async embed(texts, purpose, signal) {
      if (purpose === 'document') asked.push(...texts)
      await this.fail?.(texts)
      if ((signal ?? neverAborted).aborted) throw new DaybookError('aborted')
      return texts.map((text) => meaningOf(text, dimensions))
    },
    close: () => undefined,
  }
}

export function meaningOf(text: string, dimensions = meanings.length): Float32Array {
  const words = text.toLowerCase().split(/\W+/)
  const counts = Array.from(
    { length: dimensions },
    (_, i) => words.filter((word) => meanings[i % meanings.length]?.includes(word)).length,
  )
  const length = Math.hypot(...counts)
  return Float32Array.from(counts, (count) => (length === 0 ? 0 : count / length))
}
