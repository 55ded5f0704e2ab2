// The card of sensitive records: whether they can be read here, what protects their keys, and what is done with the keys, each
// act with a form of its own: a passphrase that was meant for one is never taken for another.
import { useSignal } from '@preact/signals'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { FilePicker } from '../../parts/field/file-picker.tsx'
import { PassphraseField } from '../../parts/field/passphrase-field.tsx'
import {
  exportKeys,
  guard,
  importKeys,
  lock,
  rotate,
  sealError,
  sealState,
  unlock,
} from '../../state/trust/seal.ts'
import { countOf, countWord } from '../../wording/text-word.ts'
import { LockedRecords } from './locked-records.tsx'

const words = {
  off: 'This copy keeps no keys. Sensitive records pass through it unread.',
  unused: 'No sensitive records yet. Records marked sensitive are encrypted before they are written.',
  lost: 'The keys are gone from this device. Import exported keys; or rotate the key to begin anew, and what is encrypted stays locked.',
  locked: 'Locked. Sensitive records need the passphrase; all others can be read.',
  open: 'Unlocked. Sensitive records are encrypted on this device and in transit, and can be read here.',
} as const

type Act = 'unlock' | 'protect' | 'export' | 'import'

interface ActWords {
  readonly open: string
  readonly label: string
  readonly submit: string
  readonly isNew?: boolean
  readonly note: string
}

const acts: Readonly<Record<Act, ActWords>> = {
  unlock: { open: 'Unlock', label: 'Passphrase', submit: 'Unlock', note: '' },
  protect: {
    open: 'Protect keys…',
    label: 'New passphrase',
    submit: 'Protect keys',
    isNew: true,
    note: 'You need this passphrase whenever the book is opened. It cannot be recovered: without it, sensitive records are lost.',
  },
  export: {
    open: 'Export keys…',
    label: 'Passphrase for the key file',
    submit: 'Export keys',
    isNew: true,
    note: 'The file opens with this passphrase only. The book keeps its own passphrase.',
  },
  import: {
    open: 'Import keys…',
    label: 'Passphrase of the key file',
    submit: '',
    note: 'The passphrase given when the file was exported.',
  },
}

export function SealCard() {
  const now = sealState.value
  const act = useSignal<Act | undefined>(undefined)
  if (!now) return null
  const shown = now.state === 'locked' && act.value !== 'import' ? 'unlock' : act.value
  const offered: readonly Act[] = ['locked', 'lost'].includes(now.state)
    ? ['import']
    : ['protect', 'export', 'import']
  return (
    <section class="card" aria-label="Sensitive records">
      <h2>Sensitive records</h2>
      <p>{words[now.state]}</p>
      <SealFacts state={now} />
      {now.state !== 'off' && (
        <>
          {shown && <ActForm key={shown} act={shown} onDone={() => (act.value = undefined)} />}
          <div class="card-row">
            {offered.map((one) => (
              <button
                key={one}
                type="button"
                class="button"
                aria-expanded={shown === one}
                onClick={() => (act.value = act.peek() === one ? undefined : one)}
              >
                {one === 'protect' && now.guard === 'passphrase' ? 'Change passphrase…' : acts[one].open}
              </button>
            ))}
            {now.state === 'open' && now.guard === 'passphrase' && (
              <button type="button" class="button" onClick={() => void lock()}>
                Lock now
              </button>
            )}
            {(now.state === 'open' || now.state === 'lost') && (
              <button type="button" class="button" onClick={() => void rotate()}>
                Rotate key
              </button>
            )}
          </div>
        </>
      )}
      {sealError.value !== undefined && <ErrorNotice title="Keys unchanged" error={sealError.value} />}
      <LockedRecords />
    </section>
  )
}

function SealFacts({ state: now }: { state: NonNullable<typeof sealState.value> }) {
  return (
    <dl class="facts">
      <div>
        <dt>Encrypted</dt>
        <dd>{countWord(now.sealed)}</dd>
      </div>
      {now.unreadable > 0 && (
        <div>
          <dt>Locked here</dt>
          <dd>{countWord(now.unreadable)}</dd>
        </div>
      )}
      {now.guard && (
        <div>
          <dt>Keys protected by</dt>
          <dd>{now.guard === 'device' ? 'this browser' : 'a passphrase'}</dd>
        </div>
      )}
      {now.toReseal > 0 && (
        <div>
          <dt>Not re-encrypted yet</dt>
          <dd>{countOf(now.toReseal, 'text')}</dd>
        </div>
      )}
    </dl>
  )
}

/** One act with the keys and the passphrase that it takes. */
function ActForm({ act, onDone }: { act: Act; onDone: () => void }) {
  const { label, submit, isNew = false, note } = acts[act]
  const passphrase = useSignal<string | undefined>(undefined)
  const run = async (work: (given: string) => Promise<boolean>) => {
    const given = passphrase.peek()
    if (given !== undefined && (await work(given))) onDone()
  }
  return (
    <form
      class="fields-form key-form"
      aria-label={acts[act].open.replace('…', '')}
      onSubmit={(event) => {
        event.preventDefault()
        if (act !== 'import') void run({ unlock, protect: guard, export: exportKeys }[act])
      }}
    >
      <PassphraseField label={label} isNew={isNew} onReady={(given) => (passphrase.value = given)} />
      {note !== '' && <p class="faint">{note}</p>}
      <div class="card-row">
        {act === 'import' ? (
          passphrase.value !== undefined && (
            <FilePicker onFiles={([file]) => void (file && run((given) => importKeys(file, given)))}>
              Choose key file…
            </FilePicker>
          )
        ) : (
          <button type="submit" class="button primary" disabled={passphrase.value === undefined}>
            {submit}
          </button>
        )}
        {act !== 'unlock' && (
          <button type="button" class="button" onClick={onDone}>
            Cancel
          </button>
        )}
      </div>
    </form>
  )
}
