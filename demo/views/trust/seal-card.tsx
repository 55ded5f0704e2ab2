// The card of sensitive records: whether they can be read here, what guards their keys, and taking the keys elsewhere.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { FilePicker } from '../../parts/file-picker.tsx'
import { Icon } from '../../parts/icon.tsx'
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
import { countOf, countWord } from '../../wording/size-word.ts'
import { LockedRecords } from './locked-records.tsx'

const words = {
  off: 'This copy keeps no keys: sensitive records are passed on, and not read.',
  unused:
    'No record is sensitive yet. One that is stored with a sensitivity is encrypted before it is written.',
  locked: 'Locked. Sensitive records wait for the passphrase; all others are there.',
  open: 'Unlocked. Sensitive records are encrypted on this device and on the way, and read here.',
} as const

const leastLength = 8

export function SealCard() {
  const now = sealState.value
  const passphrase = useSignal('')
  const id = useId()
  if (!now) return null
  const isShort = passphrase.value.length < leastLength
  const withPassphrase = (work: (given: string) => Promise<boolean>) => async () => {
    if (await work(passphrase.value)) passphrase.value = ''
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (!isShort) void withPassphrase(now.state === 'locked' ? unlock : guard)()
  }
  return (
    <section class="card" aria-label="Sensitive records">
      <h2>Sensitive records</h2>
      <p>{words[now.state]}</p>
      <dl class="facts">
        <div>
          <dt>Sealed</dt>
          <dd>{countWord(now.sealed)}</dd>
        </div>
        {now.unreadable > 0 && (
          <div>
            <dt>Can’t be read here</dt>
            <dd>{countWord(now.unreadable)}</dd>
          </div>
        )}
        {now.guard && (
          <div>
            <dt>Keys guarded by</dt>
            <dd>{now.guard === 'device' ? 'a key of this browser' : 'a passphrase'}</dd>
          </div>
        )}
        {now.toReseal > 0 && (
          <div>
            <dt>Still under an older key</dt>
            <dd>{countOf(now.toReseal, 'text')}</dd>
          </div>
        )}
      </dl>
      {now.state !== 'off' && (
        <form class="fields-form" onSubmit={submit}>
          <label class="labelled" for={id}>
            Passphrase, of at least {leastLength} characters
            <input
              id={id}
              class="input"
              type="password"
              autocomplete="off"
              value={passphrase.value}
              onInput={(event) => (passphrase.value = event.currentTarget.value)}
            />
          </label>
          <div class="card-row">
            <button type="submit" class="button primary" disabled={isShort}>
              <Icon name="lock" size={14} />
              {now.state === 'locked' ? 'Unlock' : 'Guard the keys with it'}
            </button>
            {now.state === 'open' && now.guard === 'passphrase' && (
              <button type="button" class="button" onClick={() => void lock()}>
                Lock now
              </button>
            )}
            {now.state !== 'locked' && (
              <button
                type="button"
                class="button"
                disabled={isShort}
                onClick={() => void withPassphrase(exportKeys)()}
              >
                Take the keys to another device
              </button>
            )}
            {now.state !== 'locked' && !isShort && (
              <FilePicker
                onFiles={([file]) => void (file && withPassphrase((given) => importKeys(file, given))())}
              >
                Add keys from a file
              </FilePicker>
            )}
            {now.state === 'open' && (
              <button type="button" class="button" onClick={() => void rotate()}>
                Make a new key
              </button>
            )}
          </div>
          <p class="faint">
            Without its keys a sealed record is lost for good. A file of keys opens with the passphrase that
            was given when it was written.
          </p>
        </form>
      )}
      {sealError.value !== undefined && (
        <ErrorNotice title="The keys are as they were." error={sealError.value} />
      )}
      <LockedRecords />
    </section>
  )
}
