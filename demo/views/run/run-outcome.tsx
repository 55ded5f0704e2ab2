// How a run ended, by shape and word: as its last step did, or that nothing was done in it.
import { Mark } from '../../parts/mark.tsx'
import type { RunOutcome } from '../../wording/run-word.ts'

export function RunOutcome({ outcome }: { outcome: RunOutcome }) {
  if (outcome === 'none') return <span class="faint">Conversation</span>
  return <Mark mark={outcome} word />
}
