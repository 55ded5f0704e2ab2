// The card of sensitive records: their state, the protection of their keys, and locked records. Each act on the keys has a
// form of its own, so a passphrase for one act never serves another.
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { Check } from '../../parts/field/form-field.tsx'
import { Question } from '../../parts/dialog.tsx'
import { useSignal } from '@preact/signals'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { FilePicker } from '../../parts/field/file-picker.tsx'
import {
  exportKeys,
  forgetLocked,
  guard,
  importKeys,
  lock,
  lockedRecords,
  rotate,
  sealError,
  sealState,
  unlock,
} from '../../state/trust/seal.ts'
import { countOf, countWord, sizeWord } from '../../wording/text-word.ts'
import { ShortId } from '../../parts/copy-button.tsx'
import { Time } from '../../parts/inline.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { useId } from 'preact/hooks'

const words = {
  off: 'This copy keeps no keys. Sensitive records pass through it unread.',
  unused: 'No sensitive records yet. Records marked sensitive are encrypted before they are written.',
  lost: 'The keys are gone from this device. Import exported keys; or rotate the key to begin anew, and what is encrypted stays locked.',
  locked: 'Locked. Sensitive records need the passphrase; all others can be read.',
  elsewhere:
    'This device has no keys for the sensitive records of this book. On a device that can read them, open Storage and export the keys. Then import the key file here.',
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
  /** A form that is done must not close the one that was opened meanwhile. */
  const close = (done: Act) => {
    const open = act.peek()
    if (open === done || (done === 'unlock' && open !== 'import')) act.value = undefined
  }
  // Its records came from another device, and their keys did not.
  const isElsewhere = now.state === 'unused' && now.unreadable > 0
  const offered: readonly Act[] =
    isElsewhere || now.state === 'locked' || now.state === 'lost'
      ? ['import']
      : now.state === 'unused'
        ? ['protect', 'import']
        : ['protect', 'export', 'import']
  return (
    <section class="card" aria-label="Sensitive records">
      <h2>Sensitive records</h2>
      <p>{words[isElsewhere ? 'elsewhere' : now.state]}</p>
      {now.state === 'open' && now.unreadable > 0 && (
        <p>
          {countOf(now.unreadable, 'record')} here need keys of another device. Export them there, and import
          them here.
        </p>
      )}
      <SealFacts state={now} />
      {now.state !== 'off' && (
        <>
          {shown && <ActForm key={shown} act={shown} onDone={() => close(shown)} />}
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
      <ErrorNotice title="Keys unchanged" error={sealError.value} />
      <LockedRecords />
    </section>
  )
}

function SealFacts({ state }: { state: NonNullable<typeof sealState.value> }) {
  const { sealed, unreadable, guard: guardedBy, toReseal } = state
  return (
    <FactList>
      <Fact name="Encrypted">{countWord(sealed)}</Fact>
      <Fact name="Locked here">{unreadable > 0 && countWord(unreadable)}</Fact>
      <Fact name="Keys protected by">
        {guardedBy && (guardedBy === 'device' ? 'this browser' : 'a passphrase')}
      </Fact>
      <Fact name="Not re-encrypted yet">{toReseal > 0 && countOf(toReseal, 'text')}</Fact>
    </FactList>
  )
}

/** One act with the keys and the passphrase that it takes. */
function ActForm({ act, onDone }: { act: Act; onDone: () => void }) {
  const { label, submit, isNew = false, note } = acts[act]
  const passphrase = useSignal<string | undefined>(undefined)
  const run = async (work: (passphrase: string) => Promise<boolean>) => {
    const text = passphrase.peek()
    if (text !== undefined && (await work(text))) onDone()
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
      <PassphraseField label={label} isNew={isNew} onReady={(text) => (passphrase.value = text)} />
      {note !== '' && <p class="faint">{note}</p>}
      <div class="card-row">
        {act === 'import' ? (
          passphrase.value !== undefined && (
            <FilePicker onFiles={([file]) => void (file && run((text) => importKeys(file, text)))}>
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

/** More are only counted. */
const listed = 20

type Locked = (typeof lockedRecords.value)[number]

/** Locked records, with the facts that are readable. Deleting one unread needs a confirmation. */
function LockedRecords() {
  const all = lockedRecords.value
  const question = useSignal<Locked | undefined>(undefined)
  if (all.length === 0) return null
  const close = () => (question.value = undefined)
  return (
    <>
      <h3>{countOf(all.length, 'locked record')}</h3>
      <ul class="plain-list">
        {all.slice(0, listed).map((record) => (
          <li key={record.id} class="card-row">
            <LockedLine record={record} />
            <button type="button" class="button small" onClick={() => (question.value = record)}>
              Forget…
            </button>
          </li>
        ))}
      </ul>
      {all.length > listed && <p class="faint">And {countOf(all.length - listed, 'more', 'more')}.</p>}
      {question.value && (
        <Question
          title="Forget this locked record?"
          onClose={close}
          act="Forget record"
          onAct={() => {
            const { id } = question.peek() ?? {}
            close()
            if (id !== undefined) void forgetLocked(id)
          }}
          isDanger
        >
          <p>
            <LockedLine record={question.value} />
          </p>
          <p>It cannot be read here, and this cannot be undone. Unlock the keys first to see its content.</p>
        </Question>
      )}
    </>
  )
}

function LockedLine({ record: { id, kind, updated_at, sealed } }: { record: Locked }) {
  return (
    <span>
      {kindNamed(kind)?.one ?? kind} <ShortId id={id} />, {sizeWord(sealed.bytes)}, <Time at={updated_at} />
    </span>
  )
}

/** Shorter ones the book refuses. */
const leastLength = 8

interface PassphraseFieldProps {
  readonly label: string
  /** It is a new one. */
  readonly isNew?: boolean
  /** Gets the passphrase once it is valid, and undefined while it is not. */
  readonly onReady: (passphrase: string | undefined) => void
}

function PassphraseField({ label, isNew = false, onReady }: PassphraseFieldProps) {
  const first = useSignal('')
  const second = useSignal('')
  const isSeen = useSignal(false)
  const id = useId()
  const fault = faultOf(first.value, isNew ? second.value : first.value)
  const take = (typed: typeof first, text: string) => {
    typed.value = text
    const isSound = faultOf(first.value, isNew ? second.value : first.value) === undefined
    onReady(isSound ? first.value : undefined)
  }
  const field = (typed: typeof first, name: string, word: string) => (
    <label class="labelled" for={`${id}-${name}`}>
      {word}
      <input
        id={`${id}-${name}`}
        class="input"
        {...(isSeen.value ? { type: 'text' as const } : { type: 'password' as const })}
        autocomplete={isNew ? 'new-password' : 'current-password'}
        spellcheck={false}
        aria-describedby={`${id}-fault`}
        value={typed.value}
        onInput={(event) => take(typed, event.currentTarget.value)}
      />
    </label>
  )
  return (
    <div class="fields-form">
      {field(first, 'first', label)}
      {isNew && field(second, 'second', 'Repeat passphrase')}
      <Check of={isSeen}>Show passphrase</Check>
      <p id={`${id}-fault`} class="form-error" role="status">
        {fault}
      </p>
    </div>
  )
}

/** The fault to fix; undefined when there is no fault, empty while something is missing. */
function faultOf(first: string, second: string): string | undefined {
  if (first === '') return ''
  if (first.length < leastLength) return `At least ${leastLength} characters`
  if (second === '') return ''
  return first === second ? undefined : 'The passphrases differ'
}
