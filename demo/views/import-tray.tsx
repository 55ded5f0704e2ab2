// The files that were dropped or picked: how far each is, what came of it, and for a refused one why and where.
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Icon } from '../parts/icon.tsx'
import { go } from '../state/address.ts'
import { cancelImport, clearImports, type FileImport, imports, importShare } from '../state/import.ts'
import { countOf, sizeWord } from '../wording/size-word.ts'

export function ImportTray() {
  const files = imports.value
  if (files.length === 0) return null
  const isBusy = files.some(({ state }) => state.step === 'waiting' || state.step === 'importing')
  return (
    <section class="tray import-tray" aria-label="Imports">
      <header class="tray-head">
        <h2>{isBusy ? 'Importing' : 'Imported'}</h2>
        <span class="faint">{countOf(files.length, 'file')}</span>
        <span class="spacer" />
        {!isBusy && (
          <button type="button" class="icon-button" onClick={clearImports} title="Close">
            <Icon name="close" />
            <span class="hidden">Close the list of imports</span>
          </button>
        )}
      </header>
      <ul class="tray-list">
        {files.map((file) => (
          <FileLine key={file.number} file={file} />
        ))}
      </ul>
    </section>
  )
}

function FileLine({ file: { number, name, sizeBytes, state } }: { file: FileImport }) {
  return (
    <li class="file-line">
      <div class="file-head">
        <span class="file-name" title={name}>
          {name}
        </span>
        <span class="faint">{sizeWord(sizeBytes)}</span>
        <span class="spacer" />
        {(state.step === 'waiting' || state.step === 'importing') && (
          <button type="button" class="button small" onClick={() => cancelImport(number)}>
            Cancel
          </button>
        )}
        {state.step === 'done' && (
          <button type="button" class="link" onClick={() => show(state.session)}>
            Show
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
      {state.step === 'waiting' && <p class="faint">waiting</p>}
      {state.step === 'cancelled' && <p class="faint">Cancelled. Nothing of this file was imported.</p>}
      {state.step === 'done' && <p class="quiet">{doneWords(state.imported, state.skipped)}</p>}
      {state.step === 'failed' && <ErrorNotice title="Not imported." error={state.error} />}
    </li>
  )
}

function show(session: string): void {
  go({ view: 'traces', search: '', chips: [{ field: 'session', value: session }], id: undefined })
}

function doneWords(imported: number, skipped: number): string {
  if (imported === 0) return `Already here: ${countOf(skipped, 'trace')} from an earlier import of this file.`
  return skipped === 0
    ? `${countOf(imported, 'trace')} imported.`
    : `${countOf(imported, 'trace')} imported, ${skipped} were here already.`
}
