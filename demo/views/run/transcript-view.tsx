// A run from its first step to its last, with a bar for the time of each, beside the step that is open.
import { useLayoutEffect } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { KeyCap } from '../../parts/key-cap.tsx'
import { Time } from '../../parts/time.tsx'
import type { Trace } from '../../../src/index.ts'
import { address, go } from '../../state/address.ts'
import type { Run } from '../../state/run/runs.ts'
import {
  closeRun,
  type Entry,
  loadMoreEntries,
  loadTranscript,
  openSession,
  type Transcript,
  transcript,
  transcriptFailure,
  showStep,
} from '../../state/run/transcript.ts'
import {
  barsOf,
  branchesOf,
  costWord,
  importedNote,
  longDuration,
  stepCost,
  stepTokens,
} from '../../wording/run-word.ts'
import { countOf, countWord, oneLine } from '../../wording/text-word.ts'
import { RecordDetailView } from '../record/record-detail-view.tsx'
import { RunOutcome } from './run-outcome.tsx'
import { StepEntry } from './step-entry.tsx'

export function TranscriptView() {
  const now = transcript.value
  const isOpen = address.value.id !== undefined
  return (
    <div class={isOpen ? 'panes has-detail' : 'panes run-alone'}>
      {/* Stays where a narrow page has the open step alone. */}
      <h1 class="hidden">Run {nameOf(now)}</h1>
      <section class="pane list-pane" aria-label="Run">
        <div class="run-scroll">
          <p>
            <button type="button" class="link" onClick={closeRun}>
              <Icon name="back" size={12} /> All runs
            </button>
          </p>
          {transcriptFailure.value !== undefined && (
            <ErrorNotice
              title="The run could not be read."
              error={transcriptFailure.value}
              retry={() => void loadTranscript()}
            />
          )}
          {now ? <Told now={now} /> : <h2>{openSession.value}</h2>}
        </div>
      </section>
      {isOpen && <RecordDetailView />}
    </div>
  )
}

/** Its name in one line; its session where it has none. */
function nameOf(now: Transcript | undefined): string {
  return oneLine(now?.run?.name ?? '', 160) || (openSession.value ?? '')
}

function Told({ now }: { now: Transcript }) {
  const { run, entries, hasMore, session } = now
  const { id } = address.value
  useLayoutEffect(() => showStep(id), [id])
  if (!run || entries.length === 0) {
    return (
      <>
        <h2>{session}</h2>
        <EmptyNote title="This run is not in this book.">
          <p>Its records were deleted, or they were stored on another device and have not been synced yet.</p>
        </EmptyNote>
      </>
    )
  }
  const bars = barsOf(entries)
  const branches = branchesOf(entries)
  return (
    <>
      <h2 dir="auto">{nameOf(now)}</h2>
      <Figures run={run} entries={entries} isWhole={!hasMore} />
      <Failure run={run} entries={entries} />
      {importedNote(session) !== undefined && <p class="quiet">{importedNote(session)}</p>}
      <p class="faint keys-line">
        <KeyCap name="j" /> <KeyCap name="k" /> step to step · filled bar: measured duration · hollow bar:
        time since the previous entry
      </p>
      <ol class="transcript">
        {entries.map((entry, i) => (
          <StepEntry key={entry.id} entry={entry} number={i + 1} bar={bars[i]} branch={branches[i]} />
        ))}
      </ol>
      {hasMore && (
        <p>
          <button type="button" class="button" onClick={() => void loadMoreEntries()}>
            Show more steps
          </button>{' '}
          <span class="faint">
            {countWord(entries.length)} of {countWord(run.steps + run.messages)}
          </span>
        </p>
      )}
    </>
  )
}

function sumOf(entries: readonly Entry[], of: (trace: Trace) => number | undefined): number | undefined {
  const known = entries.flatMap((one) => (one.kind === 'trace' ? (of(one) ?? []) : []))
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0)
}

function Figures({ run, entries, isWhole }: { run: Run; entries: readonly Entry[]; isWhole: boolean }) {
  const tokens = sumOf(entries, stepTokens)
  const cost = sumOf(entries, stepCost)
  const soFar = isWhole ? '' : ' so far'
  return (
    <dl class="run-figures">
      <Figure name="Outcome">
        <RunOutcome outcome={run.outcome} />
      </Figure>
      <Figure name="Steps">
        {countWord(run.steps)}
        {run.failed > 0 && <span class="faint"> ({countWord(run.failed)} failed)</span>}
      </Figure>
      {run.messages > 0 && <Figure name="Messages">{countWord(run.messages)}</Figure>}
      <Figure name="Duration">{longDuration(run.durationMs)}</Figure>
      {tokens !== undefined && <Figure name={`Tokens${soFar}`}>{countWord(tokens)}</Figure>}
      {cost !== undefined && <Figure name={`Cost${soFar}`}>{costWord(cost)}</Figure>}
      <Figure name="Started">
        <Time at={run.startedAt} exact />
      </Figure>
      <Figure name="Agent">
        <bdi>{run.agent}</bdi>
      </Figure>
      <Figure name="Session">
        <bdi>{run.session}</bdi>
      </Figure>
    </dl>
  )
}

function Figure({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** What went wrong stands before everything that led to it. */
function Failure({ run, entries }: { run: Run; entries: readonly Entry[] }) {
  const { failedStep: id } = run
  if (id === undefined) return null
  const at = entries.findIndex((one) => one.id === id)
  const name = at < 0 ? 'the last failed step' : `step ${countWord(at + 1)}`
  return (
    <p class={run.outcome === 'failed' ? 'notice run-failure is-last' : 'notice run-failure'} role="note">
      {run.outcome === 'failed'
        ? 'The run ended with a failed step. '
        : `${countOf(run.failed, 'step')} failed. `}
      <button type="button" class="link" onClick={() => go({ id })}>
        Open {name}
      </button>
    </p>
  )
}
