// The kinds `backup` and `backup_part`: all that is a persona's as one verified bundle, cut into parts, in the book itself.
// Invariant: a backup is there when its head is; parts without one are what was broken off, and go with the next backup.
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
  /** Records in it, and characters of its text. */
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
  text: z.string().max(200_000),
})
export type BackupPartBody = z.output<typeof backupPartBody>

export const backupPartKind: Kind<'backup_part', BackupPartBody> = {
  name: 'backup_part',
  idPrefix: 'backup_part::',
  summary: 'A piece of the text of a backup.',
  version: 1,
  schema: backupPartBody,
  text: [],
  facets: { subject: 'backup' },
  policy: 'last_write_wins',
  bound: true,
  guests: 'own',
  embed: false,
  recallable: () => false,
}
