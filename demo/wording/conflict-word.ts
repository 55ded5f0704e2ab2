// A conflict in words: its sides and its policy.
import type { CapabilityOutput } from '../../src/index.ts'
import { shortId } from './text-word.ts'

export type ConflictEntry = CapabilityOutput<'daybook:list_conflicts'>['conflicts'][number]
export type ConflictSide = ConflictEntry['loser']
export type SideName = 'base' | 'mine' | 'theirs'

export const policyWords = {
  local_wins: 'the last edit to reach the edge wins',
  remote_wins: 'the first edit to reach the edge wins',
  last_write_wins: 'the latest edit wins',
  merge: 'the edits were merged',
  manual: 'decided manually',
} as const

export interface Sides {
  /** The edit of this device; if both are of other devices, the losing one. */
  readonly mine: ConflictSide
  readonly theirs: ConflictSide | undefined
  readonly mineLost: boolean
}

export function sidesOf({ loser, winner }: ConflictEntry, device: string | undefined): Sides {
  if (winner && winner.by === device && loser.by !== device)
    return { mine: winner, theirs: loser, mineLost: false }
  return { mine: loser, theirs: winner, mineLost: true }
}

export function byWords(by: string, device: string | undefined): string {
  return by === device ? 'this device' : `device ${shortId(by)}`
}

/** The sentence for a conflict without fields to compare. */
export function plainWords({ loser, winner }: ConflictEntry): string | undefined {
  if (loser.op === 'forget')
    return 'Forgetting this record was overridden: it was changed elsewhere and stays.'
  if (!winner) return 'The record is gone at the edge. A change to it was overridden.'
  if (winner.op === 'forget') return 'The record was forgotten. A change to it was overridden.'
  return undefined
}
