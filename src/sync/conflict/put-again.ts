// A record that a copy changes by itself, because of another one that it has: it is put again as it is, but for that.
import type { JsonObject } from '../../core/json/path.ts'
import type { Sensitivity } from '../../core/sealed.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'

/** Puts `body` in the place of what `row` says. Inside a transaction. */
export function putAgain(
  { records, stamps }: Pick<BookStore, 'records' | 'stamps'>,
  { kind, id, agent, created_at, session, resource, sensitivity }: RecordRow,
  body: JsonObject,
  at: string,
): void {
  records.put({
    op: 'put',
    kind,
    id,
    at,
    stamp: stamps.next(),
    agent,
    created_at,
    ...(session === null ? {} : { session }),
    ...(resource === null ? {} : { resource }),
    ...(sensitivity === null ? {} : { sensitivity: sensitivity as Sensitivity }),
    body,
  })
}
