// A run as a picture: its figures, one row a step with a bar of its time, beside the open step.
import { useSignal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { LockedNote } from '../../parts/list-part.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon, KeyCap } from '../../parts/inline.tsx'
import { listElement, searchInput } from '../../state/act/focus.ts'
import { viewKeys } from '../../state/act/view-key.ts'
import { address, chipOf, go, narrow } from '../../state/address.ts'
import type { Run } from '../../state/run/run-list.ts'
import { closeRun, openSession } from '../../state/run/run-place.ts'
import {
  foldAll,
  isNarrowedRun,
  nextError,
  runByKey,
  runRows,
  showAllSteps,
} from '../../state/run/run-step.ts'
import {
  loadMoreEntries,
  loadTranscript,
  picture,
  transcript,
  transcriptFailure,
} from '../../state/run/transcript.ts'
import { countOf, countWord } from '../../wording/text-word.ts'
import { RecordDetailView } from '../record/record-detail-view.tsx'
import { RunFigures, ToolShares } from './run-head.tsx'
import { CompareDialog } from './compare-dialog.tsx'
import { RunRows } from './run-rows.tsx'
import { SaveDialog } from './save-dialog.tsx'

export function TranscriptView() {
  const name = picture.value?.name || openSession.value
  const isOpen = address.value.id !== undefined
  useEffect(() => {
    viewKeys.act = runByKey
    return () => (viewKeys.act = undefined)
  }, [])
  return (
    <div class={isOpen ? 'panes run-panes has-detail' : 'panes run-alone'}>
      {/* Stays where a narrow page has the open step alone. */}
      <h1 class="hidden">Run {name}</h1>
      <section class="pane list-pane run-pane" aria-label="Run">
        <header class="run-head">
          <p class="run-back">
            <button type="button" class="link" onClick={closeRun}>
              <Icon name="back" size={12} /> All runs
            </button>
          </p>
          <h2 dir="auto">{name}</h2>
        </header>
        <ErrorNotice
          title="The run could not be read."
          error={transcriptFailure.value}
          retry={loadTranscript}
        />
        {transcript.value ? <OpenRun /> : <div class="list-wait" aria-busy="true" />}
      </section>
      {isOpen && <RecordDetailView />}
    </div>
  )
}

function OpenRun() {
  const now = transcript.value
  const drawn = picture.value
  if (!now || !drawn) return null
  const { run, entries, hasMore, sealed } = now
  if (!run || (entries.length === 0 && !hasMore))
    return (
      <EmptyNote title="This run is not in this book.">
        <p>Its records were deleted, or they were stored on another device and have not been synced yet.</p>
      </EmptyNote>
    )
  const all = run.steps + run.messages
  const isWhole = !hasMore || entries.length >= all
  return (
    <>
      <div class="run-head">
        <RunFigures run={run} picture={drawn} isWhole={isWhole} />
        {!drawn.hasTimes && (
          <p class="faint">
            Imported from a file without times: steps have their order, not the time of day.
          </p>
        )}
        <LockedNote count={sealed} one="record" effect=" and not shown here" />
        <ToolShares picture={drawn} />
        <RunTools run={run} />
      </div>
      {runRows.value.length === 0 && isNarrowedRun.value ? (
        <EmptyNote title="No step matches.">
          <p>
            <button type="button" class="button" onClick={showAllSteps}>
              Show all steps
            </button>
          </p>
        </EmptyNote>
      ) : (
        <RunRows picture={drawn} isBusy={!isWhole} />
      )}
      {!isWhole && (
        <p class="run-more">
          <button type="button" class="button" onClick={() => void loadMoreEntries()}>
            Show more steps
          </button>{' '}
          <span class="faint">
            {countWord(entries.length)} of {countWord(all)}
          </span>
        </p>
      )}
    </>
  )
}

function RunTools({ run }: { run: Run }) {
  const isSaving = useSignal(false)
  const isChoosing = useSignal(false)
  const isFailed = chipOf('only') === 'failed'
  const tool = chipOf('tool')
  const hasBranches = picture.value?.rows.some(({ beneath }) => beneath > 0) === true
  return (
    <div class="run-tools">
      <RunSearch />
      <button
        type="button"
        class="button small"
        aria-pressed={isFailed}
        disabled={run.failed === 0 && !isFailed}
        onClick={() => narrow({ only: isFailed ? '' : 'failed' }, 'replace')}
      >
        Errors only
      </button>
      {run.failed > 0 && (
        <button type="button" class="button small" title="Next error (e)" onClick={() => nextError(1)}>
          Next error <KeyCap name="e" />
        </button>
      )}
      {hasBranches && !isNarrowedRun.value && (
        <>
          <button type="button" class="link" onClick={() => foldAll(false)}>
            Fold all
          </button>
          <button type="button" class="link" onClick={() => foldAll(true)}>
            Unfold all
          </button>
        </>
      )}
      <button type="button" class="button small" onClick={() => (isSaving.value = true)}>
        Save as HTML
      </button>
      <button type="button" class="button small" onClick={() => (isChoosing.value = true)}>
        Compare with…
      </button>
      {isChoosing.value && <CompareDialog onClose={() => (isChoosing.value = false)} />}
      {isSaving.value && <SaveDialog onClose={() => (isSaving.value = false)} />}
      {isNarrowedRun.value && (
        <>
          <span role="status">
            {countWord(runRows.value.length)} of {countOf(run.steps + run.messages, 'entry', 'entries')}
            {tool !== undefined && (
              <>
                {' '}
                by <code>{tool}</code>
              </>
            )}
          </span>
          <button type="button" class="link" onClick={showAllSteps}>
            Show all
          </button>
        </>
      )}
    </div>
  )
}

/** Between two keys: a search of a long run waits for the last one. */
const breathMs = 60

function RunSearch() {
  const id = useId()
  const { search } = address.value
  const text = useSignal(search)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useLayoutEffect(() => {
    if (timer.current === undefined) text.value = search
  }, [search])
  const type = (value: string) => {
    text.value = value
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      timer.current = undefined
      go({ search: value }, address.peek().search === '' ? 'push' : 'replace')
    }, breathMs)
  }
  return (
    <div class="search-box" role="search">
      <Icon name="search" />
      <label class="hidden" for={id}>
        Search this run
      </label>
      <input
        ref={searchInput}
        id={id}
        type="search"
        placeholder="Search this run"
        autocomplete="off"
        spellcheck={false}
        maxLength={2000}
        value={text.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && text.value !== '') type('')
          else if (event.key === 'Escape' || event.key === 'Enter' || event.key === 'ArrowDown')
            listElement.current?.focus()
          else return
          event.preventDefault()
        }}
      />
      <KeyCap name="/" />
    </div>
  )
}
