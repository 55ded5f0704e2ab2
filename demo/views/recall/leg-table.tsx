// The legs of a recall side by side: for each hit the rank that each leg gave it, beside where fusion put it.
import type { RecallResult } from '../../../src/index.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { address } from '../../state/address.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { legWord, ranksOf } from '../../wording/hit-word.ts'
import { countOf } from '../../wording/text-word.ts'

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
