// The verbs of the embedder: how far the vectors are, and vectors of texts in the shape that `POST /embed` has too.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { EmbedStatus } from '../../core/capability/status.ts'
import { batchLimit } from './http-embedder.ts'

/** Longest text of one request, in UTF-16 units. */
export const textLimit = 32_000

/** What `/embed` takes, everywhere. */
export const embedInput = z.strictObject({
  texts: z.array(z.string().min(1).max(textLimit)).min(1).max(batchLimit),
})

export interface EmbedOutput {
  readonly embeddings: number[][]
  readonly dimensions: number
}

/** The answer of `/embed`. */
export function embedOutput(vectors: readonly Float32Array[]): EmbedOutput {
  return { embeddings: vectors.map((vector) => [...vector]), dimensions: vectors[0]?.length ?? 0 }
}

const status = z.object({
  provider: z.string(),
  model: z.string().optional(),
  fingerprint: z.string().optional(),
  state: z.enum(['off', 'waiting', 'working', 'ready', 'failing']),
  why: z.string().optional(),
  total: z.number(),
  embedded: z.number(),
  behind: z.number(),
  refused: z.number(),
  lastError: z.object({ code: z.string(), message: z.string(), at: z.string() }).optional(),
  bytes: z.number(),
  scan: z.enum(['simd', 'scalar']).optional(),
}) as unknown as z.ZodType<EmbedStatus>

export const embedCapabilities = [
  defineCapability({
    id: 'embed:status',
    methods: ['embedder.status'],
    summary: 'Says which embedder the book has, how many records have a vector, and what went wrong last.',
    input: z.strictObject({}).prefault({}),
    output: status,
    effect: 'read',
    uses: ['status'],
    run: (_input, at) => at.status.embedder(),
  }),
  defineCapability({
    id: 'embed:texts',
    methods: ['embedder.embed'],
    summary: 'Turns up to 100 texts into vectors with the embedder of the book.',
    input: embedInput,
    output: z.object({ embeddings: z.array(z.array(z.number())), dimensions: z.number() }),
    effect: 'read',
    uses: ['recall'],
    run: async ({ texts }, at) => embedOutput(await at.recall.embed(texts)),
  }),
] as const
