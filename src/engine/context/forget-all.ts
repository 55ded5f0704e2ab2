// Forgets or purges records together, and takes the words of those out of what other records say of them.
import { dropWords, type WordStore } from '../../sync/conflict/dependents.ts'
import type { Changed } from '../../core/capability/service.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'

interface ForgetParts {
  readonly store: WordStore & Pick<BookStore, 'stamps' | 'purge'>
  readonly now: string
  readonly defaults: { readonly agent: string }
}

/** Forgets `rows`, or purges them; answers what changed. Inside a transaction. */
export function forgetAll(
  { store, now: at, defaults: { agent } }: ForgetParts,
  rows: readonly RecordRow[],
  more: { readonly purge?: true } = {},
): Changed[] {
  const gone = rows.filter(({ id, kind, seq }) => {
    const op = { op: 'forget', kind, id, agent, at, stamp: store.stamps.next(), ...more } as const
    const isForgotten = store.records.forget(op) !== undefined
    if (more.purge) store.purge.purge(id, seq)
    return isForgotten
  })
  return [...gone.map(({ id, kind }) => ({ id, kind })), ...dropWords(store, rows, at)]
}
