// Sealed records that can't be read here, counted by what their heads say: what an answer had to leave out.
// Invariant: a guest is told of those alone that are in its reach by their heads.
import type { UnreadScope } from '../../core/capability/port/record-port.ts'
import { isHeadInReach } from '../../core/access/head-reach.ts'
import type { Reach } from '../../core/access/reach.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { SnapshotQuery } from '../../core/capability/transfer.ts'
import type { SnapshotEntry } from '../record/snapshot.ts'

/** Records that have this in common. */
export interface UnreadGroup extends SqlRow {
  readonly kind: string
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  readonly count: number
}

const grouped = `SELECT kind, agent, session, resource, count(*) AS count FROM records
  WHERE kid IS NOT NULL AND deleted = 0 GROUP BY kind, agent, session, resource`

type UnreadRow = SqlRow &
  Pick<UnreadGroup, 'kind' | 'agent' | 'session' | 'resource'> & { readonly seq: number }

/** Every live sealed record, where none is opened. */
export function sealedGroups(db: Pick<SqlDatabase, 'all'>): readonly UnreadGroup[] {
  return db.all<UnreadGroup>(grouped)
}

/** Those that are not among `opened`. */
export function unreadGroups(
  db: Pick<SqlDatabase, 'all'>,
  opened: ReadonlySet<number>,
): readonly UnreadGroup[] {
  const rows = db.all<UnreadRow>(
    'SELECT seq, kind, agent, session, resource FROM records WHERE kid IS NOT NULL AND deleted = 0',
  )
  const groups = new Map<string, UnreadGroup>()
  for (const { seq, kind, agent, session, resource } of rows) {
    if (opened.has(seq)) continue
    const key = JSON.stringify([kind, agent, session, resource])
    const count = (groups.get(key)?.count ?? 0) + 1
    groups.set(key, { kind, agent, session, resource, count })
  }
  return [...groups.values()]
}

/** Those of a snapshot, by id. When they happened nobody can tell here: the time at which they were made stands for it. */
export function listUnread(
  db: Pick<SqlDatabase, 'all'>,
  isOpened: (seq: number) => boolean,
  { kinds, from = '', before = '\uffff' }: SnapshotQuery,
): SnapshotEntry[] {
  return db
    .all<SnapshotEntry & SqlRow>(
      `SELECT id, kind, seq, rev FROM records WHERE kid IS NOT NULL AND deleted = 0
       AND kind IN (SELECT value FROM json_each(?)) AND created_at >= ? AND created_at < ? ORDER BY id`,
      [JSON.stringify(kinds), from, before],
    )
    .filter(({ seq }) => !isOpened(seq))
}

export function countUnread(
  groups: readonly UnreadGroup[],
  { kinds: asked, agent, session, resource }: UnreadScope,
  { kinds, reach }: { readonly kinds: Kinds; readonly reach?: Reach | undefined },
): number {
  const isMeant = (group: UnreadGroup) =>
    (asked === undefined || asked.includes(group.kind)) &&
    (agent === undefined || agent === group.agent) &&
    (session === undefined || session === group.session) &&
    (resource === undefined || resource === group.resource) &&
    (reach === undefined || isHeadInReach(reach, group, kinds))
  return groups.filter(isMeant).reduce((sum, { count }) => sum + count, 0)
}
