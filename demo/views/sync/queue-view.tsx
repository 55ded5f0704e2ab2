// The queue: what the edge has not acknowledged, refused changes first, for those need a person.
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Mark } from '../../parts/mark.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import type { MarkName } from '../../kind/mark.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { openRecord } from '../../state/act/open-record.ts'
import {
  loadQueue,
  type OutboxEntry,
  queue,
  queueFailure,
  type Queued,
  retryRefused,
} from '../../state/sync/outbox.ts'
import { status } from '../../state/status.ts'
import { countOf, countWord, oneLine, kindWord } from '../../wording/text-word.ts'

const marksOf: Readonly<Record<OutboxEntry['state'], MarkName>> = {
  refused: 'refused',
  sent: 'sent',
  waiting: 'waiting',
}
const order: readonly OutboxEntry['state'][] = ['refused', 'sent', 'waiting']
const shown = 20

export function QueueView() {
  const listed = queue.value
  const pending = status.value?.sync.pending ?? listed?.length ?? 0
  const sorted = (listed ?? []).toSorted(
    (a, b) => order.indexOf(a.entry.state) - order.indexOf(b.entry.state),
  )
  const more = pending - Math.min(sorted.length, shown)
  return (
    <section aria-label="Queue">
      <h2>Queue{pending > 0 ? ` (${countWord(pending)})` : ''}</h2>
      {queueFailure.value !== undefined && (
        <ErrorNotice
          title="The queue could not be read."
          error={queueFailure.value}
          retry={() => void loadQueue()}
        />
      )}
      {listed?.length === 0 && (
        <EmptyNote title="Up to date">
          <p>
            What is written here waits in this queue until the edge has it, also while there is no connection
            and after the page was closed.
          </p>
        </EmptyNote>
      )}
      {sorted.length > 0 && (
        <ul class="queue">
          {sorted.slice(0, shown).map((one) => (
            <QueueRow key={one.entry.n} queued={one} />
          ))}
        </ul>
      )}
      {sorted.length > 0 && more > 0 && <p class="faint">{countOf(more, 'more change')}.</p>}
    </section>
  )
}

function QueueRow({ queued: { entry, title, isSealed } }: { queued: Queued }) {
  const { record, kind, op, at, state, error } = entry
  const shownKind = kindNamed(kind)
  return (
    <li class="queue-row">
      <Mark mark={marksOf[state]} word />
      {title !== undefined && shownKind ? (
        <button
          type="button"
          class="link queue-title"
          onClick={() => openRecord({ id: record, kind })}
          dir="auto"
        >
          {oneLine(title, 100)}
        </button>
      ) : (
        <span class="queue-title">
          {op === 'forget'
            ? `A forgotten ${shownKind?.one ?? kindWord(kind)}`
            : `A ${isSealed ? 'sealed ' : ''}${kindWord(kind)}`}
        </span>
      )}
      <span class="faint">
        {shownKind?.one ?? kindWord(kind)}
        {at !== '' && (
          <>
            {' '}
            · <Time at={at} />
          </>
        )}
      </span>
      <ShortId id={record} what="id of the record" />
      {error && (
        <p class="form-error queue-error">
          {error.message} <code>{error.code}</code> Will retry when the record changes.{' '}
          <button type="button" class="button small" onClick={() => void retryRefused(record)}>
            Try again
          </button>
        </p>
      )}
    </li>
  )
}
