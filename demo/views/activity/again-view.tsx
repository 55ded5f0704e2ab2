// The same question asked now, with the same options, and what is different from then.
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { go } from '../../state/address.ts'
import type { RecallDetail } from '../../state/activity/activity.ts'
import { again, askAgain } from '../../state/activity/ask-again.ts'
import { type HitChange, isChanged } from '../../wording/hit-change.ts'
import { chooseAsAsked } from '../../state/recall.ts'
import { HitChangeTable } from '../kind/hit-change-table.tsx'
import { Section } from '../kind/section.tsx'

export function AgainView({ detail }: { detail: RecallDetail }) {
  const now = again.value
  const isMine = now.state !== 'idle' && now.n === detail.n
  return (
    <Section name="Now">
      <p class="card-row">
        <button
          type="button"
          class="button"
          disabled={isMine && now.state === 'asking'}
          onClick={() => void askAgain(detail)}
        >
          Ask again now
        </button>
        <button type="button" class="button" onClick={() => openInRecall(detail)}>
          Open in Recall
        </button>
      </p>
      <div role="status">
        {isMine && now.state === 'failed' && (
          <ErrorNotice
            title="The question could not be asked."
            error={now.error}
            retry={() => void askAgain(detail)}
          />
        )}
        {isMine && now.state === 'answered' && <Changes changes={now.changes} isSameText={now.isSameText} />}
      </div>
    </Section>
  )
}

function openInRecall({ sort, asked }: RecallDetail): void {
  if (asked) chooseAsAsked(asked)
  go({ view: sort === 'context' ? 'context' : 'recall', question: asked?.text ?? '', id: undefined })
}

function Changes({
  changes,
  isSameText,
}: {
  changes: readonly HitChange[]
  isSameText: boolean | undefined
}) {
  if (!changes.some(isChanged) && isSameText !== false)
    return <p>Same answer as then: {changes.length === 0 ? 'nothing found' : 'same records, same order'}.</p>
  return (
    <>
      {isSameText === false && <p>The packed text is different now.</p>}
      <HitChangeTable label="Then and now" then="Then" changes={changes} />
    </>
  )
}
