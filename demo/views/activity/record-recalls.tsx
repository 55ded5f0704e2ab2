// In the pane of a record: how often it was recalled on this device in the last days, and by whom.
import { Time } from '../../parts/time.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import { activityTurn, listRecallsOf } from '../../state/activity/activity.ts'
import { openedBook } from '../../state/book.ts'
import { countOf } from '../../wording/text-word.ts'
import { Row, Section } from '../kind/section.tsx'

const shownCallers = 5

export function RecordRecalls({ id }: { id: string }) {
  const { value } = useAnswer(
    async () => (await openedBook()).activity.ofRecord({ id }),
    [id, activityTurn.value],
  )
  if (!value) return null
  const { recalls, contexts, lastAt, callers } = value
  const total = recalls + contexts
  return (
    <Section name="Recalled">
      <Row name="last 7 days">
        {total === 0 ? (
          <span class="faint">not recalled on this device</span>
        ) : (
          <button type="button" class="link" onClick={() => listRecallsOf(id)}>
            {countOf(recalls, 'recall')}, {countOf(contexts, 'context')}
          </button>
        )}
        {lastAt !== undefined && (
          <span class="faint">
            {' '}
            · last <Time at={lastAt} />
          </span>
        )}
      </Row>
      {callers.length > 0 && (
        <Row name="by">
          {callers
            .slice(0, shownCallers)
            .map(({ caller, count }) => `${caller} (${count})`)
            .join(', ')}
          {callers.length > shownCallers && ` and ${callers.length - shownCallers} more`}
        </Row>
      )}
    </Section>
  )
}
