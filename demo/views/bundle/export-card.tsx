// Exporting: which kinds, from when to when, sealed with a passphrase or signed, and tokens only after a second thought.
import { type Signal, useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import {
  cancelExport,
  type ExportChoice,
  exportBundle,
  exporting,
  faultOf,
} from '../../state/bundle/bundle-export.ts'
import { status } from '../../state/status.ts'
import { sealState } from '../../state/trust/seal.ts'
import { countOf, countWord, sizeWord, capital, kindsWord } from '../../wording/text-word.ts'

/** They come with the tick for tokens, or not at all. */
const guardedKinds = new Set(['token', 'key'])
/** The book's own, which no bundle takes. */
const ownKinds = new Set(['public_key'])
/** What opens doors is taken along only by whoever ticks it. */
const unticked: readonly string[] = ['access_key']

export function ExportCard() {
  const records = status.value?.records ?? {}
  const kinds = Object.keys(records).filter((kind) => !guardedKinds.has(kind) && !ownKinds.has(kind))
  const left = useSignal<readonly string[]>(unticked)
  const from = useSignal('')
  const to = useSignal('')
  const passphrase = useSignal('')
  const isSigned = useSignal(false)
  const hasTokens = useSignal(false)
  const isSure = useSignal(false)
  const isClear = useSignal(false)
  const sensitive = sealState.value?.sealed ?? 0
  const id = useId()
  const choice: ExportChoice = {
    kinds: kinds.filter((kind) => !left.value.includes(kind)),
    from: from.value,
    to: to.value,
    passphrase: passphrase.value,
    isSigned: isSigned.value,
    hasTokens: hasTokens.value && isSure.value,
    sensitive: sensitive === 0 ? undefined : passphrase.value !== '' || isClear.value,
  }
  const fault = faultOf(choice)
  const isReady = fault === undefined && (!hasTokens.value || isSure.value)
  const toggle = (kind: string) => {
    left.value = left.value.includes(kind) ? left.value.filter((one) => one !== kind) : [...left.value, kind]
  }
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Export</h2>
      {kinds.length === 0 ? (
        <p class="quiet">Nothing to export yet. Records stored in this book can be exported here.</p>
      ) : (
        <form
          class="fields-form"
          onSubmit={(event) => {
            event.preventDefault()
            void exportBundle(choice)
          }}
        >
          <fieldset>
            <legend>Kinds</legend>
            <div class="kind-grid">
              {kinds.map((kind) => (
                <label key={kind} class="check">
                  <input type="checkbox" checked={!left.value.includes(kind)} onChange={() => toggle(kind)} />
                  {capital(kindNamed(kind)?.many ?? kindsWord(kind))}
                  <span class="faint">{countWord(records[kind] ?? 0)}</span>
                </label>
              ))}
            </div>
          </fieldset>
          <div class="field-row">
            <label class="labelled" for={`${id}-from`}>
              From
              <input
                id={`${id}-from`}
                class="input"
                type="date"
                value={from.value}
                onInput={(event) => (from.value = event.currentTarget.value)}
              />
            </label>
            <label class="labelled" for={`${id}-to`}>
              To, included
              <input
                id={`${id}-to`}
                class="input"
                type="date"
                value={to.value}
                onInput={(event) => (to.value = event.currentTarget.value)}
              />
            </label>
            <label class="labelled" for={`${id}-passphrase`}>
              Encrypt with passphrase (optional)
              <input
                id={`${id}-passphrase`}
                class="input"
                type="password"
                autocomplete="new-password"
                placeholder="none"
                value={passphrase.value}
                onInput={(event) => (passphrase.value = event.currentTarget.value)}
              />
            </label>
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={isSigned.value}
              onChange={(event) => (isSigned.value = event.currentTarget.checked)}
            />
            Sign it with this book’s key, so that others can verify where it comes from
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={hasTokens.value}
              onChange={(event) => {
                hasTokens.value = event.currentTarget.checked
                isSure.value = false
              }}
            />
            Include control tokens
          </label>
          {hasTokens.value && (
            <div class="notice warn">
              <Icon name="alert" />
              <div class="notice-text">
                <p class="notice-title">Tokens grant access.</p>
                <p>
                  Anyone who opens the file can see which agents have access to this book
                  {passphrase.value === '' && ', and without a passphrase anyone can open it'}.
                </p>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={isSure.value}
                    onChange={(event) => (isSure.value = event.currentTarget.checked)}
                  />
                  Include tokens
                </label>
              </div>
            </div>
          )}
          {sensitive > 0 && passphrase.value === '' && (
            <SensitiveChoice count={sensitive} isClear={isClear} />
          )}
          {fault !== undefined && <p class="form-error">{fault}</p>}
          <Progress isReady={isReady} />
        </form>
      )}
    </section>
  )
}

/** What becomes of sensitive records in a file that anyone can open. */
function SensitiveChoice({ count, isClear }: { count: number; isClear: Signal<boolean> }) {
  return (
    <div class="notice warn">
      <Icon name="lock" />
      <div class="notice-text">
        <p class="notice-title">
          {countOf(count, 'sensitive record')} {isClear.value ? 'included unencrypted' : 'left out'}
        </p>
        <p>Set a passphrase to include {count === 1 ? 'it' : 'them'} encrypted.</p>
        <label class="check">
          <input
            type="checkbox"
            checked={isClear.value}
            onChange={(event) => (isClear.value = event.currentTarget.checked)}
          />
          Include unencrypted: anyone with the file can read {count === 1 ? 'it' : 'them'}
        </label>
      </div>
    </div>
  )
}

function Progress({ isReady }: { isReady: boolean }) {
  const now = exporting.value
  if (now.state === 'running') {
    return (
      <div class="card-row">
        <progress class="progress" aria-label="Exporting" max={1} value={now.share || undefined} />
        <span class="quiet">{sizeWord(now.writtenBytes)} written</span>
        <span class="spacer" />
        <button type="button" class="button" onClick={cancelExport}>
          Cancel
        </button>
      </div>
    )
  }
  return (
    <>
      {now.state === 'failed' && <ErrorNotice title="Not exported." error={now.error} />}
      <div class="card-row">
        <button type="submit" class="button primary" disabled={!isReady}>
          <Icon name="export" size={14} />
          Export
        </button>
        {now.state === 'done' && (
          <p class="quiet" role="status">
            {now.name} is in your downloads, {sizeWord(now.sizeBytes)}.
          </p>
        )}
      </div>
    </>
  )
}
