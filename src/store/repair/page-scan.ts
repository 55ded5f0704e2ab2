// Reads rows of `records` from the pages of a damaged SQLite file, without the tree that links the pages.
// Invariant: no row comes from a free page, which may have forgotten content.
import { pageBytes } from '../../core/journal.ts'
import type { SqlRow, SqlValue } from '../../core/ports.ts'
import { readUtf8 } from '../../core/text/utf8.ts'

const headerBytes = 100
/** How many pages a pointer map page describes, in five bytes each (fileformat.html#pointer_map). */
const pagesPerMap = Math.floor(pageBytes / 5)
/** Types of tree pages in a pointer map (PTRMAP_ROOTPAGE, PTRMAP_BTREE): a root, and any other. */
const treeTypes: readonly number[] = [1, 5]
/** Types of overflow pages (PTRMAP_OVERFLOW1, PTRMAP_OVERFLOW2): the first of a row, and any other. */
const overflowTypes: readonly number[] = [3, 4]
/** The greatest type in a pointer map. */
const maxType = 5
/** The first byte of a leaf of a table. */
const leafType = 13
/** Most and fewest bytes of a row in its leaf (fileformat.html#cell_payload). A longer row continues in overflow pages. */
const maxLocalBytes = pageBytes - 35
const minLocalBytes = Math.floor(((pageBytes - 12) * 32) / 255) - 23
/** Most bytes of a row: more is a damaged number. */
const maxPayloadBytes = 64_000_000

/** The pages of a file, numbered from 1; undefined beyond the end. */
export interface Pages {
  readonly count: number
  page(number: number): Uint8Array | undefined
}

/** The pages of a file, replaced by those that its write-ahead log has committed. Default: no such log. */
export function openPages(file: Uint8Array, log: Uint8Array = new Uint8Array()): Pages {
  const newer = committedPages(log)
  const count = Math.max(Math.floor(file.length / pageBytes), ...newer.keys())
  return {
    count,
    page(number) {
      const committed = newer.get(number)
      if (committed) return committed
      const page = file.subarray((number - 1) * pageBytes, number * pageBytes)
      return number >= 1 && page.length === pageBytes ? page : undefined
    },
  }
}

const logHeaderBytes = 32
const frameBytes = 24 + pageBytes

/** The pages of all frames up to the last commit (fileformat.html#the_write_ahead_log). */
function committedPages(log: Uint8Array): Map<number, Uint8Array> {
  const committed = new Map<number, Uint8Array>()
  if (log.length < logHeaderBytes + frameBytes) return committed
  const view = new DataView(log.buffer, log.byteOffset, log.length)
  let uncommitted = new Map<number, Uint8Array>()
  for (let offset = logHeaderBytes; offset + frameBytes <= log.length; offset += frameBytes) {
    // A frame of an earlier use of the file has other salts than the header.
    const isOfLog = [0, 4].every((i) => view.getUint32(offset + 8 + i) === view.getUint32(16 + i))
    if (!isOfLog) break
    uncommitted.set(view.getUint32(offset), log.subarray(offset + 24, offset + frameBytes))
    // Only the last frame of a commit has the size of the database.
    if (view.getUint32(offset + 4) === 0) continue
    for (const [number, page] of uncommitted) committed.set(number, page)
    uncommitted = new Map()
  }
  return committed
}

/**
 * Every whole row in a table leaf that fits `columns`. A row of another table may fit too: check the values.
 * `isOfAnyPage`: also rows of free pages, only to recognise a book.
 */
