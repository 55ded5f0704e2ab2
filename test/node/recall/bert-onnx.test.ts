// The converter of BERT encoders: what the written model answers is what the formulas of the encoder give, computed here number by
// number, from the same made weights.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { writeBertOnnx } from '../../eval/bert-onnx.ts'
import { tinyModel } from '../../support/server/tiny-model.ts'

const config = {
  model_type: 'bert',
  hidden_size: 8,
  num_attention_heads: 2,
  num_hidden_layers: 2,
  layer_norm_eps: 1e-12,
}
const size = config.hidden_size
const inner = 12
const vocabulary = 64

type Matrix = readonly (readonly number[])[]
const weights = new Map<string, { readonly shape: readonly number[]; readonly data: Float32Array }>()
let state = 1
const put = (name: string, ...shape: number[]) => {
  const data = Float32Array.from({ length: shape.reduce((all, one) => all * one, 1) }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    return (state / 2 ** 31) * 0.7
  })
  weights.set(name, { shape, data })
}
const dense = (name: string, to: number, from: number) => {
  put(`${name}.weight`, to, from)
  put(`${name}.bias`, to)
}
const norm = (name: string) => {
  put(`${name}.weight`, size)
  put(`${name}.bias`, size)
}
put('embeddings.word_embeddings.weight', vocabulary, size)
put('embeddings.position_embeddings.weight', 64, size)
put('embeddings.token_type_embeddings.weight', 2, size)
norm('embeddings.LayerNorm')
for (let layer = 0; layer < config.num_hidden_layers; layer++) {
  const at = `encoder.layer.${layer}`
  for (const part of ['query', 'key', 'value']) dense(`${at}.attention.self.${part}`, size, size)
  dense(`${at}.attention.output.dense`, size, size)
  norm(`${at}.attention.output.LayerNorm`)
  dense(`${at}.intermediate.dense`, inner, size)
  dense(`${at}.output.dense`, size, inner)
  norm(`${at}.output.LayerNorm`)
}

/** The weights as safetensors: a header of JSON with offsets, then the numbers. */
function safetensors(): Buffer {
  const header: Record<string, object> = {}
  const parts: Buffer[] = []
  let from = 0
  for (const [name, { shape, data }] of weights) {
    const bytes = Buffer.from(data.buffer)
    header[name] = { dtype: 'F32', shape, data_offsets: [from, from + bytes.length] }
    parts.push(bytes)
    from += bytes.length
  }
  const head = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(head.length))
  return Buffer.concat([length, head, ...parts])
}

const numbers = (name: string): Float32Array => weights.get(name)?.data ?? new Float32Array()
const rowOf = (name: string, row: number) => [...numbers(name).subarray(row * size, (row + 1) * size)]
const add = (a: readonly number[], b: readonly number[]) => a.map((one, i) => one + (b[i] ?? 0))
const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, one, i) => sum + one * (b[i] ?? 0), 0)

function linear(row: readonly number[], name: string): number[] {
  const bias = numbers(`${name}.bias`)
  const weight = numbers(`${name}.weight`)
  return Array.from(
    bias,
    (own, i) => own + dot(row, [...weight.subarray(i * row.length, (i + 1) * row.length)]),
  )
}

function layerNorm(row: readonly number[], name: string): number[] {
  const mean = row.reduce((sum, one) => sum + one, 0) / row.length
  const variance = row.reduce((sum, one) => sum + (one - mean) ** 2, 0) / row.length
  return row.map(
    (one, i) =>
      ((one - mean) / Math.sqrt(variance + config.layer_norm_eps)) * (numbers(`${name}.weight`)[i] ?? 0) +
      (numbers(`${name}.bias`)[i] ?? 0),
  )
}

