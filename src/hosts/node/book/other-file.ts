// Detects that the file at a book's path belongs to another program or is another book, and makes the errors
// for this.
// Invariant: neither such a file nor the checkpoint beside it is changed.
import { DaybookError } from '../../../core/errors.ts'
import { checkpointPath } from './checkpoint-file.ts'

const tablesSql = "SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'"

/**
 * Whether the database has tables, but neither `schema_version` (of a book) nor `about` (of a checkpoint). `count` runs
 * a query for one number `n`.
 */
export const isOfAnother = (count: (sql: string) => number): boolean =>
  count(tablesSql) > 0 && count(`${tablesSql} AND name IN ('schema_version', 'about')`) === 0

/**
 * Has its own message: the default message of `storage-failed` advises to reopen the book, which doesn't help
 * here.
 */
const refusal = (message: string, details: Readonly<Record<string, string>>) =>
  DaybookError.from({ code: 'storage-failed', message, retry: false, details })

/** The error for a file that is the database of another program. `hasCopy`: the book has a checkpoint. */
export function notOurs(path: string, hasCopy: boolean): DaybookError {
  const then = hasCopy ? 'to restore the book from its checkpoint' : 'to create a book here'
  return refusal(
    `${path} is a database of another program, and nothing was written to it. Move it away ${then}, or give the book another path.`,
    { path, reason: 'not-a-book' },
  )
}

/** The error for a file that isn't the book of the checkpoint beside it. */
export function otherBook(path: string): DaybookError {
  const checkpoint = checkpointPath(path)
  return refusal(
    `${path} is not the book of the checkpoint beside it, and nothing was changed. Put the right file back; or move ${path} away to restore the book from its checkpoint; or move ${checkpoint} away to use this file.`,
    { path, checkpoint, reason: 'other-book' },
  )
}

/**
 * The error if the file is too damaged to identify its book, and the checkpoint was made from the file `of`.
 */
export function otherCopy(path: string, of: string): DaybookError {
  const checkpoint = checkpointPath(path)
  return refusal(
    `${path} is damaged, the checkpoint beside it is of ${of}, and nothing was changed. Put the right checkpoint there; or move ${checkpoint} away to repair the file without one; or move ${path} away to restore the book from that checkpoint.`,
    { path, checkpoint, reason: 'other-book' },
  )
}
