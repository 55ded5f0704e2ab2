// Restarts an export whose owner ended: a cursor of an export works only with the process that issued it.
// Invariant: only for exports that publish nothing before they are complete.
import { isDaybookError } from '../../../core/errors.ts'

/** Most restarts. Each one means that another process owned the book and ended during the export. */
const restartLimit = 5

/**
 * Runs `exportBook` again when the process that owned the book ended during it. Throws `owner-changed` after five
 * restarts.
 */
export async function restartExport<Value>(exportBook: () => Promise<Value>): Promise<Value> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await exportBook()
    } catch (error) {
      if (restarts === restartLimit || !isDaybookError(error, 'owner-changed')) throw error
    }
  }
}
