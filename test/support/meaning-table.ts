// Tables of `daybook/meaning` for tests: the file's format, written anew, and a table of a few words.
import { crc32 } from '../../src/recall/embed/meaning/crc32.ts'

export interface TableParts {
  readonly name: string
  readonly vocabulary: readonly string[]
  readonly scales: readonly number[]
  /** By piece: its numbers, −8 to 7. */
  readonly rows: readonly (readonly number[])[]
}

/** The bytes of a file with these parts. */
export function tableFile({ name, vocabulary, scales, rows }: TableParts): Uint8Array {
  const encode = (text: string) => new TextEncoder().encode(text)
  const nameBytes = encode(name)
  const words = encode(vocabulary.join('\n'))
  const dimensions = rows[0]?.length ?? 0
  const scalesAt = Math.ceil((28 + nameBytes.length + words.length) / 4) * 4
  const rowsAt = scalesAt + 4 * scales.length
  const file = new Uint8Array(rowsAt + Math.ceil((dimensions * rows.length) / 2))
  const view = new DataView(file.buffer)
  file.set(encode('DBMEAN01'))
  for (const [i, number] of [dimensions, vocabulary.length, nameBytes.length, words.length].entries())
    view.setUint32(8 + 4 * i, number, true)
  file.set(nameBytes, 28)
  file.set(words, 28 + nameBytes.length)
  for (const [i, scale] of scales.entries()) view.setFloat32(scalesAt + 4 * i, scale, true)
  for (const [i, number] of rows.flat().entries())
    view.setUint8(rowsAt + (i >> 1), view.getUint8(rowsAt + (i >> 1)) | ((number & 15) << (4 * (i & 1))))
  return withSum(file)
}

/** The file with the checksum of what it has now. */
export function withSum(file: Uint8Array): Uint8Array {
  new DataView(file.buffer).setUint32(24, crc32(file.subarray(28)), true)
  return file
}

const words =
  'fix repair the a car automobile weather is nice rain mend ing ##ing ##s ##ed broken c ##a ##r . , 你 é'.split(
    ' ',
  )

/** A small table with numbers that look random and are the same each time. */
export function smallTable(name = 'small-1', dimensions = 20): Uint8Array {
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const row = () => Array.from({ length: dimensions }, () => Math.round((random() - 0.5) * 14))
  return tableFile({
    name,
    vocabulary: words,
    scales: words.map(() => Math.fround(0.02 + random() / 3)),
    rows: words.map(row),
  })
}
