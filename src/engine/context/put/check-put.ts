// Checks of one put before it is logged: whose record it is, and what stands under its id.
// Invariant: what stands in the way tells a guest nothing that it does not see.
import type { Guest } from '../../../core/capability/caller.ts'
import { DaybookError } from '../../../core/errors.ts'
import { citedIds, holdsId, type Kind } from '../../../core/kind.ts'
import type { PutRequest } from '../../../core/put-request.ts'
import type { BookStore } from '../../../store/book-store.ts'
import type { RecordRow } from '../../../store/schema/record-row.ts'
import { checkNamedForget, checkNamedPut, mayGiveId, unseen } from '../guest-write.ts'
import type { SeenRecords } from '../seen-records.ts'

interface PutParts {
  readonly store: Pick<BookStore, 'records' | 'kinds'>
  readonly seen: Pick<SeenRecords, 'standing'>
  /** In whose name it is written. */
  readonly defaults: { readonly agent: string }
}

/** What an agent with the owner's book puts, also as what comes in the place of another record. */
export function checkNamed(
  { store: { records }, seen, defaults: { agent } }: PutParts,
  kind: Kind,
  record: Parameters<typeof checkNamedPut>[2],
  live: RecordRow | undefined,
): void {
  checkNamedPut(kind, agent, record, live && seen.standing(live))
  const replaced = kind.cites?.flatMap(({ path, supersedes }) =>
    supersedes ? citedIds(record.body, path) : [],
  )
  for (const row of replaced?.flatMap((id) => records.row(id) ?? []) ?? [])
    if (!row.deleted) checkNamedForget(kind, agent, seen.standing(row))
}

/** A guest gives an id of its own choice only where that tells it nothing of what it does not see. */
export function checkUnseen(
  { store: { kinds } }: PutParts,
  guest: Guest,
  { kind, name }: PutRequest,
  { id, before }: { readonly id: string; readonly before: RecordRow | undefined },
): void {
  const isTaken = before !== undefined && holdsId(before, kinds)
  const isGiven = name !== undefined || mayGiveId(guest, id, kind, kinds)
  if (isTaken || !isGiven) throw unseen()
}

/** A record that stands is put over by one of its own kind alone. */
export function checkPlace(
  { store: { kinds } }: PutParts,
  { kind }: PutRequest,
  before: RecordRow | undefined,
): void {
  if (before === undefined || before.kind === kind || !holdsId(before, kinds)) return
  throw new DaybookError('conflict', `\`${before.id}\` is a ${before.kind}, not a ${kind}.`, {
    details: { path: 'id' },
  })
}
