// Clears what no row takes in a page of SQLite: the space between cells, and behind the end of a long row. When SQLite moves
// cells to another page it leaves copies of them there, and a page that it gives to a long row keeps what it had behind that.
// No `secure_delete` reaches those bytes, whatever becomes of the row later.
// Invariant: what a page says stays as it is; bytes that may be none of a tree stay untouched.
import { isMapPage, pageBytes } from './page-scan.ts'

/** The last pages of long rows, and how many of their bytes are free at their end. */
export const tailsSql =
  "SELECT pageno AS number, unused AS free FROM dbstat WHERE pagetype = 'overflow' AND unused > 0"
export type Tails = ReadonlyMap<number, number>
export const tailsOf = (rows: readonly Readonly<Record<string, unknown>>[]): Tails =>
  new Map(rows.map(({ number, free }) => [Number(number), Number(free)]))

/** Of pages with a right child, and of leaves (fileformat.html#b_tree_pages). */
const headBytes: ReadonlyMap<number | undefined, number> = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
])
const fileHeaderBytes = 100

/** Clears it in the page of that number, from 1 on, in place; true when something stood there. */
export function clearGap(page: Uint8Array, number: number, tails: Tails): boolean {
  const gap = gapOf(page, number, tails)
  if (!gap || gap.every((byte) => byte === 0)) return false
  gap.fill(0)
  return true
}

function gapOf(page: Uint8Array, number: number, tails: Tails): Uint8Array | undefined {
  if (isMapPage(number) || page.length !== pageBytes) return undefined
  const tail = tails.get(number)
  if (tail !== undefined) return page.subarray(pageBytes - tail)
  const start = number === 1 ? fileHeaderBytes : 0
  const head = headBytes.get(page[start])
  if (head === undefined) return undefined
  const view = new DataView(page.buffer, page.byteOffset, page.length)
  const from = start + head + 2 * view.getUint16(start + 3)
  const until = view.getUint16(start + 5)
  return from <= until && until <= pageBytes ? page.subarray(from, until) : undefined
}
