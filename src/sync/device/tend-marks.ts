// What a sync brought, as far as marks are concerned: they go with their record, and are as sensitive as it is, also where
// whoever changed the record knew of no mark, or whoever made the mark knew of no change.
// Invariant: every device decides the same from the same two records, so that all of them end alike.
import { isLowered, type Sensitivity } from '../../core/sealed.ts'
import { markId } from '../../core/mark/mark-id.ts'
import { readPath } from '../../core/json/path.ts'
import type { BookStore } from '../../store/book-store.ts'
import { isPurged, type RecordRow } from '../../store/schema/record-row.ts'
import { putAgain } from '../conflict/put-again.ts'

type MarkStore = Pick<BookStore, 'kinds' | 'records' | 'bodies' | 'stamps' | 'purge'>

interface Changed {
  readonly id: string
  readonly kind: string
}

/** Puts the marks in order of whatever is in `changed`; answers the marks that it changed. Inside a transaction. */
export function tendMarks(store: MarkStore, changed: readonly Changed[], now: string): Changed[] {
  const { records, bodies, stamps } = store
  const targets = new Set(changed.flatMap((one) => targetOf(store, one) ?? []))
  return [...targets].flatMap((id) => {
    const mark = records.row(markId(id))
    const record = mark && records.row(id)
    if (!record || store.kinds.get(mark.kind)?.marks === undefined) return []
    const said = { kind: mark.kind, id: mark.id, at: now, agent: mark.agent }
    if (isPurged(record)) {
      if (isPurged(mark)) return []
      // Words of marks that lost to others lie in logs of conflicts: those go too, everywhere.
      records.forget({ op: 'forget', ...said, stamp: stamps.next(), purge: true })
      store.purge.purgeRemote(mark.id)
      return [said]
    }
    if (mark.deleted) return []
    if (record.deleted) {
      records.forget({ op: 'forget', ...said, stamp: stamps.next() })
      return [said]
    }
    // A copy that knows the record as it was before it was sealed makes no mark of it less sensitive.
    const body = isGuardedEnough(mark, record) ? undefined : bodies.read(mark, mark.body)
    // Without the key it can't be written as it should be; whoever has it will.
    if (!body || (isGuarded(record) && bodies.sealer.current() === undefined)) return []
    const { session, resource } = record
    putAgain(store, { ...mark, session, resource, sensitivity: levelOf(record) }, body, now)
    return [said]
  })
}

/** The record whose marks may be out of order. */
function targetOf({ kinds, records, bodies }: MarkStore, { id, kind }: Changed): string | undefined {
  const path = kinds.get(kind)?.marks
  if (path === undefined) return id
  const row = records.row(id)
  const body = row && !row.deleted ? bodies.read(row, row.body) : undefined
  const target = body && readPath(body, path)
  return typeof target === 'string' ? target : undefined
}

const isGuarded = ({ kid }: RecordRow) => kid !== null
const levelOf = ({ sensitivity }: RecordRow) => (sensitivity ?? 'standard') as Sensitivity
const isGuardedEnough = (mark: RecordRow, record: RecordRow) => !isLowered(levelOf(mark), levelOf(record))
