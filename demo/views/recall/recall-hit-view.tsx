// One hit of a recall: what was found, its score, and a bar for each part of `because`.
import type { RecallHit } from '../../../src/index.ts'
import { Bar } from '../../parts/bar.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/time.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { address } from '../../state/address.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { becauseParts, legWord, ranksOf } from '../../wording/because-word.ts'
import { matchedWords } from '../../wording/matched-word.ts'

interface RecallHitViewProps {
  readonly hit: RecallHit
  readonly rank: number
  readonly all: readonly RecallHit[]
}

export function RecallHitView({ hit, rank, all }: RecallHitViewProps) {
  const { record, score } = hit
  const words = matchedWords(hit)
  const row = kindNamed(record.kind)?.row(record)
  const isOpen = address.value.id === record.id
  return (
    <li class={isOpen ? 'hit is-open' : 'hit'}>
      <button type="button" class="hit-open" aria-current={isOpen} onClick={() => openRecord(record)}>
        <span class="hit-rank" aria-label={`Hit ${rank}`}>
          {rank}
        </span>
        {row && <Mark mark={row.mark} />}
        <span class="hit-goal" dir="auto">
          {row?.title ?? record.id}
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
        <span class="faint">
          {[...ranksOf(hit)].map(([leg, rank]) => `${legWord(leg)} #${rank}`).join(' · ')}
          {words.length > 0 && ' · matched'}
        </span>
        {words.map((word) => (
          <mark key={word}>{word}</mark>
        ))}
      </p>
    </li>
  )
}
