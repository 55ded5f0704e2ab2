// Holds as many vectors as it is told, in one of the ways, and takes the time of exact questions for the best ten.
import { create, insertMultiple, searchVector } from '@orama/orama'
import { wasmOf } from '../../../src/web/web-wasm.ts'
import { normalise, quantise } from '../../../src/store/vector/quantise.ts'
import { createScalarKernel, createVectorKernel } from '../../../src/store/vector/vector-kernel.ts'
import { createVectorMatrix } from '../../../src/store/vector/vector-matrix.ts'
import type { VectorPeerKey } from './vector-peers.ts'

export type VectorRequest =
  | { readonly do: 'fill'; readonly peer: VectorPeerKey; readonly size: number }
  | { readonly do: 'ask'; readonly count: number; readonly round: number }

export interface VectorReply {
  readonly ms: readonly number[]
  /** Bytes that the vectors take, where that is known. */
  readonly bytes?: number | undefined
  /** Records found, for holding the peers against each other. */
  readonly best: readonly number[]
  /** What went wrong, in words. */
  readonly error?: string
}

interface Scanner {
  readonly bytes: number | undefined
  find(question: Float32Array): number[] | Promise<number[]>
}

const dimensions = 384
const best = 10

/** The vector of a number: the same in every peer. */
function makeVector(seed: number): Float32Array {
  let state = (seed * 2_654_435_761) >>> 0
  const numbers = new Float32Array(dimensions)
  for (let i = 0; i < dimensions; i++) {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    numbers[i] = ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1
  }
  return normalise(numbers) ?? numbers
}

const fillers: Record<VectorPeerKey, (size: number) => Scanner | Promise<Scanner>> = {
  daybook: (size) => fillMatrix(size, createVectorKernel(wasmOf(globalThis))),
  scalar: (size) => fillMatrix(size, createScalarKernel()),
  floats(size) {
    const all = new Float32Array(size * dimensions)
    for (let i = 0; i < size; i++) all.set(makeVector(i), i * dimensions)
    return { bytes: all.byteLength, find: (question) => scanFloats(all, question) }
  },
  async orama(size) {
    const index = create({ schema: { embedding: `vector[${dimensions}]` } as const })
    const ids: Record<string, number> = {}
    for (let from = 0; from < size; from += 1000) {
      const count = Math.min(1000, size - from)
      const documents = Array.from({ length: count }, (_, i) => ({ embedding: [...makeVector(from + i)] }))
      const added = await insertMultiple(index, documents)
      added.forEach((id, i) => (ids[id] = from + i))
    }
    return {
      bytes: undefined,
      async find(question) {
        const vector = { value: [...question], property: 'embedding' }
        const { hits } = await searchVector(index, { mode: 'vector', vector, similarity: 0.1, limit: best })
        return hits.map(({ id }) => ids[id] ?? -1)
      },
    }
  },
}

function fillMatrix(size: number, kernel: ReturnType<typeof createScalarKernel>): Scanner {
  const matrix = createVectorMatrix(kernel, dimensions, 512_000_000)
  for (let i = 0; i < size; i++) matrix.set(i, quantise(makeVector(i)))
  return {
    bytes: matrix.sizeBytes(),
    find: (question) => matrix.search(question, { limit: best, floor: 0.1 }).map(({ seq }) => seq),
  }
}

function scanFloats(all: Float32Array, question: Float32Array): number[] {
  const found: { row: number; score: number }[] = []
  for (let at = 0, row = 0; at < all.length; at += dimensions, row++) {
    let score = 0
    for (let i = 0; i < dimensions; i++) score += (all[at + i] as number) * (question[i] as number)
    if (score < 0.1 || (found.length === best && score <= (found[best - 1]?.score ?? 0))) continue
    found.push({ row, score })
    found.sort((a, b) => b.score - a.score)
    if (found.length > best) found.pop()
  }
  return found.map(({ row }) => row)
}

let scanner: Scanner | undefined

async function answer(request: VectorRequest): Promise<VectorReply> {
  if (request.do === 'fill') {
    const began = performance.now()
    scanner = await fillers[request.peer](request.size)
    return { ms: [performance.now() - began], bytes: scanner.bytes, best: [] }
  }
  const ms: number[] = []
  let last: number[] = []
  for (let i = 0; i < request.count; i++) {
    const question = makeVector(1e7 + request.round * 1000 + i)
    const began = performance.now()
    last = (await scanner?.find(question)) ?? []
    ms.push(performance.now() - began)
  }
  return { ms, best: last }
}

globalThis.onmessage = ({ data }: MessageEvent<VectorRequest>) => {
  void answer(data)
    .catch((error: unknown): VectorReply => ({ ms: [], best: [], error: String(error) }))
    .then((reply) => globalThis.postMessage(reply))
}
