// A bundle that was verified and tried: who wrote it, what it holds, what would change, and the choice to apply it.
import { useSignal } from '@preact/signals'
import { ShortId } from '../../parts/short-id.tsx'
import { Time } from '../../parts/time.tsx'
import { Mark } from '../../parts/mark.tsx'
import { kindNamed } from '../../kind/kind-table.ts'
import {
  applyBundle,
  changeChoice,
  closeBundle,
  type ImportChoice,
  type Trial,
  trialWords,
  type Verified,
} from '../../state/bundle/bundle-import.ts'
import { countOf, countWord, capital, kindsWord } from '../../wording/text-word.ts'

interface BundleTrialProps {
  readonly verified: Verified
  readonly trial: Trial
  readonly choice: ImportChoice
}

export function BundleTrial({ verified, trial, choice }: BundleTrialProps) {
  const isSure = useSignal(false)
  const isReplacing = choice.mode === 'replace'
  const held = Object.entries(verified.counts).filter(([, count]) => count > 0)
  const isIn = (kind: string) => !choice.kinds || choice.kinds.includes(kind)
  const toggle = (kind: string) => {
    const kinds = held.map(([one]) => one).filter((one) => (one === kind ? !isIn(one) : isIn(one)))
    if (kinds.length > 0) void changeChoice({ kinds: kinds.length === held.length ? undefined : kinds })
  }
  return (
    <>
      <p class="bundle-proof">
        <Mark mark="verified" /> Intact (checksum verified)
        {verified.signedBy === undefined ? '. It is not signed.' : '. Signature valid.'}
      </p>
      <dl class="facts">
        <div>
          <dt>Written</dt>
          <dd>
            <Time at={verified.exportedAt} /> by {verified.agent.id}
          </dd>
        </div>
        <div>
          <dt>Checksum</dt>
          <dd>
            <ShortId id={verified.checksum} what="checksum" />
          </dd>
        </div>
        {verified.signedBy !== undefined && (
          <div>
            <dt>Signed by</dt>
            <dd>
              <ShortId id={verified.signedBy} what="key" />
            </dd>
          </div>
        )}
        <div>
          <dt>Encrypted</dt>
          <dd>{verified.encrypted ? 'yes' : 'no'}</dd>
        </div>
      </dl>
      <fieldset class="fields-form">
        <legend>Contents</legend>
        <div class="kind-grid">
          {held.map(([kind, count]) => (
            <label key={kind} class="check">
              <input type="checkbox" checked={isIn(kind)} onChange={() => toggle(kind)} />
              {capital(kindNamed(kind)?.many ?? kindsWord(kind))}{' '}
              <span class="faint">{countWord(count)}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <fieldset class="fields-form">
        <legend>Mode</legend>
        <label class="check">
          <input
            type="radio"
            name="bundle-mode"
            checked={!isReplacing}
            onChange={() => void changeChoice({ mode: 'merge' })}
          />
          Merge: add to this book; where both have a record, the policy of its kind decides
        </label>
        <label class="check">
          <input
            type="radio"
            name="bundle-mode"
            checked={isReplacing}
            onChange={() => void changeChoice({ mode: 'replace' })}
          />
          Replace these kinds with the bundle; delete the rest
        </label>
      </fieldset>
      <div class="bundle-effect" role="status">
        <p>
          <b>What would happen:</b> {trialWords(trial)}.
        </p>
        <Conflicts trial={trial} />
      </div>
      {isReplacing && trial.forgotten > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={isSure.value}
            onChange={(event) => (isSure.value = event.currentTarget.checked)}
          />
          Yes, forget {countOf(trial.forgotten, 'record')} of this book. That cannot be undone.
        </label>
      )}
      <div class="card-row">
        <button
          type="button"
          class={isReplacing ? 'button danger' : 'button primary'}
          disabled={isReplacing && trial.forgotten > 0 && !isSure.value}
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

const listed = 50

function Conflicts({ trial: { conflicts, conflictCount: total } }: { trial: Trial }) {
  if (total === 0) return null
  return (
    <details>
      <summary>{countOf(total, 'conflict')}: the same record with different content</summary>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Record</th>
            <th scope="col">Kind</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {conflicts.slice(0, listed).map(({ id, kind, policy, winner, forgotten }) => (
            <tr key={id}>
              <th scope="row">
                <ShortId id={id} />
              </th>
              <td>{kindNamed(kind)?.one ?? kind}</td>
              <td>
                {forgotten ? 'stays forgotten' : winner === 'book' ? 'what is here' : 'what the bundle says'}{' '}
                <span class="faint">{policy}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">The other version of each is kept under Sync and conflicts.</p>
    </details>
  )
}
