// The view of bundles: export, and import. A bundle is verified and tried; a person sees the effect before it applies.
import { Page } from '../shell/page.tsx'
import { PlainTable } from '../../parts/table.tsx'
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { Check, TextField } from '../../parts/field/form-field.tsx'
import { ExportCard } from './export-card.tsx'
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { DaybookError } from '../../../src/index.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { FilePicker } from '../../parts/field/file-picker.tsx'
import { Icon, Time } from '../../parts/inline.tsx'
import {
  applyBundle,
  bundleShare,
  changeChoice,
  closeBundle,
  type ImportChoice,
  type OpenBundle,
  openBundle,
  type Trial,
  trialWords,
  type Verified,
} from '../../state/bundle/bundle-import.ts'
import { importFiles } from '../../state/bundle/import.ts'
import { capital, countOf, countWord, kindsWord, sizeWord } from '../../wording/text-word.ts'
import { ShortId } from '../../parts/copy-button.tsx'
import { Mark } from '../../parts/mark.tsx'
import { kindNamed } from '../../kind/kind-table.ts'

export function BundleView() {
  return (
    <Page title="Bundles">
      <p class="quiet">
        A bundle is a single file with the contents of this book and a checksum. It stays on this device
        unless you share it.
      </p>
      <ExportCard />
      <ImportCard />
    </Page>
  )
}

