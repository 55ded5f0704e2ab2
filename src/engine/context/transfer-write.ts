// Writes records from a file: a sealed record is opened if its key is here, else stored as it is.
// Invariant: a record that can't be read here is never confused with another record, and never lost silently.
import type { Guest } from '../../core/capability/caller.ts'
import type { OpaqueReader, OpaqueVersion } from '../../core/capability/port/record-port.ts'
import type { Changed } from '../../core/capability/chapter.ts'
import type { TransferWriter } from '../../core/capability/transfer.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import { countSecrets, type StoredSecrets } from '../../core/secret/stored-secrets.ts'
import { fitsHead, isSealing, sealedOf } from '../../core/sealed.ts'
import { lowestTrust, type Trust } from '../../core/trusted.ts'
import type { BookStore } from '../../store/book-store.ts'
import { isPurged } from '../../store/schema/record-row.ts'
import { outside } from './guest-write.ts'
import { headFromElsewhere } from './put-record.ts'
import type { SecretGuard } from './secret-guard.ts'
import type { SeenRecords } from './seen-records.ts'

interface OpaqueParts {
  readonly guest: Guest | undefined
  readonly store: Pick<BookStore, 'records' | 'bodies'>
  readonly seen: Pick<SeenRecords, 'idsOf'>
}

/** Finds opaque records: live ones with a sealed body that can't be read here. */
export function createOpaqueReader({ store: { records, bodies }, guest, seen }: OpaqueParts): OpaqueReader {
  const find = (id: string): OpaqueVersion | undefined => {
    const row = records.row(id)
    const sealed = row?.deleted === 0 ? sealedOf(row.body) : undefined
    if (!row || !sealed || bodies.read(row, row.body)) return undefined
    return { kind: row.kind, agent: row.agent, updated_at: row.updated_at, sealed }
  }
  return {
    find: (id) => (guest ? undefined : find(id)),
    idOf(name) {
      const { possible, own } = seen.idsOf(name)
      const isOwn = (one: OpaqueVersion | undefined) =>
        one?.kind === name.kind && (!guest || one.agent === guest.agent)
      return [...new Set([...possible, ...own])].find((id) => isOwn(find(id)))
    },
  }
}

interface TransferParts {
  readonly guest: Guest | undefined
  readonly now: string
  readonly store: Pick<BookStore, 'records' | 'bodies' | 'conflicts' | 'stamps' | 'staging'>
  readonly seen: Pick<SeenRecords, 'row'>
  readonly secrets: Pick<SecretGuard, 'maskSides'>
}

interface TransferChanges {
  readonly changed: Changed[]
  readonly secrets: readonly StoredSecrets[]
}

/**
 * Creates the port with which a bundle's import writes. `lose` logs an edit that lost as a conflict. `unstaged`: ids of
 * live records that the upload does not contain.
 */
export function createTransferWriter(parts: TransferParts, changes: TransferChanges): TransferWriter {
  const { guest, now, seen } = parts
  const { records, bodies, conflicts, stamps, staging } = parts.store
  /** Throws `forbidden` for a guest: a guest can't read sealed records, and imports none. */
  const checkOwner = () => {
    if (guest) throw outside()
  }
  return {
    wasPurged(id) {
      const row = guest ? undefined : records.row(id)
      return row !== undefined && isPurged(row)
    },
    lose(entry) {
      if (guest && !seen.row(entry.record)) throw outside()
      // The sides of a sealed record's conflict are sealed with the record: nothing is masked.
      const isSealed = isSealing(records.row(entry.record)?.sensitivity)
      const sides = isSealed ? entry : parts.secrets.maskSides(entry)
      const lost = JSON.stringify(sides.loser.body)
      const listed = conflicts.list({ record: entry.record, limit: 100 })
      if (!listed.some((one) => JSON.stringify(one.loser.body) === lost))
        conflicts.add({ ...entry, ...sides, at: now })
    },
    secrets: () => countSecrets(changes.secrets),
    unstaged: staging.idsNotStaged,
    open: (owner, sealed) => bodies.readSealed(owner, sealed),
    putSealed({ kind, id, enc, scope, times }) {
      checkOwner()
      const { created_at, updated_at: at } = times
      const stamp = enc.head?.stamp ?? stamps.next()
      // The mirror rejects a body that is sealed to another head.
      if (!fitsHead({ stamp, ...scope }, enc))
        throw new DaybookError(
          'invalid-file',
          `\`${id}\`: Its head is not the one that its body is sealed to.`,
          {
            details: { path: id },
          },
        )
      const row = records.row(id)
      const stored = row?.deleted === 0 ? (row.trust as Trust | null) : undefined
      const trust = lowestTrust(stored, scope.trust)
      const { trust: _own, ...head } = headFromElsewhere({ ...scope, stamp }, row, undefined)
      records.put({ op: 'put', kind, id, at, created_at, ...head, ...defined({ trust }), enc })
      changes.changed.push({ id, kind })
    },
    loseSealed(entry) {
      checkOwner()
      if (!conflicts.hasLost(entry.record, entry.loser))
        conflicts.add({ ...entry, state: 'settled', at: now })
    },
  }
}
