// One hit of a recall: what was found, its score, and a bar for each part of `because`.
import type { RecallHit, Trace } from '../../src/index.ts'
import { Bar } from '../parts/bar.tsx'
import { OutcomeMark } from '../parts/outcome-mark.tsx'
import { Time } from '../parts/time.tsx'
import { address, go } from '../state/address.ts'
import { focusDetail } from '../state/focus.ts'
import { traceRow } from '../state/trace-row.ts'
import { becauseParts, becauseRanks } from '../wording/because-word.ts'

interface RecallHitViewProps {
  readonly hit: RecallHit
  readonly rank: number
  readonly all: readonly RecallHit[]
}

export function RecallHitView({ hit, rank, all }: RecallHitViewProps) {
  const { record, score, because } = hit
  const row = record.kind === 'trace' ? traceRow(record as unknown as Trace) : undefined
  const isOpen = address.value.id === record.id
  return (
    <li class={isOpen ? 'hit is-open' : 'hit'}>
      <button
        type="button"
        class="hit-open"
        aria-current={isOpen}
        onClick={() => {
          go({ id: record.id })
          focusDetail()
        }}
      >
        <span class="hit-rank" aria-label={`Hit ${rank}`}>
          {rank}
        </span>
        {row && <OutcomeMark outcome={row.outcome} />}
        <span class="hit-goal" dir="auto">
          {row?.goal ?? record.id}
        </span>
        <span class="faint">{row ? <Time at={row.at} /> : record.kind}</span>
      </button>
      <div class="hit-because">
        <Bar label="score" share={score} strong title="What hits are ordered by, from 0 to 1." />
        {becauseParts(hit, all).map((part) => (
          <Bar key={part.label} {...part} />
        ))}
      </div>
      <p class="hit-words">
        <span class="faint">{becauseRanks(hit).join(' · ')} · matched</span>
        {because.text?.words.map((word) => (
          <mark key={word}>{word}</mark>
        ))}
      </p>
    </li>
  )
}
