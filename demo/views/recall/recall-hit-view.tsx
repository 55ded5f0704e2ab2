// One hit of a recall: what was found, in its own words, its score as one bar, and on demand every part of `because`.
import type { RecallHit } from '../../../src/index.ts'
import { Bar } from '../../parts/bar.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/time.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { address } from '../../state/address.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { becauseParts, legWord, ranksOf, legShares, multipliersOf } from '../../wording/hit-word.ts'
import { passageOf } from '../../wording/passage-word.ts'
import { matchedWords } from '../../wording/matched-word.ts'

interface RecallHitViewProps {
  readonly hit: RecallHit
  readonly rank: number
  readonly all: readonly RecallHit[]
}

export function RecallHitView({ hit, rank, all }: RecallHitViewProps) {
  const { record } = hit
  const row = kindNamed(record.kind)?.row(record)
  const isOpen = address.value.id === record.id
  const title = row?.title ?? record.id
  return (
    <li class={isOpen ? 'hit is-open' : 'hit'}>
      <button type="button" class="hit-open" aria-current={isOpen} onClick={() => openRecord(record)}>
        <span class="hit-rank" aria-label={`Hit ${rank}`}>
          {rank}
        </span>
        {row && <Mark mark={row.mark} />}
        <span class="hit-goal" dir="auto">
          {title}
        </span>
        <span class="faint">{row ? <Time at={row.at} /> : record.kind}</span>
      </button>
      <Quote hit={hit} title={title} />
      <Score hit={hit} />
      <Reasons hit={hit} all={all} />
    </li>
  )
}

/** What answers, where the title does not say all of it. */
function Quote({ hit, title }: { hit: RecallHit; title: string }) {
  const pieces = passageOf(hit)
  if (pieces.every(({ text, isMatch }) => isMatch || title.includes(text))) return null
  return (
    <p class="hit-quote" dir="auto">
      {pieces.map(({ text, isMatch }, i) => (isMatch ? <mark key={i}>{text}</mark> : text))}
    </p>
  )
}

/** How good a hit is, as long as its score, parted by the legs that found it. */
function Score({ hit }: { hit: RecallHit }) {
  const ranks = ranksOf(hit)
  const said = [...ranks].map(([leg, rank]) => `${legWord(leg)} #${rank}`).join(' · ')
  return (
    <div
      class="hit-score"
      title="As long as the score, from 0 to 1; each part is what a way of finding it gave."
    >
      <span class="bar-track" aria-hidden="true">
        {legShares(ranks).map(([leg, share]) => (
          <span
            key={leg}
            class={`bar-fill leg-${leg}`}
            style={{ width: `${(share * Math.min(1, hit.score) * 100).toFixed(1)}%` }}
          />
        ))}
      </span>
      <b>{hit.score.toFixed(2)}</b>
      <span class="faint">{said}</span>
    </div>
  )
}

function Reasons({ hit, all }: Pick<RecallHitViewProps, 'hit' | 'all'>) {
  const words = matchedWords(hit)
  const multipliers = multipliersOf(hit)
  return (
    <details class="hit-reasons">
      <summary>Why</summary>
      {multipliers.length > 0 && (
        <p class="hit-words">
          <span class="faint">Multiplied by</span>
          {multipliers.map(([name, by]) => (
            <span key={name}>
              {name} × {by.toFixed(2)}
            </span>
          ))}
        </p>
      )}
      <div class="hit-because">
        {becauseParts(hit, all).map((part) => (
          <Bar key={part.label} {...part} />
        ))}
      </div>
      {words.length > 0 && (
        <p class="hit-words">
          <span class="faint">matched</span>
          {words.map((word) => (
            <mark key={word}>{word}</mark>
          ))}
        </p>
      )}
    </details>
  )
}
