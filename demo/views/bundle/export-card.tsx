// Exporting: kinds, a range of days, a passphrase, a signature; tokens only after a second tick.
import { Check, TextField } from '../../parts/field/form-field.tsx'
import { type Signal, useSignal } from '@preact/signals'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/inline.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import { offeredKinds } from '../../kind/bundle-kind.ts'
import {
  cancelExport,
  exportBundle,
  type ExportChoice,
  exporting,
  faultOf,
} from '../../state/bundle/bundle-export.ts'
import { status } from '../../state/status.ts'
import { sealState } from '../../state/trust/seal.ts'
import { capital, countOf, countWord, kindsWord, sizeWord } from '../../wording/text-word.ts'

/** The fields of the form, and the choice that they make. */
function useChoice(kinds: readonly string[]) {
  const omitted = useSignal<readonly string[]>([])
  const from = useSignal('')
  const to = useSignal('')
  const passphrase = useSignal('')
  const isSigned = useSignal(false)
  const hasTokens = useSignal(false)
  const isSure = useSignal(false)
  const isClear = useSignal(false)
  const sensitive = sealState.value?.sealed ?? 0
  const choice: ExportChoice = {
    // All: also those of a record that is stored meanwhile.
    kinds: omitted.value.length === 0 ? undefined : kinds.filter((kind) => !omitted.value.includes(kind)),
    from: from.value,
    to: to.value,
    passphrase: passphrase.value,
    isSigned: isSigned.value,
    hasTokens: hasTokens.value && isSure.value,
    sensitive: sensitive === 0 ? undefined : passphrase.value !== '' || isClear.value,
  }
  const isReady = faultOf(choice) === undefined && (!hasTokens.value || isSure.value)
  return { omitted, from, to, passphrase, isSigned, hasTokens, isSure, isClear, sensitive, choice, isReady }
}

export function ExportCard() {
  const kinds = offeredKinds(Object.keys(status.value?.records ?? {}))
  return (
    <section class="card" aria-labelledby="export-title">
      <h2 id="export-title">Export</h2>
      {kinds.length === 0 ? (
        <p class="quiet">Nothing to export yet. Records stored in this book can be exported here.</p>
      ) : (
        <ExportForm kinds={kinds} />
      )}
    </section>
  )
}

function ExportForm({ kinds }: { kinds: readonly string[] }) {
  const form = useChoice(kinds)
  const { omitted, passphrase, hasTokens, isSure, choice } = form
  const fault = faultOf(choice)
  return (
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
            <Check
              key={kind}
              value={!omitted.value.includes(kind)}
              onValue={(isIn) => {
                const others = omitted.value.filter((one) => one !== kind)
                omitted.value = isIn ? others : [...others, kind]
              }}
            >
              {capital(kindNamed(kind)?.many ?? kindsWord(kind))}
              <span class="faint">{countWord(status.value?.records[kind] ?? 0)}</span>
            </Check>
          ))}
        </div>
        <p class="faint">
          Access keys, policies, access requests, receipts, backups and signing keys are valid in this book
          only and stay here.
        </p>
      </fieldset>
      <div class="field-row">
        <TextField label="From" of={form.from} type="date" />
        <TextField label="To, included" of={form.to} type="date" />
        <TextField
          label="Encrypt with passphrase (optional)"
          of={passphrase}
          type="password"
          autocomplete="new-password"
          placeholder="none"
        />
      </div>
      <Check of={form.isSigned}>
        Sign it with this book’s key, so that others can verify where it comes from
      </Check>
      <Check
        value={hasTokens.value}
        onValue={(isOn) => {
          hasTokens.value = isOn
          isSure.value = false
        }}
      >
        Include control tokens
      </Check>
      {hasTokens.value && (
        <div class="notice warn">
          <Icon name="alert" />
          <div class="notice-text">
            <p class="notice-title">Tokens grant access.</p>
            <p>
              Anyone who opens the file can see which agents have access to this book
              {passphrase.value === '' && ', and without a passphrase anyone can open it'}.
            </p>
            <Check of={isSure}>Include tokens</Check>
          </div>
        </div>
      )}
      {form.sensitive > 0 && passphrase.value === '' && (
        <SensitiveChoice count={form.sensitive} isClear={form.isClear} />
      )}
      {fault !== undefined && <p class="form-error">{fault}</p>}
      <Progress isReady={form.isReady} />
    </form>
  )
}

/** The choice for sensitive records in a file without a passphrase. */
function SensitiveChoice({ count, isClear }: { count: number; isClear: Signal<boolean> }) {
  return (
    <div class="notice warn">
      <Icon name="lock" />
      <div class="notice-text">
        <p class="notice-title">
          {countOf(count, 'sensitive record')} {isClear.value ? 'included unencrypted' : 'left out'}
        </p>
        <p>Set a passphrase to include {count === 1 ? 'it' : 'them'} encrypted.</p>
        <Check of={isClear}>
          Include unencrypted: anyone with the file can read {count === 1 ? 'it' : 'them'}
        </Check>
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
