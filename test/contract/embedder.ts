// The law of an embedder, for every one there is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAbort, neverAborted } from '../../src/core/abort.ts'
import type { Embedder } from '../../src/core/ports.ts'
import { failure } from './book-case.ts'

const texts = [
  'the car is in the garage',
  'a physician in a hospital',
  'rain and a storm',
  '雨と嵐',
  'the car is in the garage',
]

/** `make` starts an embedder that can embed at once. */
export function embedderContract(name: string, make: () => Promise<Embedder>): void {
  describe(`Embedder: ${name}`, () => {
    let embedder: Embedder
    beforeAll(async () => {
      embedder = await make()
    })
    afterAll(() => embedder.close())
    const embed = (list: readonly string[]) => embedder.embed(list, 'document', neverAborted)

    it('answers one vector a text, in their order, of one number of dimensions', async () => {
      const vectors = await embed(texts)
      expect(vectors.length).toBe(texts.length)
      expect(new Set(vectors.map((vector) => vector.length)).size).toBe(1)
      for (const vector of vectors) expect(vector).toBeInstanceOf(Float32Array)
      expect(embedder.dimensions).toBe(vectors[0]?.length)
      const alone = await embed(texts.slice(1, 2))
      for (const [i, value] of (alone[0] ?? []).entries()) expect(value).toBeCloseTo(vectors[1]?.[i] ?? 9, 4)
    })

    it('answers finite numbers, of length 1 or shorter', async () => {
      for (const purpose of ['document', 'question'] as const) {
        for (const vector of await embedder.embed(texts, purpose, neverAborted)) {
          const length = Math.hypot(...vector)
          expect(Number.isFinite(length)).toBe(true)
          expect(length).toBeLessThanOrEqual(1 + 1e-5)
        }
      }
    })

    it('answers the same for the same text, under the same name', async () => {
      const { provider, model } = embedder
      const [first, , , , last] = await embed(texts)
      expect(last).toEqual(first)
      expect((await embed(texts))[0]).toEqual(first)
      expect([embedder.provider, embedder.model]).toEqual([provider, model])
      expect(model).not.toBe('')
    })

    it('takes as many texts as it says', async () => {
      const many = Array.from({ length: embedder.batch }, (_, i) => `car ${i}`)
      expect((await embed(many)).length).toBe(many.length)
    })

    it('gives up when it is told to, or has long answered', async () => {
      const abort = createAbort()
      const answer = embedder.embed(texts, 'document', abort.signal)
      abort.abort()
      const outcome = await answer.then(
        (vectors) => vectors.length,
        (error: unknown) => (error as { code?: string }).code,
      )
      expect(['aborted', texts.length]).toContain(outcome)
      expect((await embed(['car'])).length).toBe(1)
    })
  })
}

export { failure }
