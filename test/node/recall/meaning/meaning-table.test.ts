// The file of `daybook/meaning`: what a damaged, cut or foreign one says, and the one of the package.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 as zlibSum } from 'node:zlib'
import { expect, test } from 'vitest'
import { root } from '../../../../scripts/place.mjs'
import { crc32 } from '../../../../src/recall/embed/meaning/crc32.ts'
import { readMeaningTable } from '../../../../src/recall/embed/meaning/meaning-table.ts'
import { packagedTable } from '../../../../src/recall/embed/meaning/packaged-table.ts'
import { smallTable, tableFile, withSum } from '../../../support/meaning-table.ts'

test('the checksum is that of zlib', () => {
  const bytes = Uint8Array.from({ length: 1003 }, (_, i) => (i * 37) % 251)
  for (const length of [0, 1, 2, 3, 4, 5, 1003])
    expect(crc32(bytes.subarray(0, length))).toBe(zlibSum(bytes.subarray(0, length)))
})

test('a file has its name, pieces, scales and rows', () => {
  const parts = {
    name: 'tiny-ü',
    vocabulary: ['a', '##b', 'é'],
    scales: [0.5, 0.25, 1],
    rows: [
      [1, -2],
      [7, -8],
      [0, 3],
    ],
  }
  const { name, dimensions, vocabulary, scales, rows } = readMeaningTable(tableFile(parts))
  expect({ name, vocabulary, scales: [...scales] }).toEqual({
    name: parts.name,
    vocabulary: parts.vocabulary,
    scales: parts.scales,
  })
  expect([dimensions, ...rows]).toEqual([2, 1, -2, 7, -8, 0, 3])
})

const changed = (change: (file: Uint8Array) => Uint8Array | void) => {
  const file = smallTable()
  return change(file) ?? file
}
const set = (at: number, value: number) =>
  changed((file) => new DataView(file.buffer).setUint32(at, value, true))

const vocabularyBytes = new DataView(smallTable().buffer).getUint32(20, true)

test.each([
  ['an empty file', new Uint8Array(), 'is no table'],
  ['a page of an app', new TextEncoder().encode('<!doctype html><title>Not found</title>'), 'is a web page'],
  ['a later format', changed((file) => void file.set([0x39], 7)), 'another version of Daybook'],
  ['a file that lacks its last byte', changed((file) => file.slice(0, -1)), 'is cut short'],
  ['a file that lacks all but its head', changed((file) => file.slice(0, 28)), 'is cut short'],
  ['a byte too many', changed((file) => Uint8Array.of(...file, 0)), 'is damaged'],
  [
    'a changed number',
    changed((file) => void file.set([(file.at(-5) ?? 0) ^ 1], file.length - 5)),
    'is damaged',
  ],
  ['a picture', changed((file) => void file.set([0xff, 0xd8, 0xff, 0xfe])), 'is no table'],
  ['a vocabulary that is one byte short', set(20, vocabularyBytes - 1), 'is damaged'],
  ['a vocabulary that is one byte long', set(20, vocabularyBytes + 1), 'is damaged'],
  ['no dimensions', set(8, 0), 'is damaged'],
  ['too many dimensions', set(8, 2 ** 31), 'is damaged'],
  ['too many pieces', set(12, 2 ** 32 - 1), 'is damaged'],
  ['no pieces', set(12, 0), 'is damaged'],
  ['a long name', set(16, 2 ** 32 - 1), 'is cut short'],
  ['a scale that is no number', withSum(changed((file) => void scaleOf(file, Number.NaN))), 'is damaged'],
])('%s', (_name, file, message) => {
  expect(() => readMeaningTable(file)).toThrow(
    expect.objectContaining({
      code: 'embedder-failed',
      retry: true,
      message: expect.stringContaining(message) as string,
    }),
  )
})

/** Overwrites the first scale. */
function scaleOf(file: Uint8Array, value: number): void {
  const view = new DataView(file.buffer)
  const textEnd = 28 + view.getUint32(16, true) + view.getUint32(20, true)
  view.setFloat32(Math.ceil(textEnd / 4) * 4, value, true)
}

test('the file of the package is the one that the code names', () => {
  const file = readFileSync(join(root, 'assets/meaning.bin'))
  const { name, dimensions, vocabulary } = readMeaningTable(new Uint8Array(file))
  expect({ name, dimensions }).toEqual(packagedTable)
  expect(vocabulary).not.toContain('[UNK]')
})
