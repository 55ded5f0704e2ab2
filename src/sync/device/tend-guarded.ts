// Records that are no less sensitive than others (`guardedBy` of their kind), where one of two was sealed, and the other made, by
// devices that did not know of each other.
// Invariant: every device decides the same from the same two records, and none makes a record less sensitive.
import type { BookStore } from '../../store/book-store.ts'
import { putAgain } from '../conflict/put-again.ts'

interface Changed {
  readonly id: string
  readonly kind: string
}

/**
 * Seals what is less sensitive than what guards it: of `changed` and what those guard, or of all; then what these guard. Answers
 * what it changed. Inside a transaction.
 */
export function tendGuarded(
  store: Pick<BookStore, 'records' | 'stamps' | 'sources' | 'bodies'>,
  changed: readonly Changed[] | undefined,
  now: string,
): Changed[] {
  const { sources, bodies } = store
  // Without the key it can't be written as it should be; whoever has it will.
  if (bodies.sealer.current() === undefined) return []
  const raised: Changed[] = []
  for (let next = changed; ;) {
    const done = sources.guards.unguarded(next?.map(({ id }) => id)).flatMap(({ row, level }) => {
      const body = bodies.read(row, row.body)
      if (!body) return []
      putAgain(store, { ...row, sensitivity: level }, body, now)
      return [{ id: row.id, kind: row.kind }]
    })
    if (done.length === 0) return raised
    raised.push(...done)
    next = done
  }
}
