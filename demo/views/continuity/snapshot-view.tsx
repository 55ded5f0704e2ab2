// The view of snapshots and backups: where a persona left off, and all that is its own in one verified bundle.
import { Dialog } from '../../parts/dialog.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import type { Known } from '../../state/continuity/personas.ts'
import {
  focusDraft,
  kept,
  keptFailure,
  loadKept,
  loadOlderSnapshots,
  restoreBackup,
  restoring,
  type Snapshot,
  takeSnapshot,
  working,
} from '../../state/continuity/snapshots.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Time } from '../../parts/time.tsx'
import { oneLine } from '../../wording/text-word.ts'
import { BackupList } from './backup-list.tsx'
import { ContinuityPage } from './continuity-page.tsx'
import { LineList } from './line-list.tsx'
import { restoreSentences } from './restore-sentence.ts'

export function SnapshotView() {
  return <ContinuityPage title="Snapshots and backups">{(who) => <Kept who={who} />}</ContinuityPage>
}

function Kept({ who }: { who: Known }) {
  const found = kept.value?.persona === who.ci_id ? kept.value : undefined
  return (
    <>
      {keptFailure.value !== undefined && (
        <ErrorNotice
          title="Snapshots and backups could not be read."
          error={keptFailure.value}
          retry={() => void loadKept()}
        />
      )}
      {found && (
        <>
          <section aria-label="Snapshots">
            <h2>Snapshots {found.snapshots.length > 0 && `(${found.snapshots.length})`}</h2>
            <TakeForm />
            {found.snapshots.length === 0 ? (
              <EmptyNote title="No snapshots yet">
                <p>
                  This is where {who.name} leaves off: a page of Markdown for its next prompt, with the
                  records that it quotes. One is taken whenever a session ends.
                </p>
              </EmptyNote>
            ) : (
              <ul class="queue">
                {found.snapshots.map((one, at) => (
                  <SnapshotRow key={one.id} snapshot={one} isLast={at === 0} />
                ))}
              </ul>
            )}
            {found.cursor !== undefined && (
              <p>
                <button type="button" class="button" onClick={() => void loadOlderSnapshots()}>
                  Show older snapshots
                </button>
              </p>
            )}
          </section>
          <BackupList who={who} backups={found.backups} />
        </>
      )}
      {restoring.value && <RestoreQuestion />}
    </>
  )
}

function TakeForm() {
  return (
    <form
      class="take-form"
      onSubmit={(event) => {
        event.preventDefault()
        void takeSnapshot()
      }}
    >
      <label class="labelled" for="snapshot-focus">
        Focus (optional)
        <input
          id="snapshot-focus"
          class="input"
          maxLength={2000}
          autocomplete="off"
          placeholder="what it is about, for the next session"
          value={focusDraft.value}
          onInput={({ currentTarget: { value } }) => (focusDraft.value = value)}
        />
      </label>
      <button type="submit" class="button" disabled={working.value !== undefined}>
        {working.value === 'snapshot' ? 'Taking…' : 'Take a snapshot'}
      </button>
    </form>
  )
}

const quotedParts = {
  topics: 'Topics',
  projects: 'Projects',
  people: 'People',
  decisions: 'Decisions',
  questions: 'Questions',
} as const

function SnapshotRow({ snapshot, isLast }: { snapshot: Snapshot; isLast: boolean }) {
  const { taken_at: at, focus, markdown, context } = snapshot
  return (
    <li class="memory-row">
      <p class="section-head">
        <b dir="auto">{focus === '' ? <span class="faint">no focus</span> : oneLine(focus, 160)}</b>
        <span class="faint">
          {isLast && 'read at the next start · '}
          <Time at={at} />
        </span>
      </p>
      <details>
        <summary>
          Read it<span class="hidden"> “{oneLine(focus, 40)}”</span>
        </summary>
        <div class="snapshot-body">
          <div class="example">
            <p class="example-head">
              <span class="faint">As the next prompt gets it</span>
              <span class="spacer" />
              <CopyButton text={markdown} what="Markdown" />
            </p>
            <pre tabIndex={0} aria-label="Markdown" dir="auto">
              {markdown}
            </pre>
          </div>
          {Object.entries(quotedParts).map(([part, title]) => {
            const lines = context[part as keyof typeof quotedParts]
            if (lines.length === 0) return null
            return (
              <section key={part} aria-label={title}>
                <h3>{title}</h3>
                <LineList lines={lines} />
              </section>
            )
          })}
        </div>
      </details>
    </li>
  )
}

function RestoreQuestion() {
  const question = restoring.value
  if (!question) return null
  const { backup, would } = question
  const close = () => (restoring.value = undefined)
  return (
    <Dialog title="Restore this backup?" onClose={close}>
      <p>
        <bdi>{backup.name}</bdi>, made <Time at={backup.madeAt} />. The backup is intact.
      </p>
      <ul class="plain-list">
        {restoreSentences(would).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        <li>What was written since stays.</li>
      </ul>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="button primary" onClick={() => void restoreBackup(backup)}>
          Restore
        </button>
      </div>
    </Dialog>
  )
}
