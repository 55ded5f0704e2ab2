// The verbs of the embedder, its status and vectors of texts, and the endpoint `POST /embed` of the same shape.
import { type AbortSignalLike, neverAborted } from '../../core/abort.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import type { EmbedStatus } from '../../core/capability/status.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { parseWith } from '../../core/schema.ts'
import { maxEmbedBatch } from './http-embedder.ts'
import { shapeOf } from '../../shape/shape-of.ts'
import { z } from 'zod'

/** Longest text of one request, in UTF-16 units. */
export const maxTextChars = 32_000

/** The input of `/embed`, on every host. */
export const embedInput = z.strictObject({
  texts: z.array(z.string().min(1).max(maxTextChars)).min(1).max(maxEmbedBatch),
})

export interface EmbedOutput {
  readonly embeddings: number[][]
  readonly dimensions: number
  /**
   * The places of texts, from 0, of which the embedder knows too little: their vectors are all zeros, and similar to
   * nothing. Absent: none.
   */
  readonly unknown?: number[]
}

/** The output of `/embed`. */
export function embedOutput(vectors: readonly Float32Array[]): EmbedOutput {
  const unknown = vectors.flatMap((vector, i) => (vector.some((number) => number !== 0) ? [] : [i]))
  return {
    embeddings: vectors.map((vector) => [...vector]),
    dimensions: vectors[0]?.length ?? 0,
    ...(unknown.length > 0 ? { unknown } : {}),
  }
}

const statusShape = shapeOf<EmbedStatus>()(
  z.object({
    /** `none`: the book has no embedder. */
    provider: z.string(),
    model: z.string().optional(),
    /** `provider|model|dimensions|normalised` of the stored vectors. */
    fingerprint: z.string().optional(),
    /**
     * `working`: vectors or the table are not loaded yet, or records have no vector. `waiting`: the embedder can't work yet; `why`
     * is the reason. `failing`: it failed and is retried later.
     */
    state: z.enum(['off', 'waiting', 'working', 'ready', 'failing']),
    why: z.string().optional(),
    /** Records that need a vector; those that have one, and those that lack it. */
    total: z.number(),
    embedded: z.number(),
    behind: z.number(),
    /** Texts that the embedder refused. */
    refused: z.number(),
    lastError: z.object({ code: z.string(), message: z.string(), at: z.string() }).optional(),
    /** Memory of the vectors. */
    bytes: z.number(),
    /** Implementation of the vector scan: WebAssembly with SIMD, or JavaScript. */
    scan: z.enum(['simd', 'scalar']).optional(),
  }),
)

export const embedCapabilities = [
  defineCapability({
    id: 'embed:status',
    methods: ['embedder.status'],
    summary: "Reports the book's embedder, the number of records with a vector, and the last fault.",
    input: z.strictObject({}).prefault({}),
    output: statusShape,
    effect: 'read',
    uses: ['status'],
    run: (_input, at) => at.status.embedder(),
  }),
  defineCapability({
    id: 'embed:texts',
    methods: ['embedder.embed'],
    summary: 'Turns up to 100 texts into vectors with the embedder of the book.',
    input: embedInput,
    output: shapeOf<EmbedOutput>()(
      z.object({
        embeddings: z.array(z.array(z.number())),
        dimensions: z.number(),
        unknown: z.array(z.number()).optional(),
      }),
    ),
    effect: 'read',
    // recall: its port has the embedder.
    uses: ['recall'],
    run: async ({ texts }, at) => embedOutput(await at.recall.embed(texts)),
  }),
] as const

/**
 * `POST /embed` on any server: `{ texts }`, up to 100, to `{ embeddings, dimensions }`. Throws `invalid-input` with a
 * path, `embedder-off` without an embedder, `embedder-failed` without vectors.
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
