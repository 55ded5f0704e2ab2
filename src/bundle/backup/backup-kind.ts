// The kinds `backup` and `backup_part`: all that is a persona's as verified bundles, a part each, in the book itself.
// Invariant: a backup is there when its head is; parts without one are what was broken off, and go with the next backup. A part
// names the records that it has, so that what is forgotten, purged or sealed later is so in it too.
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { canonicalTime } from '../../core/time.ts'
import { recordId } from '../../shape/record-id.ts'

const instant = z.string().refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')

export const backupBody = z.looseObject({
  /** The persona's name, and the agents in whose name its records are. */
  name: z.string().max(200),
  agents: z.array(z.string().max(1000)).min(1).max(100),
  made_at: instant,
  checksum: z.string().max(100),
  /** Records in it, and characters of its text, when it was made. */
  records: z.number().int().nonnegative(),
  characters: z.number().int().nonnegative(),
  parts: z.number().int().positive(),
})
export type BackupBody = z.output<typeof backupBody>

export const backupKind: Kind<'backup', BackupBody> = {
  name: 'backup',
  summary: 'A backup of all that is a persona’s: when it was made, and what is in it.',
  version: 1,
  schema: backupBody,
  text: [],
  facets: { happened_at: 'made_at', name: 'name' },
  policy: 'last_write_wins',
  // A backup of backups would grow without end.
  bound: true,
  guests: 'own',
  embed: false,
  recallable: () => false,
}

export const backupPartBody = z.looseObject({
  backup: recordId,
  number: z.number().int().nonnegative(),
  /** The records that its text has, or the one of which it has a piece. Absent: an earlier Daybook made it. */
  records: z.array(recordId).max(20_000).optional(),
  /** A bundle of its own; of a record that is larger than a part, a piece of one. Empty: all of it was forgotten. */
  text: z.string().max(200_000),
  /** Its place among the pieces of that record, from 0, and how many there are. */
  piece: z.object({ n: z.number().int().nonnegative(), of: z.number().int().positive() }).optional(),
})
export type BackupPartBody = z.output<typeof backupPartBody>

export const backupPartKind: Kind<'backup_part', BackupPartBody> = {
  name: 'backup_part',
  idPrefix: 'backup_part::',
  summary: 'A piece of the text of a backup.',
  version: 2,
  schema: backupPartBody,
  text: [],
  facets: { subject: 'backup' },
  madeFrom: { sources: ({ records }) => records ?? [], anew: 'katra:tell_backup_anew' },
  policy: 'last_write_wins',
  bound: true,
  guests: 'own',
  embed: false,
  recallable: () => false,
}
