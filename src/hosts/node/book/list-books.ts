// Lists the books of a folder.
// Invariant: it opens and creates nothing.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isBookName } from '../../../core/book.ts'

/** A book in its own file. */
export interface BookInFolder {
  readonly name: string
  /** The absolute path, for `openDaybook`. */
  readonly path: string
}

const ending = '.daybook'

/**
 * Lists the books in `folder`, sorted by name. Default: the current folder, where `openDaybook` creates
 * books. Throws if the folder can't be read.
 */
export function listBooks({ folder = '.' }: { readonly folder?: string } = {}): BookInFolder[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => ({
      name: entry.name.slice(0, -ending.length),
      path: resolve(join(folder, entry.name)),
    }))
    .filter(({ name }) => isBookName(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}
