// Writes the weights of a BERT encoder as sentence-transformers packages carry them (`model.safetensors`) as ONNX, which
// `local` embedders read: `node test/eval/bert-onnx.ts FOLDER OUT`. For machines that reach no hub of models but have such a
// package. Numbers stay as they are, in 32 bits.
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface BertConfig {
  readonly model_type: string
  readonly hidden_size: number
  readonly num_attention_heads: number
  readonly num_hidden_layers: number
  readonly layer_norm_eps: number
}

interface Weight {
  readonly shape: readonly number[]
  readonly data: Float32Array
}

// Protocol Buffers: field numbers are those of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3.
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))]
const integer = (field: number, value: number) => Buffer.from([...varint(field * 8), ...varint(value)])
const message = (field: number, ...parts: readonly Uint8Array[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(body.length)]), body])
}
const text = (field: number, value: string) => message(field, Buffer.from(value))
const [float, int64] = [1, 7]

const tensor = (name: string, type: number, shape: readonly number[], bytes: ArrayBufferView) =>
  message(
    5,
    ...shape.map((size) => integer(1, size)),
    integer(2, type),
    text(8, name),
    message(9, new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
  )

const attribute = (name: string, value: number | readonly number[]) => {
  if (typeof value !== 'number')
    return message(5, text(1, name), ...value.map((one) => integer(8, one)), integer(20, 7))
  if (Number.isInteger(value)) return message(5, text(1, name), integer(3, value), integer(20, 2))
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(2 * 8 + 5)
  bytes.writeFloatLE(value, 1)
  return message(5, text(1, name), bytes, integer(20, 1))
}

const valueInfo = (field: number, name: string, type: number, shape: readonly (string | number)[]) => {
  const sizes = shape.map((size) => message(1, typeof size === 'number' ? integer(1, size) : text(2, size)))
  return message(field, text(1, name), message(2, message(1, integer(1, type), message(2, ...sizes))))
}

/** Nodes and constants as they are added; each node is named by what it gives. */
class Graph {
  readonly #parts: Buffer[] = []
  #count = 0

  add(
    op: string,
    inputs: readonly string[],
    attributes: Buffer[] = [],
    output = `n${++this.#count}`,
  ): string {
    this.#parts.push(
      message(1, ...inputs.map((name) => text(1, name)), text(2, output), text(4, op), ...attributes),
    )
    return output
  }

  floats(shape: readonly number[], data: Float32Array): string {
    const name = `w${++this.#count}`
    this.#parts.push(tensor(name, float, shape, data))
    return name
  }

  number(value: number): string {
    return this.floats([], Float32Array.of(value))
  }

  integers(...values: number[]): string {
    const name = `i${++this.#count}`
    this.#parts.push(tensor(name, int64, [values.length], BigInt64Array.from(values, BigInt)))
    return name
  }

  index(value: number): string {
    const name = `i${++this.#count}`
    this.#parts.push(tensor(name, int64, [], BigInt64Array.of(BigInt(value))))
    return name
  }

  model(dimensions: number): Buffer {
    const texts = ['texts', 'words']
    const graph = message(
      7,
      ...this.#parts,
      text(2, 'bert'),
      valueInfo(11, 'input_ids', int64, texts),
      valueInfo(11, 'attention_mask', int64, texts),
      valueInfo(12, 'last_hidden_state', float, [...texts, dimensions]),
    )
    return Buffer.concat([integer(1, 8), graph, message(8, text(1, ''), integer(2, 17))])
  }
}

