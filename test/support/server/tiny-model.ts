// A text embedding model of a kilobyte, written by hand: each word is looked up in a table of meanings (one ONNX node,
// `Gather`), so that its vectors are those of `meaningOf`. Files as Transformers.js reads them.
import { meanings } from '../meaning.ts'

const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
const vocabulary = [...special, ...meanings.flat()]
const dimensions = meanings.length

// Protocol Buffers, as far as https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3 is needed: fields are numbers there.
const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))]
const integer = (field: number, value: number) => [...varint(field * 8), ...varint(value)]
const message = (field: number, bytes: Iterable<number>) => {
  const body = [...bytes]
  return [...varint(field * 8 + 2), ...varint(body.length), ...body]
}
const text = (field: number, value: string) => message(field, new TextEncoder().encode(value))

const [float, int64] = [1, 7]
const valueInfo = (name: string, type: number, shape: readonly (string | number)[]) => {
  const dims = shape.flatMap((dim) => message(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)))
  return [...text(1, name), ...message(2, message(1, [...integer(1, type), ...message(2, dims)]))]
}

/** The model in ONNX. `turn` moves every meaning to another dimension: another model of the same kind. */
export function tinyOnnx(turn = 0): Uint8Array<ArrayBuffer> {
  const table = new Float32Array(vocabulary.length * dimensions)
  for (const [i, words] of meanings.entries()) {
    for (const word of words) table[vocabulary.indexOf(word) * dimensions + ((i + turn) % dimensions)] = 1
  }
  const weights = [
    ...integer(1, vocabulary.length),
    ...integer(1, dimensions),
    ...integer(2, float),
    ...text(8, 'table'),
    ...message(9, new Uint8Array(table.buffer)),
  ]
  const node = [
    ...text(1, 'table'),
    ...text(1, 'input_ids'),
    ...text(2, 'last_hidden_state'),
    ...text(4, 'Gather'),
  ]
  const graph = [
    ...message(1, node),
    ...text(2, 'tiny'),
    ...message(5, weights),
    ...message(11, valueInfo('input_ids', int64, ['texts', 'words'])),
    ...message(11, valueInfo('attention_mask', int64, ['texts', 'words'])),
    ...message(12, valueInfo('last_hidden_state', float, ['texts', 'words', dimensions])),
  ]
  const [irVersion, operators] = [8, 13]
  const opset = [...text(1, ''), ...integer(2, operators)]
  return new Uint8Array([...integer(1, irVersion), ...message(7, graph), ...message(8, opset)])
}

/** Every file of the model, by its path in the model's folder. */
export function tinyModel(turn = 0): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
  const tokens = Object.fromEntries(
    special.map((token) => [`${token.slice(1, -1).toLowerCase()}_token`, token]),
  )
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content, id) => ({
      id,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: null,
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
    },
  }
  return new Map([
    ['config.json', json({ model_type: 'bert', hidden_size: dimensions, vocab_size: vocabulary.length })],
    ['tokenizer_config.json', json({ tokenizer_class: 'BertTokenizer', model_max_length: 64, ...tokens })],
    ['tokenizer.json', json(tokenizer)],
    ['onnx/model.onnx', tinyOnnx(turn)],
    // Under the name of the 8-bit variant too, which is the default.
    ['onnx/model_quantized.onnx', tinyOnnx(turn)],
  ])
}
