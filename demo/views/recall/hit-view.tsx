// Hits of a recall: as a list with text, score and reasons, and as a table with the rank of each leg.
import type { RecallHit, RecallResult } from '../../../src/index.ts'
import { Bar } from '../../parts/bar.tsx'
import { Mark } from '../../parts/mark.tsx'
import { Time } from '../../parts/inline.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { address } from '../../state/address.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { becauseParts, legShares, legWord, multipliersOf, ranksOf } from '../../wording/hit-word.ts'
import { passageOf } from '../../wording/passage-word.ts'
import { matchLabels, nearbyWords } from '../../wording/matched-word.ts'
import { countOf } from '../../wording/text-word.ts'

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

/** The passage that answers, unless the title has all of it. */
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
  const text = [...ranks].map(([leg, rank]) => `${legWord(leg)} #${rank}`).join(' · ')
  return (
    <div class="hit-score" title="The length is the score, from 0 to 1; each part is the share of one leg.">
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
      <span class="faint">{text}</span>
    </div>
  )
}

function Reasons({ hit, all }: Pick<RecallHitViewProps, 'hit' | 'all'>) {
  const { date } = hit.because
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
      <MatchedWords label="matched" words={matchLabels(hit)} />
      {date && <MatchedWords label={`happened on ${date.day}`} words={date.words} />}
      <MatchedWords label="matched nearby" words={nearbyWords(hit)} />
    </details>
  )
}

function MatchedWords({ label, words }: { label: string; words: readonly string[] }) {
  if (words.length === 0) return null
  return (
    <p class="hit-words">
      <span class="faint">{label}</span>
      {words.map((word) => (
        <mark key={word}>{word}</mark>
      ))}
    </p>
  )
}

/** The bar of a rank: whole for the first, half for the tenth. */
const rankShare = (rank: number) => 9 / (8 + rank)

export function LegTable({ result: { hits, legs } }: { result: RecallResult }) {
  const names = Object.keys(legs)
  return (
    <div class="leg-scroll" tabIndex={0} role="group" aria-label="Ranks by leg">
      <table class="leg-table">
        <thead>
          <tr>
            <th scope="col">Hit</th>
            <th scope="col" class="leg-record">
              Record
            </th>
            <th scope="col">Score</th>
            {names.map((leg) => (
              <th key={leg} scope="col">
                {legWord(leg)}
                <span class="leg-found">{countOf(legs[leg] ?? 0, 'candidate')}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {hits.map((hit, i) => {
            const ranks = ranksOf(hit)
            const { record } = hit
            return (
              <tr key={record.id} class={address.value.id === record.id ? 'is-open' : undefined}>
                <td class="leg-rank">{i + 1}</td>
                <th scope="row" class="leg-record">
                  <button type="button" class="link" onClick={() => openRecord(record)}>
                    {kindNamed(record.kind)?.row(record).title ?? record.id}
                  </button>
                </th>
                <td>
                  <Share share={hit.score} text={hit.score.toFixed(2)} isStrong />
                </td>
                {names.map((leg) => {
                  const rank = ranks.get(leg)
                  return (
                    <td key={leg}>
                      {rank === undefined ? (
                        <span class="faint" title={`The leg “${legWord(leg)}” did not find it`}>
                          not found
                        </span>
                      ) : (
                        <Share share={rankShare(rank)} text={`#${rank}`} />
                      )}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Share({ share, text, isStrong = false }: { share: number; text: string; isStrong?: boolean }) {
  return (
    <span class={isStrong ? 'leg-share strong' : 'leg-share'}>
      <span class="bar-track" aria-hidden="true">
        <span class="bar-fill" style={{ width: `${(Math.max(0, Math.min(1, share)) * 100).toFixed(1)}%` }} />
      </span>
      {text}
    </span>
  )
}
