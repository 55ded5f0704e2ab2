// Holds as many vectors as it is told, in one of the ways, and takes the time of exact questions for the best ten.
import { create, insertMultiple, searchVector } from '@orama/orama'
import { wasmOf } from '../../../src/web/web-wasm.ts'
import { normalise, quantise } from '../../../src/store/vector/quantise.ts'
import {
  createCodeKernel,
  createScalarKernel,
  createVectorKernel,
  type VectorKernel,
} from '../../../src/store/vector/vector-kernel.ts'
import { VectorMatrix } from '../../../src/store/vector/vector-matrix.ts'
import type { VectorPeerKey } from './vector-peers.ts'

export type VectorRequest =
  | { readonly do: 'fill'; readonly peer: VectorPeerKey; readonly size: number }
  | { readonly do: 'ask'; readonly count: number; readonly round: number }

export interface VectorReply {
  readonly ms: readonly number[]
  /** Bytes that the vectors take, where that is known. */
  readonly bytes?: number | undefined
  /** Records found for each question, for holding the peers against each other. */
  readonly best: readonly (readonly number[])[]
  /** What went wrong, in words. */
  readonly error?: string
}

interface Scanner {
  readonly bytes: number | undefined
  find(question: Float32Array): number[] | Promise<number[]>
}

const dimensions = 384
const best = 10

/** Even numbers from -1 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}

const subjects = Array.from({ length: 7000 }, (_, i) =>
  Float32Array.from({ length: dimensions }, createRandom(-i - 1)),
)

/**
 * The vector of a number, the same in every peer: as models make them, of a few of all subjects, all a little alike.
 */
function makeVector(seed: number): Float32Array {
  const random = createRandom(seed)
  const pick = () => subjects[Math.floor(((random() + 1) / 2) * subjects.length)] ?? subjects[0]
  const [usual, first, second, third] = [subjects[0], pick(), pick(), pick()]
  const [more, less] = [0.8 * Math.abs(random()), 0.5 * Math.abs(random())]
  const numbers = Float32Array.from(
    { length: dimensions },
    (_, i) =>
      0.25 * (usual?.[i] ?? 0) + (first?.[i] ?? 0) + more * (second?.[i] ?? 0) + less * (third?.[i] ?? 0),
  )
  return normalise(numbers) ?? numbers
}

const fillers: Record<VectorPeerKey, (size: number) => Scanner | Promise<Scanner>> = {
  codes: (size) => fillMatrix(size, createVectorKernel(wasmOf(globalThis)), false),
  exact: (size) => fillMatrix(size, createVectorKernel(wasmOf(globalThis)), true),
  scalar: (size) => fillMatrix(size, createScalarKernel(), true),
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

function fillMatrix(size: number, kernel: VectorKernel, exact: boolean): Scanner {
  const codeKernel = exact ? undefined : createCodeKernel(wasmOf(globalThis))
  const matrix = new VectorMatrix(kernel, dimensions, { maxBytes: 1_000_000_000, codeKernel })
  for (let i = 0; i < size; i++) matrix.set(i, quantise(makeVector(i)))
  return {
    bytes: matrix.sizeBytes(),
    find: (question) => matrix.search(question, { limit: best, minSimilarity: 0.1 }).map(({ seq }) => seq),
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
  const found: number[][] = []
  for (let i = 0; i < request.count; i++) {
    const question = makeVector(1e7 + request.round * 1000 + i)
    const began = performance.now()
    const rows = (await scanner?.find(question)) ?? []
    ms.push(performance.now() - began)
    found.push(rows)
  }
  return { ms, best: found }
}

globalThis.onmessage = ({ data }: MessageEvent<VectorRequest>) => {
  void answer(data)
    .catch((error: unknown): VectorReply => ({ ms: [], best: [], error: String(error) }))
    .then((reply) => globalThis.postMessage(reply))
}
