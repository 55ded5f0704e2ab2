// The row that a change makes of a record. Pure.
// Invariant: a tombstone says of the record when it ended and whether it was sealed, and nothing of what it belonged to.
import type { ForgetOp, PutOp } from '../../core/op.ts'
import { sealedOf, sealedSensitivity, type Sensitivity } from '../../core/sealed.ts'
import { isSecret, type RecordRow } from '../schema/record-row.ts'
import type { MirrorVersion } from './mirror-places.ts'
import type { ChangeOrigin } from './sources.ts'

/** How a change came about: what the mirror says of it, whether it goes into the log, who made it. */
export interface Change {
  readonly at: MirrorVersion
  readonly logged: boolean
  readonly origin: ChangeOrigin
  readonly keepsBefore?: boolean | undefined
  /** The tombstone that stands there counts no more. */
  readonly revives?: boolean
}

/** What a new row says that neither its op nor the mirror does. */
type Own = Pick<RecordRow, 'seq' | 'created_at' | 'op' | 'rev' | 'gone' | 'purged'> & {
  /** The tombstone of a record that was sealed says so. */
  readonly secret: string | null
}

/**
 * In which version a record was last forgotten, and purged. A device gives its own the next one after the mirror's, which
 * stands until the mirror has said in which it was.
 */
export function removals(
  op: PutOp | ForgetOp,
  before: RecordRow | undefined,
  { at, logged, revives }: Change,
): Pick<RecordRow, 'gone' | 'purged'> {
  const told = at.purged === undefined ? undefined : { gone: at.gone ?? 0, purged: at.purged }
  if (op.op === 'put') return told ?? { gone: revives ? 0 : (before?.gone ?? 0), purged: before?.purged ?? 0 }
  const gone = logged ? at.ver + 1 : at.ver
  return { gone, purged: op.purge ? gone : (told?.purged ?? before?.purged ?? 0) }
}

/** How sensitive a forgotten record was, if it was sealed here or where it was forgotten; null for any other. */
export function secretOf(op: PutOp | ForgetOp, before?: RecordRow): string | null {
  if (op.op === 'put') return null
  if (before && isSecret(before)) return before.sensitivity
  return op.sealed ? ('sensitive' satisfies Sensitivity) : null
}

/** The row that `op` makes of a record. A tombstone keeps nothing of what the record belonged to. */
export function rowOf(op: PutOp | ForgetOp, body: string, at: MirrorVersion, own: Own): RecordRow {
  const put = op.op === 'put' ? op : undefined
  const sealed = sealedOf(body)
  return {
    seq: own.seq,
    id: op.id,
    kind: op.kind,
    agent: op.agent,
    session: put?.session ?? null,
    resource: put?.resource ?? null,
    created_at: own.created_at,
    updated_at: op.at,
    stamp: op.stamp,
    ver: at.ver,
    place: at.place,
    device: at.device,
    op: own.op,
    rev: own.rev,
    deleted: put ? 0 : 1,
    gone: own.gone,
    purged: own.purged,
    sensitivity: (sealed ? sealedSensitivity(put?.sensitivity, sealed) : put?.sensitivity) ?? own.secret,
    kid: sealed?.kid ?? null,
    body,
  }
}
