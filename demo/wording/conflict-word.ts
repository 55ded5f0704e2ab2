// A conflict in words: its sides, how it was decided, and what a choice will do.
import type { CapabilityOutput } from '../../src/index.ts'
import { shortId } from './id-word.ts'

export type ConflictEntry = CapabilityOutput<'daybook:list_conflicts'>['conflicts'][number]
export type ConflictSide = ConflictEntry['lost']
export type SideName = 'base' | 'mine' | 'theirs'

export const policyWords = {
  local_wins: 'the edit that came later to the edge stands',
  remote_wins: 'the edit that was first at the edge stands',
  last_write_wins: 'the later edit stands',
  merge: 'the edits were merged',
  manual: 'left to a person',
} as const

export interface Sides {
  /** The edit of this device, or where both are of others, the one that lost. */
  readonly mine: ConflictSide
  readonly theirs: ConflictSide | undefined
  readonly mineLost: boolean
}

export function sidesOf({ lost, kept }: ConflictEntry, device: string | undefined): Sides {
  if (kept && kept.by === device && lost.by !== device) return { mine: kept, theirs: lost, mineLost: false }
  return { mine: lost, theirs: kept, mineLost: true }
}

export function byWords(by: string, device: string | undefined): string {
  return by === device ? 'this device' : `device ${shortId(by)}`
}

/** Why there is nothing to be compared field by field. */
export function plainWords({ lost, kept }: ConflictEntry): string | undefined {
  if (lost.op === 'forget') return 'What lost was to forget this record. It was changed elsewhere, and stays.'
  if (!kept) return 'The record is gone at the edge. What lost was a change to it.'
  if (kept.op === 'forget') return 'The record was forgotten. What lost was a change to it.'
  return undefined
}