export function* scanRows(pages: Pages, columns: readonly string[], isOfAnyPage = false): Generator<SqlRow> {
  const checked = { page: (number: number) => pages.page(number), isUsedAs: createUseCheck(pages) }
  // Page 1 is the schema, page 2 a pointer map.
  for (let number = 3; number <= pages.count; number++) {
    if (!isOfAnyPage && !checked.isUsedAs(number, treeTypes)) continue
    const page = pages.page(number)
    if (page?.[0] !== leafType) continue
    const view = viewOf(page)
    const cells = Math.min(view.getUint16(3), (pageBytes - 8) >> 1)
    for (let i = 0; i < cells; i++) {
      const row = readCell(checked, page, view.getUint16(8 + 2 * i), columns)
      if (row) yield row
    }
  }
}

/** The number of the pointer map page that describes page `number`. */
const mapPageOf = (number: number) => 2 + Math.floor((number - 2) / (pagesPerMap + 1)) * (pagesPerMap + 1)

export const isMapPage = (number: number): boolean => number > 1 && number === mapPageOf(number)

interface CheckedPages extends Pick<Pages, 'page'> {
  /** True when a page is not free and has one of `types`, or a type that is unknown because its pointer map is lost. */
  isUsedAs(number: number, types: readonly number[]): boolean
}

function createUseCheck(pages: Pages): CheckedPages['isUsedAs'] {
  const free = listFreePages(pages)
  const lastPage = statedBytes(pages.page(1) ?? new Uint8Array()) / pageBytes
  return (number, types) => {
    const map = mapPageOf(number)
    if (number === map) return false
    const type = pages.page(map)?.[(number - map - 1) * 5] ?? 0
    if (type > 0 && type <= maxType) return types.includes(type)
    // Without the pointer map, the list of free pages decides: a page that is not in it is used.
    return number <= lastPage && free?.has(number) === false
  }
}

/** The free pages (fileformat.html#the_freelist); undefined when their list is not whole. */
function listFreePages(pages: Pages): ReadonlySet<number> | undefined {
  const first = pages.page(1)
  if (!first || !hasBookHeader(first)) return undefined
  const free = new Set<number>()
  // The header has the first page of the list at 32, and the count of free pages at 36.
  for (let number = viewOf(first).getUint32(32); number !== 0;) {
    const page = pages.page(number)
    if (!page || free.has(number)) return undefined
    free.add(number)
    const view = viewOf(page)
    const listed = Math.min(view.getUint32(4), pageBytes / 4 - 2)
    for (let i = 0; i < listed; i++) free.add(view.getUint32(8 + 4 * i))
    number = view.getUint32(0)
  }
  return free.size === viewOf(first).getUint32(36) ? free : undefined
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length)

/** The row at offset `offset` of a page; undefined when the bytes are no row that fits `columns`. */
function readCell(
  pages: CheckedPages,
  page: Uint8Array,
  offset: number,
  columns: readonly string[],
): SqlRow | undefined {
  try {
    const [size, afterSize] = readVarint(page, offset)
    const [rowid, start] = readVarint(page, afterSize)
    if (size < 2 || size > maxPayloadBytes) return undefined
    const payload = readPayload(pages, page, { start, size })
    return payload && readRow(payload, rowid, columns)
  } catch (error) {
    // A damaged number pointed out of the page.
    if (error instanceof RangeError || error instanceof TypeError) return undefined
    throw error
  }
}

/** The bytes of a row, with those in overflow pages; undefined when a page is missing or no overflow page. */
function readPayload(
  pages: CheckedPages,
  page: Uint8Array,
  { start, size }: { readonly start: number; readonly size: number },
): Uint8Array | undefined {
  const rest = minLocalBytes + ((size - minLocalBytes) % (pageBytes - 4))
  const local = size <= maxLocalBytes ? size : rest <= maxLocalBytes ? rest : minLocalBytes
  if (start + local > pageBytes) return undefined
  const payload = new Uint8Array(size)
  payload.set(page.subarray(start, start + local))
  let next = local < size ? viewOf(page).getUint32(start + local) : 0
  for (let filled = local; filled < size;) {
    const overflowPage = pages.page(next)
    if (!overflowPage || !pages.isUsedAs(next, overflowTypes)) return undefined
    const piece = overflowPage.subarray(4, 4 + Math.min(pageBytes - 4, size - filled))
    payload.set(piece, filled)
    filled += piece.length
    next = viewOf(overflowPage).getUint32(0)
  }
  return payload
}

