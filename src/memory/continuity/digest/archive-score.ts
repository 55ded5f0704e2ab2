// Which raw records are archived, once a digest has told of them: the one place of the rules. Archived is out of recall and
// kept; to purge is the owner's alone.
//
// Never: personal, to be kept (`not_to_archive`), pinned, younger than a day, or of importance 0.5 and more and younger than
// the cutoff of seven days. Else by a score, of which less than 25 is archived when it is older than the cutoff:
//
//   + 100  marked important: a mark of at least 0.75, or kept with the words for 1 ("must remember")
//   − 100  marked to be forgotten: a mark of at most 0.1, or kept with the words for 0 ("trivial")
//   +  30 · (1 − days of age ÷ t), at least 0; t = min(21, 7 + 2 · how many records cite it)
//   +  20 · min(1, how many records cite it ÷ 5)
//   +  10 · importance
//   −   1 for each day of age after the fourteenth
//
// Where other memories weigh when a record was last looked at, age stands here: what is used is counted on each device apart,
// and all devices are to archive the same. Feelings are not recorded, so nothing is added for them.

export const archiveRule = { cutoffDays: 7, leastDays: 1, preserveFrom: 25 } as const

/** What a score is told from. Days may be fractions. */
export interface ArchiveCase {
  readonly ageDays: number
  readonly importance: number
  /** A mark, apart from what was said when it was kept. */
  readonly markedImportance?: number | undefined
  readonly isPersonal: boolean
  readonly isKept: boolean
  readonly isPinned: boolean
  /** How many records name it, digests and snapshots aside. */
  readonly citations: number
}

export const keptReasons = [
  'personal',
  'not_to_archive',
  'pinned',
  'recent',
  'important',
  'untold',
  'sealed',
] as const
export type KeptReason = (typeof keptReasons)[number]

/** The score, see above. */
export function archiveScore({ ageDays, importance, markedImportance, citations }: ArchiveCase): number {
  const isImportant = (markedImportance ?? 0) >= 0.75 || importance >= 1
  const isForgettable = markedImportance === undefined ? importance <= 0 : markedImportance <= 0.1
  const reach = Math.min(21, 7 + 2 * citations)
  return (
    (isImportant ? 100 : 0) -
    (isForgettable ? 100 : 0) +
    30 * Math.max(0, 1 - ageDays / reach) +
    20 * Math.min(1, citations / 5) +
    10 * (markedImportance ?? importance) -
    Math.max(0, ageDays - 14)
  )
}

/** Why it stays; undefined when it is archived. */
export function whyKept(one: ArchiveCase): KeptReason | undefined {
  if (one.isPersonal) return 'personal'
  if (one.isKept) return 'not_to_archive'
  if (one.isPinned) return 'pinned'
  // Younger than a day, whatever its importance, is younger than the cutoff as well.
  if (one.ageDays < archiveRule.cutoffDays) return 'recent'
  return archiveScore(one) >= archiveRule.preserveFrom ? 'important' : undefined
}
