// The view of sync: its state, the queue of unsent changes (refused ones first), and edits that lost a conflict.
import type { SyncState } from '../../../src/index.ts'
import { Page } from '../shell/page.tsx'
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { Icon, Time } from '../../parts/inline.tsx'
import { ShortId } from '../../parts/copy-button.tsx'
import { now } from '../../page/clock.ts'
import {
  type Conflict,
  conflicts,
  conflictsFailure,
  hasMoreConflicts,
  loadConflicts,
  loadMoreConflicts,
  reopened,
} from '../../state/sync/conflicts.ts'
import { openDialog } from '../../state/dialog.ts'
import { edgeUrl } from '../../state/setting.ts'
import { bookName } from '../../state/address.ts'
import { attempt } from '../../state/book.ts'
import { refreshStatus, status } from '../../state/status.ts'
import { tell } from '../../page/toast.ts'
import {
  lastResult,
  loadQueue,
  type OutboxEntry,
  queue,
  type Queued,
  queueFailure,
  retryRefused,
  syncNow,
  syncWords,
} from '../../state/sync/sync.ts'
import { countOf, countWord, kindWord, oneLine } from '../../wording/text-word.ts'
import { syncStateWords } from '../../wording/sync-word.ts'
import { backgroundWords, isExplained, lineWord } from '../../wording/sync-detail-word.ts'
import { ConflictView } from './conflict-view.tsx'
import { Mark } from '../../parts/mark.tsx'
import type { MarkName } from '../../kind/mark.ts'
import { kindNamed } from '../../kind/kind-table.ts'
import { openRecord } from '../../state/act/open-record.ts'

export function SyncView() {
  return (
    <Page title="Sync and conflicts">
      <SyncCard />
      <QueueView />
      <Conflicts />
    </Page>
  )
}

function SyncCard() {
  const sync = status.value?.sync
  if (!sync) return <div class="card" aria-busy="true" />
  const { long, mood } = syncStateWords(sync, now.value)
  return (
    <section class="card" aria-label="Sync">
      <div class="card-row">
        <p class="card-lead" role="status">
          <span class={`lamp ${mood}`} aria-hidden="true" />
          <span>{long}</span>
        </p>
        <button type="button" class="button" onClick={() => (openDialog.value = 'settings')}>
          <Icon name="settings" size={14} />
          Settings
        </button>
        {sync.configured && (
          <button type="button" class="button primary" disabled={sync.running} onClick={() => void syncNow()}>
            <Icon name="sync" size={14} />
            {sync.running ? 'Syncing…' : 'Sync now'}
          </button>
        )}
      </div>
      {sync.lastError && !isExplained(sync.lastError.code) && (
        <p class="form-error">
          {sync.lastError.message} <code>{sync.lastError.code}</code>
        </p>
      )}
      {sync.lastError?.code === 'book-erased' && <StartOver />}
      <SyncFacts sync={sync} />
    </section>
  )
}

/** After an erasure at the edge: what may be done with this copy. */
function StartOver() {
  const startOver = () =>
    attempt('The book could not be started at the edge.', async (book) => {
      await book.startOver({ confirm: bookName })
      tell('Started a new book at the edge.')
      refreshStatus()
    })
  return (
    <div class="card-row">
      <button type="button" class="button" onClick={() => void startOver()}>
        Start a new book at the edge
      </button>
      <p class="faint">It begins with the records of this device.</p>
    </div>
  )
}

function SyncFacts({ sync }: { sync: SyncState }) {
  const { phase, nextAt, device, background } = sync
  return (
    <FactList>
      <Fact name="Edge">{sync.configured ? <code>{edgeUrl}</code> : 'none'}</Fact>
      <Fact name="Live connection">{lineWord(sync)}</Fact>
      <Fact name="Last synced">
        {sync.lastSyncedAt === undefined ? 'never' : <Time at={sync.lastSyncedAt} />}
      </Fact>
      <Fact name="Waiting to be sent">{countWord(sync.pending)}</Fact>
      <Fact name={phase === 'offline' || phase === 'waiting' ? 'Next try' : 'Next automatic sync'}>
        {nextAt !== undefined && <Time at={nextAt} />}
      </Fact>
      <Fact name="With no page open">{background !== undefined && backgroundWords[background]}</Fact>
      <Fact name="This device">
        {device !== undefined && <ShortId id={device} of="name of this device" />}
      </Fact>
      <Fact name="Repaired">{sync.repairs > 0 && countOf(sync.repairs, 'time')}</Fact>
      <Fact name="Last result of this page">
        {lastResult.value ? syncWords(lastResult.value) : 'none yet'}
      </Fact>
    </FactList>
  )
}

function Conflicts() {
  const listed = conflicts.value
  const isDecided = ({ entry }: Conflict) => entry.state === 'decided' && !reopened.value.has(entry.id)
  const undecided = listed?.filter((one) => !isDecided(one)) ?? []
  const decided = listed?.filter(isDecided) ?? []
  const count = Math.max(undecided.length, status.value?.sync.conflicts ?? 0)
  return (
    <section aria-label="Conflicts">
      <h2>Conflicts{count > 0 ? ` (${countWord(count)})` : ''}</h2>
      <ErrorNotice
        title="The conflicts could not be read."
        error={conflictsFailure.value}
        retry={loadConflicts}
      />
      {listed && undecided.length === 0 && (
        <EmptyNote title={decided.length > 0 ? 'All conflicts resolved' : 'No conflicts'}>
          <p>
            When two devices change the same record before they sync, the policy of its kind decides which
            edit wins. The other one is kept here, so nothing is lost.
          </p>
        </EmptyNote>
      )}
      <ol class="conflicts">
        {undecided.map((conflict) => (
          <ConflictView key={conflict.entry.id} conflict={conflict} isDecided={false} />
        ))}
      </ol>
      {decided.length > 0 && (
        <details class="decided">
          <summary>Decided ({countWord(decided.length)}): review or change</summary>
          <ol class="conflicts">
            {decided.map((conflict) => (
              <ConflictView key={conflict.entry.id} conflict={conflict} isDecided />
            ))}
          </ol>
        </details>
      )}
      {hasMoreConflicts.value && (
        <button type="button" class="button" onClick={loadMoreConflicts}>
          Show older conflicts
        </button>
      )}
    </section>
  )
}

const marksOf: Readonly<Record<OutboxEntry['state'], MarkName>> = {
  refused: 'refused',
  sent: 'sent',
  waiting: 'waiting',
}
const order: readonly OutboxEntry['state'][] = ['refused', 'sent', 'waiting']
const shown = 20

function QueueView() {
  const listed = queue.value
  const pending = status.value?.sync.pending ?? listed?.length ?? 0
  const sorted = (listed ?? []).toSorted(
    (a, b) => order.indexOf(a.entry.state) - order.indexOf(b.entry.state),
  )
  const more = pending - Math.min(sorted.length, shown)
  return (
    <section aria-label="Queue">
      <h2>Queue{pending > 0 ? ` (${countWord(pending)})` : ''}</h2>
      <ErrorNotice title="The queue could not be read." error={queueFailure.value} retry={loadQueue} />
      {listed?.length === 0 && (
        <EmptyNote title={status.value?.sync.phase === 'stopped' ? 'No changes wait' : 'Up to date'}>
          <p>
            Changes wait in this queue until the edge has them, also without a connection and after the page
            is closed.
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
      <ShortId id={record} of="id of the record" />
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
