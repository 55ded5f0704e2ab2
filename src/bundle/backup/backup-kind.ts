// The kinds `backup` and `backup_part`: the records of a persona as verified bundles, one per part, in the book
// itself.
// Invariant: a backup exists if its `backup` record exists; parts without one are unfinished, and a backup made a
// week later removes them. A part lists its records, so that forgetting, purging or sealing a record changes the part
// too.
import { defineChapterBase } from '../../core/capability/chapter.ts'
import { z } from 'zod'
import type { Kind } from '../../core/kind.ts'
import { canonicalTime } from '../../core/time.ts'
import { recordId } from '../../shape/field.ts'

const instant = z.string().refine((text) => canonicalTime(text) === text, 'is not a canonical UTC time')

export const backupBody = z.looseObject({
  /** The persona's name. */
  name: z.string().max(200),
  /** The persona's agents. */
  agents: z.array(z.string().max(1000)).min(1).max(100),
  madeAt: instant,
  checksum: z.string().max(100),
  /** Number of records when it was made. */
  records: z.number().int().nonnegative(),
  /** Characters of text when it was made. */
  characters: z.number().int().nonnegative(),
  parts: z.number().int().positive(),
})
export type BackupBody = z.output<typeof backupBody>

export const backupKind: Kind<'backup', BackupBody> = {
  name: 'backup',
  summary: 'A backup of all records of a persona.',
  version: 1,
  schema: backupBody,
  text: [],
  facets: { happened_at: 'madeAt', name: 'name' },
  policy: 'last_write_wins',
  // No bundle contains these records: else backups would contain backups.
  bound: true,
  // Each agent sees its own records, through the chapter's verbs only.
  guests: 'own',
  embed: false,
  recallable: false,
}

/** Most characters of a part. */
export const maxPartLength = 200_000

export const backupPartBody = z.looseObject({
  backup: recordId,
  number: z.number().int().nonnegative(),
  /**
   * The ids of the records in its text, or of the record that it is a piece of. Absent: an earlier Daybook made it.
   */
  records: z.array(recordId).max(20_000).optional(),
  /** A bundle, or a piece of a bundle with a record larger than a part. Empty: all its records are forgotten. */
  text: z.string().max(maxPartLength),
  /** For a piece: its index among the pieces of that record, from 0, and their number. */
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
  // When a source is forgotten, the engine calls the verb, which removes it from the part.
  madeFrom: { sources: ({ records }) => records ?? [], rebuildVerb: 'katra:rebuild_backup' },
  policy: 'last_write_wins',
  bound: true,
  guests: 'own',
  embed: false,
  recallable: false,
}

export const bundleBase = defineChapterBase({ name: 'bundle', kinds: [backupKind, backupPartKind] })
