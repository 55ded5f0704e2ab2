// Rivals: records that concurrently supersede the same record. Each copy derives the winner from the records
// (core/succession); this module logs the loser as a conflict.
// Invariant: a copy with both rivals has one log entry about them, however often they arrive.
import { currentRival } from '../../core/succession.ts'
import { citedIds } from '../../core/kind.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { RecordRow } from '../../store/schema/record-row.ts'
import { toConflictSide, toWireChange } from '../wire/wire-op.ts'

export type RivalStore = Pick<
  BookStore,
  'kinds' | 'records' | 'bodies' | 'projection' | 'queries' | 'conflicts' | 'device'
>

/**
 * Logs each record that lost its place because of `arrived`. Returns the number of new entries. Call it in the
 * transaction that stores `arrived`.
 */
export function logRivals(
  store: RivalStore,
  arrived: readonly { readonly id: string; readonly kind: string }[],
  now: string,
): number {
  let logged = 0
  let isCaughtUp = false
  for (const { id, kind: name } of arrived) {
    const kind = store.kinds.get(name)
    const path = kind?.cites?.find(({ supersedes }) => supersedes)?.path
    if (!kind || path === undefined) continue
    const row = store.records.row(id)
    const body = row && !row.deleted && row.kind === name ? store.bodies.read(row, row.body) : undefined
    if (!row || !body) continue
    for (const target of citedIds(body, path)) {
      if (!isCaughtUp) store.projection.catchUpInTransaction()
      isCaughtUp = true
      const rivals = rivalsOf(store, row, target, path)
      const winner = currentRival(kind.policy, rivals)
      // If the arrived record wins, it displaced the record that would win without it.
      const loser =
        winner?.id === id
          ? currentRival(
              kind.policy,
              rivals.filter((rival) => rival.id !== id),
            )
          : row
      if (!winner || !loser || isLogged(store, loser, winner)) continue
      const lost = toWireChange(loser, store.device)
      store.conflicts.add({
        record: loser.id,
        kind: name,
        policy: kind.policy,
        at: now,
        state: kind.policy === 'manual' ? 'open' : 'settled',
        loser: toConflictSide(lost, lost.by),
        winner: { by: toWireChange(winner, store.device).by, op: 'put', record: winner.id },
        paths: [path],
      })
      logged += 1
    }
  }
  return logged
}

/** Returns all records that supersede `target`, `row` included. A sealed and a clear record are never rivals. */
function rivalsOf(
  { records, queries }: RivalStore,
  row: RecordRow,
  target: string,
  path: string,
): RecordRow[] {
  return queries.citing(target).flatMap((citation) => {
    const found = citation.path === path ? records.row(citation.id) : undefined
    const isRival = found && found.kind === row.kind && (found.kid === null) === (row.kid === null)
    return isRival ? [found] : []
  })
}

function isLogged({ conflicts }: RivalStore, { id }: RecordRow, standing: RecordRow): boolean {
  return conflicts.list({ record: id, limit: 1000 }).some(({ winner }) => winner?.record === standing.id)
}
