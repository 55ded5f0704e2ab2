// The same question asked now, with the same options, and what is different from then.
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { go } from '../../state/address.ts'
import type { AskedDetail } from '../../state/activity/activity.ts'
import { again, askAgain, type HitChange } from '../../state/activity/ask-again.ts'
import { chooseAsAsked } from '../../state/recall.ts'
import { openRecord } from '../../state/act/open-record.ts'
import { Section } from '../kind/section.tsx'

export function AgainView({ detail }: { detail: AskedDetail }) {
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

function openInRecall({ sort, asked }: AskedDetail): void {
  if (asked) chooseAsAsked(asked)
  go({ view: sort === 'context' ? 'context' : 'recall', question: asked?.text ?? '', id: undefined })
}

const isChanged = ({ placeThen, placeNow, scoreThen = 0, scoreNow = 0 }: HitChange) =>
  placeThen !== placeNow || Math.abs(scoreThen - scoreNow) >= 0.005

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
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Then and now">
        <table class="log-table">
          <thead>
            <tr>
              <th scope="col">Record</th>
              <th scope="col">Then</th>
              <th scope="col">Now</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr key={change.id}>
                <td>
                  <button type="button" class="link" onClick={() => openRecord(change)}>
                    {change.id}
                  </button>
                </td>
                <td>{placeWord(change.placeThen, change.scoreThen)}</td>
                <td>{placeWord(change.placeNow, change.scoreNow)}</td>
                <td>{changeWord(change)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const placeWord = (place: number | undefined, score = 0) =>
  place === undefined ? '–' : `#${place} (${score.toFixed(2)})`

function changeWord({ placeThen, placeNow, scoreThen = 0, scoreNow = 0 }: HitChange): string {
  if (placeThen === undefined) return 'new'
  if (placeNow === undefined) return 'no longer found'
  if (placeNow < placeThen) return 'moved up'
  if (placeNow > placeThen) return 'moved down'
  if (Math.abs(scoreThen - scoreNow) < 0.005) return 'no change'
  return scoreNow > scoreThen ? 'higher score' : 'lower score'
}
