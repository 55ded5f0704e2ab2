// Lists and counts sealed records by their heads, and those that can't be decrypted here.
// Invariant: counts for a guest include only records that are in its reach by their heads.
import type { UnreadScope } from '../../core/capability/port/record-port.ts'
import type { SnapshotQuery } from '../../core/capability/transfer.ts'
import { type Reach, isHeadInReach } from '../../core/access/reach.ts'
import type { Kinds } from '../../core/kind.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import type { SnapshotEntry } from '../record/snapshot.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'

type ReadableDb = Pick<SqlDatabase, 'get' | 'all'>
/** `body`: the sealed body, as stored. */
type BodyRow = SqlRow & { readonly seq: number; readonly body: string }

export class SealedList {
  readonly #db: ReadableDb

  constructor(db: ReadableDb) {
    this.#db = db
  }

  hasAny(): boolean {
    return this.#db.get('SELECT 1 AS one FROM records WHERE kid IS NOT NULL LIMIT 1') !== undefined
  }

  /**
   * The ids of the keys in use. The query steps from key to key in the index, because few keys may seal many
   * records.
   */
  keyIds(): readonly string[] {
    return this.#db
      .all<{ kid: string }>(
        `WITH RECURSIVE under (kid) AS (
           SELECT min(kid) FROM records WHERE kid IS NOT NULL
           UNION ALL
           SELECT (SELECT min(kid) FROM records WHERE kid > under.kid) FROM under WHERE under.kid IS NOT NULL
         ) SELECT kid FROM under WHERE kid IS NOT NULL`,
      )
      .map(({ kid }) => kid)
  }

  /** How many live records each key seals. */
  countByKey(): readonly { readonly kid: string; readonly count: number }[] {
    return this.#db.all<{ kid: string; count: number }>(
      'SELECT kid, count(*) AS count FROM records WHERE kid IS NOT NULL AND deleted = 0 GROUP BY kid',
    )
  }

  /** The live records under the keys `kids`; with `seqs`, only those. */
  recordsUnderKeys(kids: readonly string[], seqs?: readonly number[]): readonly BodyRow[] {
    const select =
      'SELECT seq, body FROM records WHERE kid IN (SELECT value FROM json_each(?)) AND deleted = 0'
    if (!seqs) return this.#db.all<BodyRow>(select, [JSON.stringify(kids)])
    const some = `${select} AND seq IN (SELECT value FROM json_each(?))`
    return this.#db.all<BodyRow>(some, [JSON.stringify(kids), JSON.stringify(seqs)])
  }

  /** At most `limit` live sealed records with ids above `after`, by id. */
  listAfter(after: string, limit: number): readonly RecordRow[] {
    return this.#db.all<RecordRow>(
      `SELECT ${recordColumns} FROM records r WHERE r.kid IS NOT NULL AND r.deleted = 0 AND r.id > ?
       ORDER BY r.id LIMIT ?`,
      [after, limit],
    )
  }
}

/** How many live sealed records of each kind there are, with or without their key here. */
export function countSealed(db: Pick<SqlDatabase, 'all'>): Record<string, number> {
  const rows = db.all<SqlRow & { kind: string; n: number }>(
    'SELECT kind, count(*) AS n FROM records WHERE kid IS NOT NULL AND deleted = 0 GROUP BY kind',
  )
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]))
}

/** How many sealed records with one kind and scope can't be decrypted here. */
export interface UnreadGroup extends SqlRow {
  readonly kind: string
  readonly agent: string
  readonly session: string | null
  readonly resource: string | null
  readonly count: number
  /** When the last of them was created. */
  readonly latest: string
}

type UnreadRow = SqlRow &
  Pick<UnreadGroup, 'kind' | 'agent' | 'session' | 'resource' | 'latest'> & { readonly seq: number }

/** The groups of all live sealed records, for a copy that decrypts none. */
export function sealedGroups(db: Pick<SqlDatabase, 'all'>): readonly UnreadGroup[] {
  return db.all<UnreadGroup>(
    `SELECT kind, agent, session, resource, count(*) AS count, max(created_at) AS latest FROM records
     WHERE kid IS NOT NULL AND deleted = 0 GROUP BY kind, agent, session, resource`,
  )
}

/** The groups of the live sealed records whose numbers are not in `opened`. */
export function unreadGroups(
  db: Pick<SqlDatabase, 'all'>,
  opened: ReadonlySet<number>,
): readonly UnreadGroup[] {
  const rows = db.all<UnreadRow>(
    `SELECT seq, kind, agent, session, resource, created_at AS latest FROM records
     WHERE kid IS NOT NULL AND deleted = 0`,
  )
  const groups = new Map<string, UnreadGroup>()
  for (const { seq, kind, agent, session, resource, latest: createdAt } of rows) {
    if (opened.has(seq)) continue
    const key = JSON.stringify([kind, agent, session, resource])
    const { count, latest } = groups.get(key) ?? { count: 0, latest: '' }
    const later = latest > createdAt ? latest : createdAt
    groups.set(key, { kind, agent, session, resource, count: count + 1, latest: later })
  }
  return [...groups.values()]
}

/**
 * The sealed records of a snapshot that are not decrypted, by id. `created_at` replaces the sealed `happened_at`.
 */
export function listUnread(
  db: Pick<SqlDatabase, 'all'>,
  isDecrypted: (seq: number) => boolean,
  { kinds, from = '', before = '\uffff' }: SnapshotQuery,
): SnapshotEntry[] {
  return db
    .all<SnapshotEntry & SqlRow>(
      `SELECT id, kind, seq, rev FROM records WHERE kid IS NOT NULL AND deleted = 0
       AND kind IN (SELECT value FROM json_each(?)) AND created_at >= ? AND created_at < ? ORDER BY id`,
      [JSON.stringify(kinds), from, before],
    )
    .filter(({ seq }) => !isDecrypted(seq))
}

/** The sum of the groups in `scope` and, for a guest, in `reach`. */
export function countUnread(
  groups: readonly UnreadGroup[],
  scope: UnreadScope,
  { kinds, reach }: { readonly kinds: Kinds; readonly reach?: Reach | undefined },
): number {
  const isCounted = (group: UnreadGroup) =>
    (scope.kinds === undefined || scope.kinds.includes(group.kind)) &&
    (scope.agent === undefined || scope.agent === group.agent) &&
    (scope.session === undefined || scope.session === group.session) &&
    (scope.resource === undefined || scope.resource === group.resource) &&
    (scope.since === undefined || scope.since <= group.latest) &&
    (reach === undefined || isHeadInReach(reach, group, kinds))
  return groups.filter(isCounted).reduce((sum, { count }) => sum + count, 0)
}
