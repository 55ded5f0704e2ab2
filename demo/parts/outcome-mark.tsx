// How a trace ended, told by shape and by word: a round tick, an angular cross, an open ring.
import type { Outcome } from '../state/trace-row.ts'

export const outcomeWords: Readonly<Record<Outcome, string>> = {
  succeeded: 'Succeeded',
  failed: 'Failed',
  open: 'No result yet',
}

export function OutcomeMark({ outcome, word = false }: { outcome: Outcome; word?: boolean }) {
  return (
    <span class={`outcome outcome-${outcome}`}>
      <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true" focusable="false">
        {outcome === 'succeeded' && (
          <path d="M7 .8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 7 .8ZM4.2 7.2l2 2 3.7-4.2" />
        )}
        {outcome === 'failed' && <path d="M1.3 1.3h11.4v11.4H1.3zM4.5 4.5l5 5M9.5 4.5l-5 5" />}
        {outcome === 'open' && (
          <path d="M7 .8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 7 .8Z" stroke-dasharray="2.6 2.3" />
        )}
      </svg>
      <span class={word ? undefined : 'hidden'}>{outcomeWords[outcome]}</span>
    </span>
  )
}
