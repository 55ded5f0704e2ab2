// An answer beside one that was kept: what another question, or other options, find more, less, higher or lower.
import { kindNamed } from '../../kind/kind-table.ts'
import { questionInput } from '../../state/act/focus.ts'
import { type Answer, compareWith, kept } from '../../state/recall.ts'
import { compareHits, rankedHit, type HitChange, isChanged } from '../../wording/hit-change.ts'
import { oneLine } from '../../wording/text-word.ts'
import { HitChangeTable } from '../kind/hit-change-table.tsx'

export function Comparison({ answer }: { answer: Answer }) {
  const before = kept.value
  const keep = () => {
    compareWith(answer)
    questionInput.current?.select()
    questionInput.current?.focus()
  }
  if (!before)
    return answer.result.hits.length === 0 ? null : (
      <p class="comparison">
        <button type="button" class="link" onClick={keep}>
          Compare with another question
        </button>
      </p>
    )
  return (
    <section class="comparison" aria-label="Comparison">
      <p>
        {before === answer ? 'Ask something else, or change an option, to see what differs from' : 'Beside'}{' '}
        <b>{oneLine(before.question, 90)}</b>.{' '}
        <button type="button" class="link" onClick={() => compareWith(undefined)}>
          Stop comparing
        </button>
      </p>
      {before !== answer && <Difference before={before} answer={answer} />}
    </section>
  )
}

function Difference({ before, answer }: { before: Answer; answer: Answer }) {
  const changes = compareHits(before.result.hits.map(rankedHit), answer.result.hits.map(rankedHit))
  if (!changes.some(isChanged)) return <p>Both find the same records in the same order.</p>
  const records = new Map(
    [...before.result.hits, ...answer.result.hits].map(({ record }) => [record.id, record]),
  )
  const nameOf = ({ id, kind }: HitChange) => {
    const record = records.get(id)
    return record ? oneLine(kindNamed(kind)?.row(record).title ?? id, 80) : id
  }
  return <HitChangeTable label="Before and now" then="Before" changes={changes} nameOf={nameOf} />
}
