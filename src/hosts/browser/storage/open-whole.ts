// Opens the database of a book in this browser, and repairs it first if damage is known or found.
import { isDaybookError } from '../../../core/errors.ts'
import type { SqlDatabase } from '../../../core/ports.ts'
import { bodyFault, causeText, firstFault, isDamageError } from '../../../store/repair/damage.ts'
import { isMarkedDamaged } from '../../../store/repair/open-mark.ts'
import { schemaFault } from '../../../store/repair/salvaged-tables.ts'
import { isBook } from '../../../store/schema/version.ts'

/**
 * Why a book is opened again. `damaged`: the fault of its file. `isSuspect`: an error may come from damage,
 * so check the file.
 */
export type Suspicion = { readonly damaged: string } | { readonly isSuspect: true }

export interface Mendable<Opened> {
  open(): Opened | Promise<Opened>
  close(opened: Opened): void | Promise<void>
  /** Repairs the closed database. */
  mend(reason: string): Promise<void>
  /** Why the file must be repaired before it is opened. Absent: no reason. */
  loss?(isSuspect: boolean): string | undefined
  /** Whether the book has a readable checkpoint. Absent: it has none. */
  hasCopy?(): boolean
}

/** Opens the database, and repairs it first if damage is known or found. */
export async function openWhole<Opened extends { readonly db: SqlDatabase }>(
  book: Mendable<Opened>,
  suspicion?: Suspicion,
): Promise<Opened> {
  const isSuspect = suspicion !== undefined && 'isSuspect' in suspicion
  let reason = suspicion && 'damaged' in suspicion ? suspicion.damaged : book.loss?.(isSuspect)
  if (reason === undefined) {
    let opened: Opened | undefined
    try {
      opened = await book.open()
      const { db } = opened
      if (!isBook(db) && book.hasCopy?.()) reason = 'the file has no book'
      else if (!isMarkedDamaged(db) && !isSuspect) return opened
      // A broken table, a missing table, or a broken body of a record.
      reason ??= firstFault(db) ?? (isSuspect ? schemaFault(db) : undefined) ?? bodyFault(db)
      if (reason === undefined) return opened
    } catch (error) {
      // SQLite reports a file as read-only here only if its header is damaged.
      if (!isDamageError(error) && !isReadOnly(error)) {
        if (opened) await book.close(opened)
        throw error
      }
      reason = causeText(error)
    }
    if (opened) await book.close(opened)
  }
  await book.mend(reason)
  return book.open()
}

/** SQLITE_READONLY (https://sqlite.org/rescode.html). */
const readOnlyResult = 8

/** Whether SQLite reports a read-only file, which a damaged header can cause too. */
export const isReadOnly = (error: unknown): boolean =>
  isDaybookError(error, 'storage-failed') && error.details['result'] === readOnlyResult