/** Bytes of a value by its serial type (fileformat.html#record_format). */
const fixedSizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

/** The values of a row; undefined when its bytes don't fit `columns`. */
function readRow(payload: Uint8Array, rowid: number, columns: readonly string[]): SqlRow | undefined {
  const [head, afterHead] = readVarint(payload, 0)
  const types: number[] = []
  let offset = afterHead
  while (offset < head) {
    const [type, after] = readVarint(payload, offset)
    types.push(type)
    offset = after
  }
  // A row of an earlier schema has fewer columns: migrations add columns at the end.
  if (offset !== head || types.length > columns.length) return undefined
  const row: Record<string, SqlValue> = {}
  for (const [i, type] of types.entries()) {
    const size = type >= 12 ? (type - 12 - (type % 2)) / 2 : (fixedSizes[type] ?? 0)
    if (offset + size > payload.length) return undefined
    const bytes = payload.subarray(offset, offset + size)
    const name = columns[i] ?? ''
    if (type >= 12) row[name] = type % 2 === 1 ? readUtf8(bytes) : bytes.slice()
    else row[name] = readFixedValue(bytes, type)
    offset += size
  }
  return offset === payload.length ? { ...row, seq: rowid } : undefined
}

function readFixedValue(bytes: Uint8Array, type: number): SqlValue {
  if (type === 0) return null
  if (type === 7) return viewOf(bytes).getFloat64(0)
  if (type === 8 || type === 9) return type - 8
  let value = ((bytes[0] ?? 0) << 24) >> 24
  for (const byte of bytes.subarray(1)) value = value * 256 + byte
  return value
}

/** Reads a varint of one to nine bytes, and the position after it. Throws `RangeError` past the end. */
function readVarint(bytes: Uint8Array, at: number): readonly [value: number, next: number] {
  let value = 0
  for (let i = 0; i < 9; i++) {
    const byte = bytes[at + i]
    if (byte === undefined) throw new RangeError('The bytes end within a number.')
    if (i === 8) return [value * 256 + byte, at + 9]
    value = value * 128 + (byte & 127)
    if (byte < 128) return [value, at + i + 1]
  }
  return [value, at]
}

/** The bytes of the first page that are the same in every book, with their positions. */
const headerConstants: readonly (readonly [at: number, bytes: readonly number[]])[] = [
  [0, [...'SQLite format 3\0'].map((letter) => letter.charCodeAt(0))],
  [16, [pageBytes >> 8, pageBytes & 255, 2, 2, 0, 64, 32, 32]],
  [44, [0, 0, 0, 4]],
  [56, [0, 0, 0, 1]],
  [64, [0, 0, 0, 1]],
  [72, new Array<number>(20).fill(0)],
]

/** The size that the header of the file states, in bytes. A cut file is smaller. */
export const statedBytes = (first: Uint8Array): number =>
  first.length < headerBytes ? 0 : viewOf(first).getUint32(28) * pageBytes

/** True when all bytes of the first page that are the same in every book are in `first`, which may be cut. */
export const hasBookHeader = (first: Uint8Array): boolean =>
  first.length >= 16 &&
  headerConstants.every(([at, bytes]) =>
    bytes.every((byte, i) => at + i >= first.length || first[at + i] === byte),
  )

/** Restores the constant bytes in the first page; true when some were different. */
export function repairHeader(first: Uint8Array): boolean {
  let isChanged = false
  if (first.length < headerBytes) return false
  for (const [at, bytes] of headerConstants) {
    if (bytes.every((byte, i) => first[at + i] === byte)) continue
    first.set(bytes, at)
    isChanged = true
  }
  return isChanged
}
