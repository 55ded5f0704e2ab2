// What restoring a backup would do, in sentences.
import type { Restored } from '../../state/continuity/snapshots.ts'
import { countOf } from '../../wording/text-word.ts'

export function restoreSentences(would: Restored): string[] {
  const { imported, updated, unchanged, forgotten, conflictCount: conflicts } = would
  return [
    imported === 0 ? 'No record is missing.' : `${countOf(imported, 'record')} would come back.`,
    updated === 0 ? 'No record would change.' : `${countOf(updated, 'record')} would change.`,
    `${countOf(unchanged, 'record')} ${unchanged === 1 ? 'is' : 'are'} the same already.`,
    ...(forgotten === 0
      ? []
      : [`${countOf(forgotten, 'record')} ${forgotten === 1 ? 'was' : 'were'} forgotten and stay deleted.`]),
    ...(conflicts === 0 ? [] : [`${countOf(conflicts, 'conflict')} would be left to decide.`]),
  ]
}
