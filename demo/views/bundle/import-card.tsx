// Importing a bundle: verified and tried when it is chosen, applied when the reader has seen what would happen.
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { DaybookError } from '../../../src/index.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { FilePicker } from '../../parts/field/file-picker.tsx'
import { Icon } from '../../parts/icon.tsx'
import {
  bundleShare,
  changeChoice,
  closeBundle,
  type OpenBundle,
  openBundle,
} from '../../state/bundle/bundle-import.ts'
import { importFiles } from '../../state/bundle/import.ts'
import { sizeWord } from '../../wording/text-word.ts'
import { BundleTrial } from './bundle-trial.tsx'

export function ImportCard() {
  const now = openBundle.value
  const id = useId()
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Import or verify</h2>
      {now ? (
        <OnTable open={now} />
      ) : (
        <div class="drop-place">
          <p>Drop a bundle anywhere on this page, or choose one.</p>
          <FilePicker onFiles={importFiles} class="button primary">
            Choose a bundle
          </FilePicker>
          <p class="faint">Nothing is imported until you confirm.</p>
        </div>
      )}
    </section>
  )
}

function OnTable({ open: { file, choice, at } }: { open: OpenBundle }) {
  return (
    <>
      <p class="card-lead">
        <Icon name="bundles" />
        <span class="file-name">{file.name}</span> <span class="faint">{sizeWord(file.size)}</span>
      </p>
      {(at.step === 'verifying' || at.step === 'applying') && (
        <div class="card-row" role="status">
          <progress
            class="progress"
            aria-label={at.step === 'verifying' ? 'Verifying' : 'Importing'}
            max={1}
            value={bundleShare.value || undefined}
          />
          <span class="quiet">{at.step === 'verifying' ? 'Verifying…' : 'Importing…'}</span>
        </div>
      )}
      {at.step === 'sealed' && <Unseal error={at.error} />}
      {at.step === 'refused' && <ErrorNotice title="Nothing of this bundle was imported." error={at.error} />}
      {at.step === 'tried' && <BundleTrial verified={at.verified} trial={at.trial} choice={choice} />}
      {(at.step === 'sealed' || at.step === 'refused' || at.step === 'verifying') && (
        <div class="card-row">
          <button type="button" class="button" onClick={closeBundle}>
            Cancel
          </button>
        </div>
      )}
    </>
  )
}

function Unseal({ error }: { error: DaybookError | undefined }) {
  const passphrase = useSignal('')
  const id = useId()
  const submit = (event: Event) => {
    event.preventDefault()
    void changeChoice({ passphrase: passphrase.value })
  }
  return (
    <form class="field-row" onSubmit={submit}>
      <label class="labelled" for={id}>
        It is encrypted. Its passphrase
        <input
          id={id}
          class="input"
          type="password"
          autocomplete="off"
          value={passphrase.value}
          onInput={(event) => (passphrase.value = event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary" disabled={passphrase.value === ''}>
        Open
      </button>
      {error && <p class="form-error">{error.message}</p>}
    </form>
  )
}