function readWeights(file: Buffer): (name: string) => Weight {
  const headerBytes = Number(file.readBigUInt64LE(0))
  const header = JSON.parse(file.toString('utf8', 8, 8 + headerBytes)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >
  return (name) => {
    const found = header[name] ?? header[`bert.${name}`]
    if (found?.dtype !== 'F32') throw new Error(`${name} is not there in 32 bits.`)
    const [from, to] = found.data_offsets
    const bytes = Uint8Array.from(file.subarray(8 + headerBytes + from, 8 + headerBytes + to))
    return { shape: found.shape, data: new Float32Array(bytes.buffer) }
  }
}

/** The encoder up to its last hidden states (Devlin et al. 2019); pooling is the reader's. */
export function bertOnnx(config: BertConfig, weight: (name: string) => Weight): Buffer {
  const { hidden_size: size, num_attention_heads: heads, layer_norm_eps: epsilon } = config
  const graph = new Graph()
  const vector = (name: string) => {
    const { shape, data } = weight(name)
    return graph.floats(shape, data)
  }
  const dense = (input: string, name: string) => {
    const { shape, data } = weight(`${name}.weight`)
    const [rows = 0, columns = 0] = shape
    const turned = new Float32Array(data.length)
    for (let row = 0; row < rows; row += 1)
      for (let column = 0; column < columns; column += 1)
        turned[column * rows + row] = data[row * columns + column] ?? 0
    const product = graph.add('MatMul', [input, graph.floats([columns, rows], turned)])
    return graph.add('Add', [product, vector(`${name}.bias`)])
  }
  const norm = (input: string, name: string) =>
    graph.add(
      'LayerNormalization',
      [input, vector(`${name}.weight`), vector(`${name}.bias`)],
      [attribute('axis', 2), attribute('epsilon', epsilon)],
    )

  const words = graph.add('Gather', [vector('embeddings.word_embeddings.weight'), 'input_ids'])
  const count = graph.add('Gather', [graph.add('Shape', ['input_ids']), graph.index(1)])
  const places = graph.add('Range', [graph.index(0), count, graph.index(1)])
  const position = graph.add('Gather', [vector('embeddings.position_embeddings.weight'), places])
  const kind = graph.add('Gather', [vector('embeddings.token_type_embeddings.weight'), graph.index(0)])
  const summed = graph.add('Add', [graph.add('Add', [words, position]), kind])
  let state = norm(summed, 'embeddings.LayerNorm')

  const mask = graph.add('Cast', ['attention_mask'], [attribute('to', float)])
  const left = graph.add('Sub', [graph.number(1), graph.add('Unsqueeze', [mask, graph.integers(1, 2)])])
  const hidden = graph.add('Mul', [left, graph.number(-1e9)])
  const split = graph.integers(0, 0, heads, size / heads)
  const together = graph.integers(0, 0, size)
  const [scale, half, one, root] = [1 / Math.sqrt(size / heads), 0.5, 1, Math.SQRT1_2].map((value) =>
    graph.number(value),
  ) as [string, string, string, string]
  for (let layer = 0; layer < config.num_hidden_layers; layer += 1) {
    const at = `encoder.layer.${layer}`
    const part = (name: string, order: number[]) => {
      const parts = graph.add('Reshape', [dense(state, `${at}.attention.self.${name}`), split])
      return graph.add('Transpose', [parts], [attribute('perm', order)])
    }
    const match = graph.add('MatMul', [part('query', [0, 2, 1, 3]), part('key', [0, 2, 3, 1])])
    const seen = graph.add('Add', [graph.add('Mul', [match, scale]), hidden])
    const share = graph.add('Softmax', [seen], [attribute('axis', 3)])
    const read = graph.add('MatMul', [share, part('value', [0, 2, 1, 3])])
    const joined = graph.add('Transpose', [read], [attribute('perm', [0, 2, 1, 3])])
    const attended = dense(graph.add('Reshape', [joined, together]), `${at}.attention.output.dense`)
    const middle = norm(graph.add('Add', [attended, state]), `${at}.attention.output.LayerNorm`)
    const wide = dense(middle, `${at}.intermediate.dense`)
    const bent = graph.add('Add', [graph.add('Erf', [graph.add('Mul', [wide, root])]), one])
    const gelu = graph.add('Mul', [graph.add('Mul', [wide, bent]), half])
    const narrow = dense(gelu, `${at}.output.dense`)
    state = norm(graph.add('Add', [narrow, middle]), `${at}.output.LayerNorm`)
  }
  graph.add('Identity', [state], [], 'last_hidden_state')
  return graph.model(size)
}

/** Writes `out` as a folder that a `local` embedder reads with `dtype: 'fp32'`. */
export async function writeBertOnnx(folder: string, out: string): Promise<void> {
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as BertConfig
  if (config.model_type !== 'bert') throw new Error(`${folder} has no BERT encoder: ${config.model_type}.`)
  const weights = readWeights(await readFile(join(folder, 'model.safetensors')))
  await mkdir(join(out, 'onnx'), { recursive: true })
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json'])
    await cp(join(folder, file), join(out, file))
  await writeFile(join(out, 'onnx', 'model.onnx'), bertOnnx(config, weights))
}

if (import.meta.main) {
  const [folder, out] = process.argv.slice(2)
  if (folder === undefined || out === undefined) throw new Error('bert-onnx.ts FOLDER OUT')
  await writeBertOnnx(folder, out)
}
