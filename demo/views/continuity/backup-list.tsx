// Backups: making one, reading one back without changing anything, and asking before one is restored.
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import type { Known } from '../../state/continuity/personas.ts'
import {
  askToRestore,
  type Backup,
  makeBackup,
  verified,
  verifyBackup,
  working,
} from '../../state/continuity/snapshots.ts'
import { countOf, sizeWord } from '../../wording/text-word.ts'
import { exactTime } from '../../wording/time-word.ts'
import { restoreSentences } from './restore-sentence.ts'

export function BackupList({ who, backups }: { who: Known; backups: readonly Backup[] }) {
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
            This is where backups of {who.name} appear: all that is its own as one bundle, verified by reading
            it back. The newest 30 are kept.
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
  const would = verified.value.get(id)
  const isBusy = working.value !== undefined
  const of = <span class="hidden"> the backup of {exactTime(at).split('\n')[0]}</span>
  return (
    <li class="memory-row">
      <p class="section-head">
        <b>
          <Time at={at} />
        </b>
        <span class="memory-said">
          <span>{countOf(records, 'record')}</span>
          <span>{sizeWord(characters)}</span>
          <ShortId id={checksum} what="checksum" />
        </span>
      </p>
      {would && (
        <p class="memory-said" role="status">
          <span class="state state-ok">Intact</span>
          <span>{restoreSentences(would).join(' ')}</span>
        </p>
      )}
      <div class="row-acts">
        <button
          type="button"
          class="button small"
          disabled={isBusy}
          onClick={() => void verifyBackup(backup)}
        >
          {working.value === id ? 'Reading…' : 'Verify'}
          {of}
        </button>
        <button
          type="button"
          class="button small"
          disabled={isBusy}
          onClick={() => void askToRestore(backup)}
        >
          Restore…{of}
        </button>
      </div>
    </li>
  )
}
