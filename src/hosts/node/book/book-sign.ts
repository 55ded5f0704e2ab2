// Recognises the damaged file of a book by its bytes.
// Invariant: it changes nothing, and opens no database at the path of the file.
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { formatTime } from '../../../core/time.ts'
import { hasBookHeader, openPages, type Pages } from '../../../store/repair/page-scan.ts'
import { columnsOf } from '../../../store/repair/record-copy.ts'
import { hasRecords } from '../../../store/repair/salvage.ts'
import { migrate } from '../../../store/schema/version.ts'
import { bytesOf } from './disk-reserve.ts'
import { memoryPath, openNodeDatabase, pageBytes } from './node-database.ts'

/** Most bytes of a file that is read into memory for the search for records. */
const mostBytes = 2 ** 30
/** Bytes of a larger file that are read to recognise a book. */
const sampleBytes = 2 ** 22

/** Reads the pages of the damaged file; undefined if it is too large. */
export function readPages(path: string): Pages | undefined {
  if (bytesOf(path) + bytesOf(`${path}-wal`) > mostBytes) return undefined
  return openPages(readFileSync(path), existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : undefined)
}

/**
 * True when the damaged file is of a book: it has a record or the tables of a book, or the header of a book and no
 * table of another program. Also true when it has only zeros: then it has nothing of another program.
 */
export function isOfBook(path: string, pages: Pages | undefined = readPages(path)): boolean {
  const found = pages ?? openPages(readHead(path, sampleBytes))
  if (holdsRecords(found)) return true
  let isZero = true
  let hasTables = false
  for (let number = 1; number <= found.count; number++) {
    const page = found.page(number) ?? new Uint8Array()
    isZero &&= page.every((byte) => byte === 0)
    const text = Buffer.from(page.buffer, page.byteOffset, page.length)
    if (text.includes('CREATE TABLE schema_version')) return true
    hasTables ||= text.includes('CREATE TABLE ')
  }
  if (hasTables) return false
  const head = readHead(path, pageBytes)
  return hasBookHeader(head) || (isZero && head.every((byte) => byte === 0))
}

function holdsRecords(pages: Pages): boolean {
  const sample = openNodeDatabase({ path: memoryPath })
  try {
    migrate(sample, formatTime(Date.now()))
    return hasRecords(pages, columnsOf(sample))
  } finally {
    sample.close()
  }
}

/** The first bytes of the file, at most `most`. */
export function readHead(path: string, most: number): Uint8Array {
  const file = openSync(path, 'r')
  try {
    const bytes = new Uint8Array(most)
    return bytes.subarray(0, readSync(file, bytes, 0, most, 0))
  } finally {
    closeSync(file)
  }
}
