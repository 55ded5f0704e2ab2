// Tells a file in the place of a book that is somebody else's: another program's database, or another book.
// Invariant: nothing is written to it, nor to the checkpoint beside it.
import { DaybookError } from '../../../core/errors.ts'
import { checkpointPath } from './checkpoint-file.ts'

const tablesSql = "SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'"

/** True for a database in which another program keeps its tables. `count` runs a query for one number. */
export const isOfAnother = (count: (sql: string) => number): boolean =>
  count(tablesSql) > 0 && count(`${tablesSql} AND name IN ('schema_version', 'about')`) === 0

/** The usual message of this code says to open the book again, which helps nobody here. */
const refusal = (message: string, details: Readonly<Record<string, string>>) =>
  DaybookError.from({ code: 'storage-failed', message, retry: false, details })

export function notOurs(path: string, hasCopy: boolean): DaybookError {
  const then = hasCopy ? 'and the book comes back from its checkpoint' : 'to begin a book here'
  return refusal(
    `${path} is a database of another program, and nothing was written to it. Move it away ${then}, or give the book another path.`,
    { path, reason: 'not-a-book' },
  )
}

export function otherBook(path: string): DaybookError {
  const checkpoint = checkpointPath(path)
  return refusal(
    `${path} is another book than the one whose checkpoint lies beside it, and nothing was changed. Put the right file back; or move ${path} away, and the book comes back from its checkpoint; or move ${checkpoint} away to use this file.`,
    { path, checkpoint, reason: 'other-book' },
  )
}

/** The file is damaged so far that nobody can tell whose it is, and its checkpoint was made of the file `of`. */
export function otherCopy(path: string, of: string): DaybookError {
  const checkpoint = checkpointPath(path)
  return refusal(
    `${path} is damaged, the checkpoint beside it is of ${of}, and nothing was changed. Put the right checkpoint there; or move ${checkpoint} away, and what can be read of the file is mended without one; or move ${path} away, and the book comes back from that checkpoint.`,
    { path, checkpoint, reason: 'other-book' },
  )
}