/** The error function by its series (Abramowitz and Stegun 7.1.5). */
function erf(x: number): number {
  let sum = 0
  let term = x
  for (let n = 0; n < 60; n++) {
    sum += term / (2 * n + 1)
    term *= -(x * x) / (n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}

function attend(rows: Matrix, at: string): number[][] {
  const width = size / config.num_attention_heads
  const [query, key, value] = ['query', 'key', 'value'].map((part) =>
    rows.map((row) => linear(row, `${at}.attention.self.${part}`)),
  ) as [number[][], number[][], number[][]]
  return rows.map((_, i) => {
    const joined: number[] = []
    for (let from = 0; from < size; from += width) {
      const head = (row: readonly number[] = []) => row.slice(from, from + width)
      const match = key.map((one) => Math.exp(dot(head(query[i]), head(one)) / Math.sqrt(width)))
      const all = match.reduce((sum, one) => sum + one, 0)
      const read = match.map((share, j) => head(value[j]).map((one) => (one * share) / all))
      joined.push(...read.reduce((sum, one) => add(sum, one)))
    }
    return linear(joined, `${at}.attention.output.dense`)
  })
}

/** The mean of the last hidden states, of unit length. */
function expected(ids: readonly number[]): number[] {
  let rows: Matrix = ids.map((id, place) =>
    layerNorm(
      add(
        add(
          rowOf('embeddings.word_embeddings.weight', id),
          rowOf('embeddings.position_embeddings.weight', place),
        ),
        rowOf('embeddings.token_type_embeddings.weight', 0),
      ),
      'embeddings.LayerNorm',
    ),
  )
  for (let layer = 0; layer < config.num_hidden_layers; layer++) {
    const at = `encoder.layer.${layer}`
    const attended = attend(rows, at)
    const middle = rows.map((row, i) =>
      layerNorm(add(row, attended[i] ?? []), `${at}.attention.output.LayerNorm`),
    )
    rows = middle.map((row) => {
      const wide = linear(row, `${at}.intermediate.dense`).map((x) => (x / 2) * (1 + erf(x * Math.SQRT1_2)))
      return layerNorm(add(linear(wide, `${at}.output.dense`), row), `${at}.output.LayerNorm`)
    })
  }
  const sum = rows.reduce((all, row) => add(all, row))
  const length = Math.hypot(...sum)
  return sum.map((one) => one / length)
}

let folder = ''
const source = () => join(folder, 'source')
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bert-'))
  await mkdir(source())
  const tiny = tinyModel()
  for (const file of ['tokenizer.json', 'tokenizer_config.json'])
    await writeFile(join(source(), file), tiny.get(file) ?? '')
  await writeFile(join(source(), 'config.json'), JSON.stringify(config))
  await writeFile(join(source(), 'model.safetensors'), safetensors())
})
afterAll(() => rm(folder, { recursive: true }))

test('a written model answers what the formulas of the encoder give, alone and beside a longer text', async () => {
  await writeBertOnnx(source(), join(folder, 'made'))
  const tokenizer = new TextDecoder().decode(tinyModel().get('tokenizer.json'))
  const { model } = JSON.parse(tokenizer) as { model: { vocab: Record<string, number> } }
  const idOf = (word: string) => model.vocab[word] ?? Number.NaN
  const book = await openDaybook({
    name: 'bert',
    agent: 'a',
    path: ':memory:',
    embedder: { provider: 'local', model: 'made', path: folder, dtype: 'fp32' },
  })
  try {
    const texts = ['doctor', 'car rain doctor bank']
    const { embeddings } = await book.embedder.embed({ texts })
    texts.forEach((text, i) => {
      const ids = text.split(' ').map(idOf)
      expect(ids).toEqual(ids.filter((id) => id >= 0 && id < vocabulary))
      const found = [...(embeddings[i] ?? [])]
      expect(found).toEqual(expected(ids).map((one) => expect.closeTo(one, 4) as number))
    })
  } finally {
    await book.close()
  }
})

test('another kind of model, and a weight that is not there, are said', async () => {
  await writeFile(join(source(), 'config.json'), JSON.stringify({ ...config, num_hidden_layers: 3 }))
  await expect(writeBertOnnx(source(), join(folder, 'more'))).rejects.toThrow(
    'encoder.layer.2.attention.self.query.weight is not there in 32 bits.',
  )
  await writeFile(join(source(), 'config.json'), JSON.stringify({ ...config, model_type: 'roberta' }))
  await expect(writeBertOnnx(source(), join(folder, 'other'))).rejects.toThrow(
    'has no BERT encoder: roberta.',
  )
})
