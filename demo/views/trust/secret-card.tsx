// The card of secrets: which records hold keys, passwords or card numbers, and sealing those that hold them in clear.
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/inline.tsx'
import { ShortId } from '../../parts/copy-button.tsx'
import { openRecord } from '../../state/act/open-record.ts'
import {
  foundSince,
  scanError,
  scanForSecrets,
  scanStep,
  secretScan,
  stopScan,
} from '../../state/trust/seal.ts'
import { countOf, countWord, kindWord } from '../../wording/text-word.ts'

/** More records are only counted. */
const shown = 50

const outcomeWords = { sealed: 'encrypted', masked: 'masked', kept: 'in clear' } as const

export function SecretCard() {
  const step = scanStep.value
  return (
    <section class="card" aria-label="Secrets">
      <h2>Secrets</h2>
      <p>
        Before a record is stored, it is checked for API keys, private keys, passwords in URLs and card
        numbers. If one is found, the record is encrypted or the secret is masked.
      </p>
      <Since />
      <div class="card-row">
        <button
          type="button"
          class="button"
          disabled={step !== undefined}
          onClick={() => void scanForSecrets()}
        >
          <Icon name="search" size={14} />
          Scan this book
        </button>
        {step && (
          <button type="button" class="button" onClick={stopScan}>
            Stop
          </button>
        )}
        <span role="status">
          {step && `${countWord(step.done)} of ${countOf(step.total, 'record')} scanned`}
        </span>
      </div>
      <ErrorNotice title="The scan failed." error={scanError.value} />
      <Found />
    </section>
  )
}

/** Secrets that were found while this page was open. */
function Since() {
  const { sealed, masked, kept } = foundSince.value
  if (sealed + masked + kept === 0) return null
  return (
    <p class="quiet">
      Since this page was opened: {countOf(sealed, 'record')} encrypted, {countWord(masked)} masked
      {kept > 0 && `, ${countWord(kept)} stored in clear`}.
    </p>
  )
}

function Found() {
  const scan = secretScan.value
  if (!scan) return null
  const open = new Set(scan.found.filter(({ outcome }) => outcome === 'kept').map(({ id }) => id)).size
  if (scan.found.length === 0) {
    return (
      <p class="quiet">
        {countOf(scan.scanned, 'record')} scanned, no known secrets found
        {scan.locked > 0 && `; ${countOf(scan.locked, 'locked record')} could not be scanned`}.
      </p>
    )
  }
  return (
    <>
      <ul class="plain-list">
        {scan.secrets.map(({ rule, kind, path, outcome, count }) => (
          <li key={`${rule} ${kind} ${path} ${outcome}`}>
            {countWord(count)} × <b>{rule}</b> in <code>{path}</code> of {kindWord(kind)}:{' '}
            {outcomeWords[outcome]}
          </li>
        ))}
      </ul>
      {open > 0 && (
        <div class="card-row">
          <button type="button" class="button primary" onClick={() => void scanForSecrets(true)}>
            <Icon name="lock" size={14} />
            Encrypt {countOf(open, 'record')}
          </button>
          <p class="faint">
            Their earlier versions too. Anyone with the keys of this book can still read them.
          </p>
        </div>
      )}
      <h3>Where they are</h3>
      <ul class="plain-list">
        {scan.found.slice(0, shown).map(({ id, kind, version, outcome, secrets }) => (
          <li key={`${id} ${version ?? ''} ${outcome}`} class="card-row">
            <span>
              {kindWord(kind)} <ShortId id={id} />
              {version === undefined ? '' : `, version ${version}`}, {outcomeWords[outcome]}:{' '}
              {secrets.map(({ path }) => path).join(', ')}
            </span>
            <button type="button" class="button small" onClick={() => openRecord({ id, kind })}>
              Show
            </button>
          </li>
        ))}
      </ul>
      {scan.found.length > shown && (
        <p class="faint">And {countOf(scan.found.length - shown, 'more', 'more')}.</p>
      )}
    </>
  )
}
