// Lists the books of a folder.
// Invariant: it opens and creates nothing.
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import { optionsOf, textOption } from '../../../core/option-check.ts'

/** A book in its own file. */
export interface BookInFolder {
  readonly name: string
  /** The absolute path, for `openDaybook`. */
  readonly path: string
}

const ending = '.daybook'

const checkOptions = optionsOf<{ readonly folder?: string }>({ folder: textOption(4000) })

/**
 * Lists the books in `folder`, sorted by name. Default: the current folder, where `openDaybook` creates
 * books. Throws `invalid-input` for wrong options, and `storage-failed` if the folder can't be read.
 */
export function listBooks(options: { readonly folder?: string } = {}): BookInFolder[] {
  checkOptions(options, '')
  const { folder = '.' } = options
  return entriesOf(folder)
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => ({
      name: entry.name.slice(0, -ending.length),
      path: resolve(join(folder, entry.name)),
    }))
    .filter(({ name }) => isBookName(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    const message = `${folder} can't be read (${cause instanceof Error ? cause.message : String(cause)}).`
    throw DaybookError.from({ code: 'storage-failed', message, retry: false, details: { path: folder } })
  }
}
