// Detects a file of another program, or another book, in the place of a book.
// Invariant: neither it nor the checkpoint beside it is written to.
import { DaybookError } from '../../../core/errors.ts'
import { checkpointPath } from './checkpoint-file.ts'

const tablesSql = "SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'"

/** Whether another program has tables in the database. `count` runs a query for one number. */
export const isOfAnother = (count: (sql: string) => number): boolean =>
  count(tablesSql) > 0 && count(`${tablesSql} AND name IN ('schema_version', 'about')`) === 0

/** The usual message of this code advises to reopen the book, which doesn't help here. */
const refusal = (message: string, details: Readonly<Record<string, string>>) =>
  DaybookError.from({ code: 'storage-failed', message, retry: false, details })

export function notOurs(path: string, hasCopy: boolean): DaybookError {
  const then = hasCopy ? 'to restore the book from its checkpoint' : 'to create a book here'
  return refusal(
    `${path} is a database of another program, and nothing was written to it. Move it away ${then}, or give the book another path.`,
    { path, reason: 'not-a-book' },
  )
}

export function otherBook(path: string): DaybookError {
  const checkpoint = checkpointPath(path)
  return refusal(
    `${path} is not the book of the checkpoint beside it, and nothing was changed. Put the right file back; or move ${path} away to restore the book from its checkpoint; or move ${checkpoint} away to use this file.`,
    { path, checkpoint, reason: 'other-book' },
  )
}

/** The file is too damaged to tell its book, and the checkpoint was made of the file `of`. */
export function otherCopy(path: string, of: string): DaybookError {
  const checkpoint = checkpointPath(path)
  return refusal(
    `${path} is damaged, the checkpoint beside it is of ${of}, and nothing was changed. Put the right checkpoint there; or move ${checkpoint} away to repair the file without one; or move ${path} away to restore the book from that checkpoint.`,
    { path, checkpoint, reason: 'other-book' },
  )
}
