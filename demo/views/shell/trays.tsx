// The trays at the foot of the page: short notices, which the live region announces as well (app.tsx), and imported files
// with their progress, result or error.
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/inline.tsx'
import { actOnToast, dismissToast, toasts } from '../../page/toast.ts'
import { go } from '../../state/address.ts'
import { opening } from '../../state/book.ts'
import {
  cancelImport,
  clearImports,
  type FileImport,
  imports,
  importShare,
} from '../../state/bundle/import.ts'
import type { ImportView } from '../../kind/view.ts'
import { countOf, sizeWord } from '../../wording/text-word.ts'

export function ToastTray() {
  return (
    <>
      {toasts.value.map(({ number, text, act, error }) => (
        <div key={number} class="toast">
          {error === undefined ? <p>{text}</p> : <ErrorNotice title={text} error={error} />}
          {act && (
            <button type="button" class="button small" onClick={() => actOnToast(number)}>
              {act.word}
            </button>
          )}
          <button
            type="button"
            class="icon-button small"
            onClick={() => dismissToast(number)}
            title="Dismiss"
          >
            <Icon name="close" size={12} />
            <span class="hidden">Dismiss</span>
          </button>
        </div>
      ))}
    </>
  )
}

export function ImportTray() {
  const files = imports.value
  if (files.length === 0) return null
  const open = files.filter(({ state }) => state.step !== 'done')
  const done = files.filter(({ state }) => state.step === 'done')
  const isBusy = files.some(({ state }) => state.step === 'waiting' || state.step === 'importing')
  return (
    <section class="tray" aria-label="Imports">
      <header class="tray-head">
        <h2>{isBusy ? 'Importing' : 'Import'}</h2>
        <span class="quiet">{summary(files)}</span>
        <span class="spacer" />
        {!isBusy && (
          <button type="button" class="icon-button" onClick={clearImports} title="Close">
            <Icon name="close" />
            <span class="hidden">Close the list of imports</span>
          </button>
        )}
      </header>
      {open.length > 0 && (
        <ul class="tray-list">
          {open.map((file) => (
            <FileLine key={file.number} file={file} />
          ))}
        </ul>
      )}
      {done.length > 0 && (
        <details class="tray-done" open={done.length === 1}>
          <summary>{countOf(done.length, 'file')} imported</summary>
          <ul class="tray-list">
            {done.map((file) => (
              <FileLine key={file.number} file={file} />
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

function FileLine({ file: { number, name, sizeBytes, state } }: { file: FileImport }) {
  return (
    <li class="file-line">
      <div class="file-head">
        <span class="file-name" title={`${name}, ${sizeWord(sizeBytes)}`}>
          {name}
        </span>
        {state.step === 'done' && <span class="quiet">{doneWords(state.imported, state.skipped)}</span>}
        <span class="spacer" />
        {(state.step === 'waiting' || state.step === 'importing') && (
          <button type="button" class="button small" onClick={() => cancelImport(number)}>
            Cancel
          </button>
        )}
        {state.step === 'done' && state.session !== undefined && (
          <button type="button" class="link" onClick={() => show(state.view, state.session ?? '')}>
            Show<span class="hidden"> {name}</span>
          </button>
        )}
      </div>
      {state.step === 'importing' && (
        <progress
          class="progress"
          aria-label={`Importing ${name}`}
          max={1}
          value={importShare.value || undefined}
        />
      )}
      {state.step === 'waiting' && (
        <p class="faint">{opening.value.state === 'opening' ? 'waiting for the book to open' : 'waiting'}</p>
      )}
      {state.step === 'cancelled' && <p class="faint">Cancelled. Nothing of this file was imported.</p>}
      {state.step === 'failed' && <ErrorNotice title="Not imported." error={state.error} />}
    </li>
  )
}

function show(view: ImportView, session: string): void {
  go({ view, search: '', chips: [{ field: 'session', value: session }], id: undefined })
}

function summary(files: readonly FileImport[]): string {
  const done = files.flatMap(({ state }) => (state.step === 'done' ? [state.imported] : []))
  const failed = files.filter(({ state }) => state.step === 'failed').length
  const records = countOf(
    done.reduce((sum, imported) => sum + imported, 0),
    'record',
  )
  return failed === 0 ? records : `${records}, ${countOf(failed, 'file')} refused`
}

function doneWords(imported: number, skipped: number): string {
  if (imported === 0) return `${countOf(skipped, 'record')}, all here already`
  return skipped === 0
    ? countOf(imported, 'record')
    : `${countOf(imported, 'record')}, ${skipped} were here already`
}
