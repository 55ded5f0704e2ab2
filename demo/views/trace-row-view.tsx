// One line of the trace list, and its place while the trace is still on its way.
import { OutcomeMark, outcomeWords } from '../parts/outcome-mark.tsx'
import { Time } from '../parts/time.tsx'
import type { TraceRow } from '../state/trace-row.ts'

export const rowHeight = 52

export function TraceRowView({ row }: { row: TraceRow | undefined }) {
  if (!row) {
    return (
      <div class="trace-row is-waiting">
        <span class="hidden">Loading</span>
        <span class="bone" />
        <span class="bone short" />
      </div>
    )
  }
  return (
    <div class="trace-row">
      <OutcomeMark outcome={row.outcome} />
      <p class="trace-line">
        <span class="trace-goal" dir="auto">
          {row.goal}
        </span>
        <span class="trace-when">
          <Time at={row.at} />
        </span>
      </p>
      <p class="trace-line faint">
        {row.outcome !== 'succeeded' && (
          <span class={`trace-word ${row.outcome}`}>{outcomeWords[row.outcome]}</span>
        )}
        <ActionWords row={row} />
        <span class="trace-domain">{row.domain}</span>
      </p>
    </div>
  )
}

/** `open_door: cellar`, but a command that begins with its own name says it once: `rm reproduce.py`. */
function ActionWords({ row: { action, detail } }: { row: TraceRow }) {
  const isSaid = detail === action || detail.startsWith(`${action} `)
  const given = isSaid ? detail.slice(action.length).trim() : detail
  return (
    <code class="trace-action">
      <b>{action}</b> {given}
    </code>
  )
}
