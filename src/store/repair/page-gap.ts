// Clears unused bytes in SQLite pages: the gap before the cells, and the end of the last overflow page of a long
// row. SQLite leaves copies of moved cells in the gap, and old content in a page that it reuses for overflow;
// `secure_delete` clears neither.
// Invariant: the content of a page does not change. A page that may not belong to a tree stays as it is.
import { pageBytes } from '../../core/journal.ts'
import { isMapPage } from './page-scan.ts'

/** A query of the overflow pages with free bytes at their end: page number and count of free bytes. */
export const overflowEndsSql =
  "SELECT pageno AS number, unused AS free FROM dbstat WHERE pagetype = 'overflow' AND unused > 0"
/** From a page number to its count of free bytes at the end. */
export type OverflowEnds = ReadonlyMap<number, number>
export const overflowEndsOf = (rows: readonly Readonly<Record<string, unknown>>[]): OverflowEnds =>
  new Map(rows.map(({ number, free }) => [Number(number), Number(free)]))

/** The header size of a page by its type: inner pages and leaves (fileformat.html#b_tree_pages). */
const headerBytesByType: ReadonlyMap<number | undefined, number> = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
])
const fileHeaderBytes = 100

/** Clears the unused bytes of page `number` (the first is 1) in place; true when they had content. */
export function clearGap(page: Uint8Array, number: number, overflowEnds: OverflowEnds): boolean {
  const gap = findGap(page, number, overflowEnds)
  if (!gap || gap.every((byte) => byte === 0)) return false
  gap.fill(0)
  return true
}

/** The unused bytes of a page; undefined when it has no such bytes or an unknown type. */
function findGap(page: Uint8Array, number: number, overflowEnds: OverflowEnds): Uint8Array | undefined {
  if (isMapPage(number) || page.length !== pageBytes) return undefined
  const free = overflowEnds.get(number)
  if (free !== undefined) return page.subarray(pageBytes - free)
  const start = number === 1 ? fileHeaderBytes : 0
  const head = headerBytesByType.get(page[start])
  if (head === undefined) return undefined
  const view = new DataView(page.buffer, page.byteOffset, page.length)
  // The header has the cell count at 3 and the start of the cells at 5. Two bytes for each cell follow it.
  const from = start + head + 2 * view.getUint16(start + 3)
  const until = view.getUint16(start + 5)
  return from <= until && until <= pageBytes ? page.subarray(from, until) : undefined
}