function ImportCard() {
  const now = openBundle.value
  const id = useId()
  return (
    <section class="card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Import or verify</h2>
      {now ? (
        <OpenedBundle open={now} />
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

function OpenedBundle({ open: { file, choice, at } }: { open: OpenBundle }) {
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
  const submit = (event: Event) => {
    event.preventDefault()
    void changeChoice({ passphrase: passphrase.value })
  }
  return (
    <form class="field-row" onSubmit={submit}>
      <TextField label="The bundle is encrypted. Its passphrase" of={passphrase} type="password" />
      <button type="submit" class="button primary" disabled={passphrase.value === ''}>
        Open
      </button>
      {error && <p class="form-error">{error.message}</p>}
    </form>
  )
}

interface BundleTrialProps {
  readonly verified: Verified
  readonly trial: Trial
  readonly choice: ImportChoice
}

/** A verified bundle: its origin, its contents, the effect of the import, and the button that applies it. */
function BundleTrial({ verified, trial, choice }: BundleTrialProps) {
  const isSure = useSignal(false)
  const isReplacing = choice.mode === 'replace'
  const asksFirst = isReplacing && trial.forgotten > 0
  return (
    <>
      <Proof verified={verified} />
      <Contents counts={verified.counts} choice={choice} />
      <fieldset class="fields-form">
        <legend>Mode</legend>
        <Check
          type="radio"
          name="bundle-mode"
          value={!isReplacing}
          onValue={() => void changeChoice({ mode: 'merge' })}
        >
          Merge: add to this book; where both have a record, the policy of its kind decides
        </Check>
        <Check
          type="radio"
          name="bundle-mode"
          value={isReplacing}
          onValue={() => void changeChoice({ mode: 'replace' })}
        >
          Replace these kinds with the bundle; delete the rest
        </Check>
      </fieldset>
      <div class="bundle-effect" role="status">
        <p>
          <b>Effect:</b> {trialWords(trial)}.
        </p>
        <Conflicts trial={trial} />
      </div>
      <Decisions lowered={trial.lowered ?? 0} isSigned={verified.signedBy !== undefined} choice={choice} />
      {asksFirst && (
        <Check of={isSure}>
          Yes, forget {countOf(trial.forgotten, 'record')} of this book. This cannot be undone.
        </Check>
      )}
      <div class="card-row">
        <button
          type="button"
          class={isReplacing ? 'button danger' : 'button primary'}
          disabled={asksFirst && !isSure.value}
          onClick={() => void applyBundle()}
        >
          {isReplacing ? 'Replace' : 'Import'}
        </button>
        <button type="button" class="button" onClick={closeBundle}>
          Cancel
        </button>
      </div>
    </>
  )
}

function Proof({ verified }: { verified: Verified }) {
  const { exportedAt: at, agent, checksum, signedBy: key, encrypted } = verified
  return (
    <>
      <p class="bundle-proof">
        <Mark mark="verified" /> Intact (checksum verified)
        {key === undefined ? '. It is not signed.' : '. Signature valid.'}
      </p>
      <FactList>
        <Fact name="Written">
          <Time at={at} /> by {agent.id}
        </Fact>
        <Fact name="Checksum">
          <ShortId id={checksum} of="checksum" />
        </Fact>
        <Fact name="Signed by">{key !== undefined && <ShortId id={key} of="key" />}</Fact>
        <Fact name="Encrypted">{encrypted ? 'yes' : 'no'}</Fact>
      </FactList>
    </>
  )
}

interface ContentsProps {
  readonly counts: Readonly<Record<string, number>>
  readonly choice: ImportChoice
}

/** The kinds of a bundle. At least one stays ticked. */
function Contents({ counts, choice }: ContentsProps) {
  const kinds = Object.keys(counts).filter((kind) => (counts[kind] ?? 0) > 0)
  const isIn = (kind: string) => !choice.kinds || choice.kinds.includes(kind)
  const toggle = (kind: string) => {
    const next = kinds.filter((one) => (one === kind ? !isIn(one) : isIn(one)))
    if (next.length > 0) void changeChoice({ kinds: next.length === kinds.length ? undefined : next })
  }
  return (
    <fieldset class="fields-form">
      <legend>Contents</legend>
      <div class="kind-grid">
        {kinds.map((kind) => (
          <Check key={kind} value={isIn(kind)} onValue={() => toggle(kind)}>
            {capital(kindNamed(kind)?.many ?? kindsWord(kind))}{' '}
            <span class="faint">{countWord(counts[kind] ?? 0)}</span>
          </Check>
        ))}
      </div>
    </fieldset>
  )
}

interface DecisionsProps {
  readonly lowered: number
  readonly isSigned: boolean
  readonly choice: ImportChoice
}

/** Approvals of a bundle that this book did not sign: they wait here, unless the reader takes them over. */
function Decisions({ lowered, isSigned, choice: { keepsDecisions } }: DecisionsProps) {
  if (lowered === 0 && !keepsDecisions) return null
  return (
    <div class="notice warn">
      <Icon name="alert" />
      <div class="notice-text">
        <p class="notice-title">
          {keepsDecisions
            ? 'Approvals of the bundle count here.'
            : `${countOf(lowered, 'approved record')} will wait for your approval.`}
        </p>
        <p>
          {isSigned ? 'Another book signed this bundle.' : 'This bundle is not signed by this book.'} Anyone
          who wrote the file may have approved its memories and proposals.
        </p>
        <Check value={keepsDecisions} onValue={(isOn) => void changeChoice({ keepsDecisions: isOn })}>
          I made this bundle: take its approvals over
        </Check>
      </div>
    </div>
  )
}

const listed = 50

function Conflicts({ trial: { conflicts, conflictCount: total } }: { trial: Trial }) {
  if (total === 0) return null
  return (
    <details>
      <summary>{countOf(total, 'conflict')}: the same record with different content</summary>
      <PlainTable heads={['Record', 'Kind', 'Result']}>
        {conflicts.slice(0, listed).map(({ id, kind, policy, winner, forgotten }) => (
          <tr key={id}>
            <th scope="row">
              <ShortId id={id} />
            </th>
            <td>{kindNamed(kind)?.one ?? kind}</td>
            <td>
              {forgotten
                ? 'stays forgotten'
                : winner === 'book'
                  ? 'this book’s version'
                  : 'the bundle’s version'}{' '}
              <span class="faint">{policy}</span>
            </td>
          </tr>
        ))}
      </PlainTable>
      <p class="faint">The other version of each is kept under Sync and conflicts.</p>
    </details>
  )
}
