// A session in a line: when it began, how it ended, and what its end made.
import { Time } from '../../parts/time.tsx'
import type { Session } from '../../state/continuity/personas.ts'
import { countOf } from '../../wording/text-word.ts'

const reasons: Readonly<Record<string, string>> = {
  asked: 'ended by its agent',
  left: 'its tab was closed',
  idle: 'idle for 30 minutes',
}

export const sessionStates = { open: 'Open', ending: 'Ending', ended: 'Ended' } as const

export function SessionLine({ session }: { session: Session }) {
  const { state, reason, started_at: began, ended_at: end, archived, snapshot } = session
  return (
    <span class="session-line">
      <span class={`state ${state === 'open' ? 'state-active' : ''}`}>{sessionStates[state]}</span>
      <span>
        started <Time at={began} />
      </span>
      {end !== undefined && (
        <span>
          ended <Time at={end} />
          {reason !== undefined && ` (${reasons[reason] ?? reason})`}
        </span>
      )}
      {state === 'ending' && <span>its end was interrupted and continues by itself</span>}
      {snapshot !== undefined && <span>snapshot taken</span>}
      {archived > 0 && <span>{countOf(archived, 'record')} archived</span>}
    </span>
  )
}
