// The view of sync: how it stands now, what waits to be sent, and the edits that lost a conflict.
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
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
import { edgeUrl } from '../../state/edge.ts'
import { status } from '../../state/status.ts'
import { lastResult, syncNow, syncWords } from '../../state/sync/sync.ts'
import { countOf, countWord } from '../../wording/text-word.ts'
import { backgroundWords, lineWord, syncStateWords } from '../../wording/sync-word.ts'
import { ConflictView } from './conflict-view.tsx'
import { QueueView } from './queue-view.tsx'

export function SyncView() {
  return (
    <div class="page-scroll">
      <div class="page">
        <h1>Sync and conflicts</h1>
        <SyncCard />
        <QueueView />
        <Conflicts />
      </div>
    </div>
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
      {sync.lastError && sync.lastError.code !== 'offline' && (
        <p class="form-error">
          {sync.lastError.message} <code>{sync.lastError.code}</code>
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>Edge</dt>
          <dd>{sync.configured ? <code>{edgeUrl}</code> : 'none'}</dd>
        </div>
        <div>
          <dt>Live connection</dt>
          <dd>{lineWord(sync)}</dd>
        </div>
        <div>
          <dt>Last synced</dt>
          <dd>{sync.lastSyncedAt === undefined ? 'never' : <Time at={sync.lastSyncedAt} />}</dd>
        </div>
        <div>
          <dt>Waiting to be sent</dt>
          <dd>{countWord(sync.pending)}</dd>
        </div>
        {sync.nextAt !== undefined && (
          <div>
            <dt>
              {sync.phase === 'offline' || sync.phase === 'waiting' ? 'Next try' : 'Next automatic sync'}
            </dt>
            <dd>
              <Time at={sync.nextAt} />
            </dd>
          </div>
        )}
        {sync.background !== undefined && (
          <div>
            <dt>With no page open</dt>
            <dd>{backgroundWords[sync.background]}</dd>
          </div>
        )}
        {sync.device !== undefined && (
          <div>
            <dt>This device</dt>
            <dd>
              <ShortId id={sync.device} what="name of this device" />
            </dd>
          </div>
        )}
        {sync.repairs > 0 && (
          <div>
            <dt>Repaired</dt>
            <dd>{countOf(sync.repairs, 'time')}</dd>
          </div>
        )}
        <div>
          <dt>Last result of this page</dt>
          <dd>{lastResult.value ? syncWords(lastResult.value) : 'none yet'}</dd>
        </div>
      </dl>
    </section>
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
      {conflictsFailure.value !== undefined && (
        <ErrorNotice
          title="The conflicts could not be read."
          error={conflictsFailure.value}
          retry={() => void loadConflicts()}
        />
      )}
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
