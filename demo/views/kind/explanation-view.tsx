// Why a question finds one record or not: the outcome, the reasons, changes that help, and its place in each ranker.
import { PlainTable } from '../../parts/table.tsx'
import { openRecord } from '../../state/act/open-record.ts'
import { askChanged, type Explanation, isAskable, type Reason } from '../../state/explain.ts'
import { legWord } from '../../wording/hit-word.ts'
import { countOf, countWord } from '../../wording/text-word.ts'

interface ExplanationProps {
  readonly answer: Explanation
  /** The question that it explains. */
  readonly text: string
}

export function ExplanationView({ answer, text }: ExplanationProps) {
  return (
    <div class="explanation">
      <p role="status" class="explanation-outcome">
        {outcomeOf(answer)}
      </p>
      {answer.outcome === 'missed' && (
        <>
          <ul class="plain-list" aria-label="Reasons">
            {answer.reasons.map((reason, i) => (
              <li key={`${reason.code}-${i}`}>
                {reason.says} <Others reason={reason} kind={answer.kind} />
              </li>
            ))}
          </ul>
          {answer.suggestions.length > 0 && (
            <ul class="plain-list explanation-helps" aria-label="What helps">
              {answer.suggestions.map((suggestion, i) => (
                <li key={`${suggestion.code}-${i}`}>
                  <span>{suggestion.says}</span>
                  {isAskable(suggestion) && (
                    <button
                      type="button"
                      class="button small"
                      onClick={() => askChanged(suggestion, answer.id, text)}
                    >
                      Ask this way
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {answer.outcome !== 'unknown-record' && answer.legs.length > 0 && (
        <PlainTable heads={['Ranker', 'Place', 'Finding']}>
          {answer.legs.map(({ leg, rank, candidates, isCandidate, says }) => (
            <tr key={leg}>
              <th scope="row">{legWord(leg)}</th>
              <td>
                {rank === undefined ? (
                  <span class="faint">none</span>
                ) : (
                  <>
                    #{countWord(rank)}
                    <span class="faint">
                      {' '}
                      {isCandidate
                        ? `of ${countWord(candidates)}`
                        : `after the first ${countWord(candidates)}`}
                    </span>
                  </>
                )}
              </td>
              <td>{says}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </div>
  )
}

function outcomeOf(answer: Explanation): string {
  if (answer.outcome === 'unknown-record') return 'No record of this book has this id.'
  if (answer.outcome === 'found')
    return `Found: hit ${answer.rank} of ${countWord(answer.hits)}${sortOf[answer.want]}, with score ${answer.score.toFixed(2)}.`
  return answer.hits === 0
    ? 'Not found: recall returns nothing.'
    : `Not found among ${countOf(answer.hits, 'hit')}${sortOf[answer.want]}.`
}

/** The sort of answer that the words of the question ask for. */
const sortOf = {
  best: '',
  all: ' (all that answers)',
  order: ' (in the order of time)',
  summary: ' (for a summary)',
} as const

function namedIds(reason: Reason): readonly string[] {
  if (reason.code === 'superseded') return reason.by
  if (reason.code === 'duplicate') return [reason.of]
  return reason.code === 'contradicted' ? [reason.by] : []
}

/** The records that a reason names: of the same kind. */
function Others({ reason, kind }: { reason: Reason; kind: string }) {
  const ids = namedIds(reason)
  return (
    <>
      {ids.map((id) => (
        <button key={id} type="button" class="link" title={id} onClick={() => openRecord({ id, kind })}>
          Open it
        </button>
      ))}
    </>
  )
}
