// Reads the file of `daybook/meaning`: a vector for each piece of a vocabulary.
// Invariant: a damaged file is an error, never a wrong vector.
import { DaybookError } from '../../../core/errors.ts'
import { readUtf8 } from '../../../core/text/utf8.ts'
import { maxDimensions } from '../embed-fetch.ts'
import { crc32 } from './crc32.ts'

/** The vector of piece i is `scales[i]` × `rows[i × dimensions … (i + 1) × dimensions)`. Its weight is in the scale. */
export interface MeaningTable {
  /** Of the model; another table has another name. */
  readonly name: string
  readonly dimensions: number
  /** By row: its piece, as `createWordPieces` takes it. */
  readonly vocabulary: readonly string[]
  readonly scales: Float32Array
  readonly rows: Int8Array
}

const signature = 'DBMEAN'
const version = '01'
const headBytes = 28
const maxPieces = 1_000_000

/**
 * All numbers are little-endian: 8 bytes `DBMEAN01`; u32 dimensions, pieces, bytes of the name, bytes of the vocabulary,
 * CRC-32 of all that follows; the name; the vocabulary, a line for each piece, both in UTF-8; zeros up to a multiple of 4;
 * an f32 scale for each piece; a row for each piece, two numbers of 4 bits (two's complement) in a byte, the first in the
 * low bits. Throws `embedder-failed`. `remedy`: for that error, a sentence.
 */
export function readMeaningTable(bytes: Uint8Array, remedy = ''): MeaningTable {
  const wrongTable = (fault: string) =>
    new DaybookError('embedder-failed', `The file of its table ${fault}. ${remedy}`.trimEnd())
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // The first character that is no white space is `<`.
  if (bytes.find((byte) => byte > 0x20) === 0x3c)
    throw wrongTable('is a web page or XML: its server has another file at this address')
  // Bytes of another file may be no UTF-8.
  const head = String.fromCharCode(...bytes.subarray(0, 8))
  if (bytes.length < headBytes || !head.startsWith(signature))
    throw wrongTable('is no table of daybook/meaning')
  if (head !== signature + version) throw wrongTable('has the format of another version of Daybook')
  const [dimensions, pieces, nameBytes, vocabularyBytes, sum] = [8, 12, 16, 20, 24].map((at) =>
    view.getUint32(at, true),
  ) as [number, number, number, number, number]
  const vocabularyAt = headBytes + nameBytes
  const scalesAt = Math.ceil((vocabularyAt + vocabularyBytes) / 4) * 4
  const rowsAt = scalesAt + 4 * pieces
  const length = rowsAt + Math.ceil((pieces * dimensions) / 2)
  const isPossible = dimensions >= 1 && dimensions <= maxDimensions && pieces >= 1 && pieces <= maxPieces
  if (isPossible && bytes.length < length)
    throw wrongTable(`is cut short: it has ${bytes.length} of ${length} bytes`)
  if (!isPossible || bytes.length > length || crc32(bytes.subarray(headBytes)) !== sum)
    throw wrongTable('is damaged: its checksum is wrong')
  const vocabularyEnd = vocabularyAt + vocabularyBytes
  // The checksum does not cover the lengths of the parts.
  const isWholeVocabulary =
    bytes[vocabularyEnd - 1] !== 0 && bytes.subarray(vocabularyEnd, scalesAt).every((byte) => byte === 0)
  if (!isWholeVocabulary) throw wrongTable('is damaged: its parts do not fit each other')
  const vocabulary = readUtf8(bytes.subarray(vocabularyAt, vocabularyEnd)).split('\n')
  const scales = Float32Array.from({ length: pieces }, (_, i) => view.getFloat32(scalesAt + 4 * i, true))
  if (vocabulary.length !== pieces || !scales.every((scale) => Number.isFinite(scale)))
    throw wrongTable('is damaged: its parts do not fit each other')
  return {
    name: readUtf8(bytes.subarray(headBytes, vocabularyAt)),
    dimensions,
    vocabulary,
    scales,
    rows: unpackNumbers(bytes.subarray(rowsAt), pieces * dimensions),
  }
}

/** Numbers of 4 bits, −8 to 7. */
function unpackNumbers(bytes: Uint8Array, count: number): Int8Array {
  const numbers = new Int8Array(2 * bytes.length)
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    numbers[2 * i] = (byte << 28) >> 28
    numbers[2 * i + 1] = (byte << 24) >> 28
  }
  return numbers.subarray(0, count)
}
