// After a crash, checks the book's files in idle moments, one table at a time.
// Invariants: damage is noted in the book, so that the next opening repairs it first; a check that did not reach the
// last table starts again at the next opening.
import type { Service } from '../../core/capability/chapter.ts'
import type { Scheduler } from '../../core/ports.ts'
import { causeText, isDamageError, tablesOf } from '../../store/repair/damage.ts'
import type { OpenMark } from '../../store/repair/open-mark.ts'
import type { BookStore } from '../../store/book-store.ts'

/** Pause for calls between two tables: the check of a large table takes a tenth of a second. */
const stepMs = 60
/** Delay before the first table: callers are busy after an opening. */
const firstMs = 2000
/** Delay before a table is checked again, after an error that is no damage (storage that failed for a moment). */
const retryMs = 60_000

export interface HealthParts {
  /** `openMark.wasOpen`: the last engine did not close the book. `keepOpen`: the next engine checks again. */
  readonly store: Pick<BookStore, 'db'> & { readonly openMark: OpenMark }
  readonly scheduler: Scheduler
  /** Returns the fault of a table and its indexes; undefined if both are sound. */
  check(table: string): string | undefined
  /** Called once, with the first damage that a check or a call finds. */
  onDamage(reason: string): void
}

export function createHealth({ store, scheduler, check, onDamage }: HealthParts): Service {
  const { openMark, db } = store
  let remainingTables: string[] | undefined
  // True if the check has started, or after a clean end, which leaves nothing to check.
  let needsNoStart = !openMark.wasOpen
  let reason: string | undefined
  let cancel: (() => void) | undefined
  let closed = false

  const damage = (why: string) => {
    if (reason !== undefined || closed) return
    reason = why
    remainingTables = undefined
    openMark.markDamaged()
    onDamage(why)
  }
  const step = () => {
    cancel = undefined
    const table = remainingTables?.[0]
    if (closed || table === undefined) return
    try {
      const why = faultOf(() => check(table))
      if (why !== undefined) return damage(`${table}: ${why}`)
      remainingTables?.shift()
      cancel = scheduler.later(stepMs, step)
    } catch {
      cancel = scheduler.later(retryMs, step)
    }
  }
  return {
    name: 'health',
    idle() {
      if (needsNoStart || closed) return
      const why = faultOf(() => {
        remainingTables = tablesOf(db)
        return undefined
      })
      needsNoStart = true
      if (why !== undefined) return damage(why)
      cancel = scheduler.later(firstMs, step)
    },
    failed(error) {
      if (isDamageError(error)) damage(causeText(error))
    },
    degraded: () =>
      reason === undefined
        ? undefined
        : `damaged: part of the file cannot be read (${reason}). It is mended when the book is opened again.`,
    close() {
      closed = true
      cancel?.()
      if (openMark.wasOpen && remainingTables?.length !== 0) openMark.keepOpen()
    },
  }
}

/** Returns the fault that `work` returns, or the cause of its damage error; undefined without a fault. */
function faultOf(work: () => string | undefined): string | undefined {
  try {
    return work()
  } catch (error) {
    if (isDamageError(error)) return causeText(error)
    throw error
  }
}
