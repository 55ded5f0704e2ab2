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
      <span class="trace-goal" dir="auto">
        {row.goal}
      </span>
      <span class="trace-when">
        <Time at={row.at} />
      </span>
      <span class="trace-facts">
        {row.outcome !== 'succeeded' && (
          <span class={`trace-word ${row.outcome}`}>{outcomeWords[row.outcome]}</span>
        )}
        <code class="trace-action">{row.action}</code>
        {row.detail !== '' && <code class="trace-given">{row.detail}</code>}
      </span>
      <span class="trace-domain">{row.domain}</span>
    </div>
  )
}
