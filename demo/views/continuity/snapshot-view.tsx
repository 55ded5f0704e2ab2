// The view of snapshots and backups. A backup is read back and verified before a restore, which first shows its effect.
import { More, RowAct } from '../../parts/list-part.tsx'
import { Question } from '../../parts/dialog.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import type { Known } from '../../state/continuity/personas.ts'
import {
  askToRestore,
  type Backup,
  focusDraft,
  loadOlderSnapshots,
  loadSnapshots,
  makeBackup,
  personaFiles,
  restoreBackup,
  type Restored,
  restoring,
  type Snapshot,
  snapshotsFailure,
  takeSnapshot,
  verified,
  verifyBackup,
  working,
} from '../../state/continuity/snapshots.ts'
import { CopyButton, ShortId } from '../../parts/copy-button.tsx'
import { Time } from '../../parts/inline.tsx'
import { countOf, oneLine, sizeWord } from '../../wording/text-word.ts'
import { ContinuityPage } from './continuity-page.tsx'
import { LineList } from './line-list.tsx'
import { exactTime } from '../../wording/time-word.ts'

export function SnapshotView() {
  return (
    <ContinuityPage title="Snapshots and backups">
      {(persona) => <SnapshotPage persona={persona} />}
    </ContinuityPage>
  )
}

function SnapshotPage({ persona }: { persona: Known }) {
  const found = personaFiles.value?.persona === persona.ci_id ? personaFiles.value : undefined
  return (
    <>
      <ErrorNotice
        title="Snapshots and backups could not be read."
        error={snapshotsFailure.value}
        retry={loadSnapshots}
      />
      {found && (
        <>
          <section aria-label="Snapshots">
            <h2>Snapshots {found.snapshots.length > 0 && `(${found.snapshots.length})`}</h2>
            <TakeForm />
            {found.snapshots.length === 0 ? (
              <EmptyNote title="No snapshots yet">
                <p>
                  This is where {persona.name} leaves off: a page of Markdown for its next prompt, with the
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
            {found.cursor !== undefined && <More onMore={loadOlderSnapshots}>Show older snapshots</More>}
          </section>
          <BackupList persona={persona} backups={found.backups} />
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
              <CopyButton text={markdown} of="Markdown" />
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
  const { backup, effect } = question
  return (
    <Question
      title="Restore this backup?"
      onClose={() => (restoring.value = undefined)}
      act="Restore"
      onAct={() => restoreBackup(backup)}
    >
      <p>
        <bdi>{backup.name}</bdi>, made <Time at={backup.madeAt} />. The backup is intact.
      </p>
      <ul class="plain-list">
        {restoreSentences(effect).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
        <li>Records written since then stay.</li>
      </ul>
    </Question>
  )
}

function BackupList({ persona, backups }: { persona: Known; backups: readonly Backup[] }) {
  return (
    <section aria-label="Backups">
      <div class="section-head">
        <h2>Backups {backups.length > 0 && `(${backups.length})`}</h2>
        <button
          type="button"
          class="button"
          disabled={working.value !== undefined}
          onClick={() => void makeBackup()}
        >
          {working.value === 'backup' ? 'Making and verifying…' : 'Make a backup'}
        </button>
      </div>
      {backups.length === 0 ? (
        <EmptyNote title="No backups yet">
          <p>
            This is where backups of {persona.name} appear: all that is its own as one bundle, verified by
            reading it back. The newest 30 are kept.
          </p>
        </EmptyNote>
      ) : (
        <ul class="queue">
          {backups.map((backup) => (
            <BackupRow key={backup.id} backup={backup} />
          ))}
        </ul>
      )}
    </section>
  )
}

function BackupRow({ backup }: { backup: Backup }) {
  const { id, madeAt: at, records, characters, checksum } = backup
  const effect = verified.value.get(id)
  const isBusy = working.value !== undefined
  const of = `the backup of ${exactTime(at).split('\n')[0]}`
  return (
    <li class="memory-row">
      <p class="section-head">
        <b>
          <Time at={at} />
        </b>
        <span class="memory-facts">
          <span>{countOf(records, 'record')}</span>
          <span>{sizeWord(characters)}</span>
          <ShortId id={checksum} of="checksum" />
        </span>
      </p>
      {effect && (
        <p class="memory-facts" role="status">
          <span class="state state-ok">Intact</span>
          <span>{restoreSentences(effect).join(' ')}</span>
        </p>
      )}
      <div class="row-acts">
        <RowAct
          word={working.value === id ? 'Reading…' : 'Verify'}
          of={of}
          disabled={isBusy}
          onAct={() => verifyBackup(backup)}
        />
        <RowAct word="Restore…" of={of} disabled={isBusy} onAct={() => askToRestore(backup)} />
      </div>
    </li>
  )
}

/** The effect of a restore, in sentences. */
function restoreSentences(effect: Restored): string[] {
  const { imported, updated, unchanged, forgotten, conflictCount: conflicts } = effect
  return [
    imported === 0 ? 'No record is missing.' : `${countOf(imported, 'record')} would come back.`,
    updated === 0 ? 'No record would change.' : `${countOf(updated, 'record')} would change.`,
    `${countOf(unchanged, 'record')} ${unchanged === 1 ? 'is' : 'are'} the same already.`,
    ...(forgotten === 0
      ? []
      : [`${countOf(forgotten, 'record')} ${forgotten === 1 ? 'was' : 'were'} forgotten and stay deleted.`]),
    ...(conflicts === 0 ? [] : [`${countOf(conflicts, 'conflict')} would be left to decide.`]),
  ]
}
