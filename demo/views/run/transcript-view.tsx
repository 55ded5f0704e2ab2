// A run from its first step to its last, with a bar for the time of each, beside the open step.
import { Fact, FactList } from '../../parts/fact-list.tsx'
import { useLayoutEffect } from 'preact/hooks'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Icon, KeyCap, Time } from '../../parts/inline.tsx'
import type { Trace } from '../../../src/index.ts'
import { address, go } from '../../state/address.ts'
import {
  closeRun,
  type Entry,
  loadMoreEntries,
  loadTranscript,
  openSession,
  type Run,
  showStep,
  type Transcript,
  transcript,
  transcriptFailure,
} from '../../state/run.ts'
import {
  barsOf,
  type Branch,
  branchesOf,
  costWord,
  importedNote,
  longDuration,
  type RunBar,
  type RunOutcome as Outcome,
  stepCost,
  stepTokens,
} from '../../wording/run-word.ts'
import { countOf, countWord, oneLine } from '../../wording/text-word.ts'
import { RecordDetailView } from '../record/record-detail-view.tsx'
import { Mark } from '../../parts/mark.tsx'
import { type Message, messageKind, speakerOf } from '../../kind/message-kind.ts'
import { outcomeOf, traceKind } from '../../kind/trace-kind.ts'
import { focusDetail } from '../../state/act/focus.ts'
import { useSignal } from '@preact/signals'

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
          <ErrorNotice
            title="The run could not be read."
            error={transcriptFailure.value}
            retry={loadTranscript}
          />
          {now ? <OpenRun now={now} /> : <h2>{openSession.value}</h2>}
        </div>
      </section>
      {isOpen && <RecordDetailView />}
    </div>
  )
}

/** Its name in one line, or else its session. */
function nameOf(now: Transcript | undefined): string {
  return oneLine(now?.run?.name ?? '', 160) || (openSession.value ?? '')
}

function OpenRun({ now }: { now: Transcript }) {
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
  const values = entries.flatMap((one) => (one.kind === 'trace' ? (of(one) ?? []) : []))
  return values.length === 0 ? undefined : values.reduce((sum, one) => sum + one, 0)
}

function Figures({ run, entries, isWhole }: { run: Run; entries: readonly Entry[]; isWhole: boolean }) {
  const tokens = sumOf(entries, stepTokens)
  const cost = sumOf(entries, stepCost)
  const soFar = isWhole ? '' : ' so far'
  return (
    <FactList look="run-figures">
      <Fact name="Outcome">
        <RunOutcome outcome={run.outcome} />
      </Fact>
      <Fact name="Steps">
        {countWord(run.steps)}
        {run.failed > 0 && <span class="faint"> ({countWord(run.failed)} failed)</span>}
      </Fact>
      {run.messages > 0 && <Fact name="Messages">{countWord(run.messages)}</Fact>}
      <Fact name="Duration">{longDuration(run.durationMs)}</Fact>
      {tokens !== undefined && <Fact name={`Tokens${soFar}`}>{countWord(tokens)}</Fact>}
      {cost !== undefined && <Fact name={`Cost${soFar}`}>{costWord(cost)}</Fact>}
      <Fact name="Started">
        <Time at={run.startedAt} exact />
      </Fact>
      <Fact name="Agent">
        <bdi>{run.agent}</bdi>
      </Fact>
      <Fact name="Session">
        <bdi>{run.session}</bdi>
      </Fact>
    </FactList>
  )
}

/** The failure comes first, before the steps that led to it. */
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

interface StepEntryProps {
  readonly entry: Entry
  readonly number: number
  readonly bar: RunBar | undefined
  readonly branch: Branch | undefined
}

function StepEntry({ entry, number, bar, branch = { depth: 0, follows: undefined } }: StepEntryProps) {
  const isOpen = address.value.id === entry.id
  const isFailed = entry.kind === 'trace' && outcomeOf(entry as Trace) === 'failed'
  const open = () => {
    go({ id: entry.id })
    focusDetail()
  }
  return (
    <li
      class={`step depth-${branch.depth}${isOpen ? ' is-open' : ''}${isFailed ? ' is-failed' : ''}`}
      data-step={entry.id}
    >
      <div class="step-head">
        <span class="faint step-number">{countWord(number)}</span>
        <button
          type="button"
          class="step-title"
          dir="auto"
          aria-current={isOpen ? 'true' : undefined}
          onClick={open}
        >
          <Title entry={entry} />
        </button>
        <span class="faint step-time">
          <Time at={entry.timestamp} />
        </span>
      </div>
      {bar && entry.kind === 'trace' && <TimeBar bar={bar} isFailed={isFailed} />}
      {branch.follows !== undefined && (
        <p class="faint step-follows">follows step {countWord(branch.follows + 1)}</p>
      )}
      {entry.kind === 'trace' ? (
        <Done trace={entry as Trace} />
      ) : (
        <LineText text={(entry as Message).content} />
      )}
    </li>
  )
}

function Title({ entry }: { entry: Entry }) {
  if (entry.kind !== 'trace') {
    const message = entry as Message
    return (
      <>
        <Mark mark={messageKind.row(message).mark} /> {oneLine(speakerOf(message), 60)}
      </>
    )
  }
  const trace = entry as Trace
  const { mark, lead, rest } = traceKind.row(trace)
  return (
    <>
      <Mark mark={mark} word={mark !== 'succeeded'} /> <code>{lead}</code> {rest}
    </>
  )
}

/** The goal and the result; a failed step shows its result first. */
function Done({ trace }: { trace: Trace }) {
  const goal = <LineText text={trace.task.goal} />
  const text = resultText(trace)
  const result = text !== '' && (
    <div class="step-result">
      <LineText text={text} mono />
    </div>
  )
  return trace.result?.success === false ? (
    <>
      {result}
      {goal}
    </>
  ) : (
    <>
      {goal}
      {result}
    </>
  )
}

/** The only text of an outcome as it is; several fields as JSON. */
function resultText({ result }: Trace): string {
  const outcome = result?.outcome ?? {}
  const fields = Object.entries(outcome).filter(([, value]) => value !== '' && value !== null)
  const texts = fields.filter(([name]) => ['observation', 'output', 'error', 'text'].includes(name))
  const [only] = texts
  if (only && texts.length === 1 && typeof only[1] === 'string') return only[1].trimEnd()
  return fields.length === 0 ? '' : JSON.stringify(Object.fromEntries(fields), null, 2)
}

const width = 1000
const least = 4

function TimeBar({ bar, isFailed }: { bar: RunBar; isFailed: boolean }) {
  const length = Math.max(least, bar.length * width)
  const from = Math.max(0, Math.min(width - length, bar.from * width))
  const classes = `waterfall-bar${bar.isMeasured ? '' : ' is-hollow'}${isFailed ? ' is-failed' : ''}`
  return (
    <div class="waterfall">
      <svg viewBox={`0 0 ${width} 10`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <path class="waterfall-line" d={`M0 5h${width}`} />
        <rect class={classes} x={from} y="1" width={length} height="8" />
      </svg>
      <span class="faint">
        {bar.isMeasured ? '' : '≤ '}
        {longDuration(bar.ms)}
        {isFailed && ' ✕'}
        <span class="hidden">{bar.isMeasured ? ' measured' : ' since the previous entry'}</span>
      </span>
    </div>
  )
}

/** Text of many lines: the first forty, and the rest on a click. */
const shownLines = 40
const shownLength = 6000

function beginning(text: string): string {
  const lines = text.split('\n', shownLines + 1)
  const cut = lines.length > shownLines ? lines.slice(0, shownLines).join('\n') : text
  return cut.length > shownLength ? cut.slice(0, shownLength).toWellFormed() : cut
}

/** A click opens this many characters more: a million at once would stop the page. */
const pieceLength = 40_000

function lineCount(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

function LineText({ text, mono = false }: { text: string; mono?: boolean }) {
  const length = useSignal(0)
  const start = beginning(text)
  const isLong = start.length < text.length
  const end = Math.max(start.length, length.value)
  const isWhole = end >= text.length
  return (
    <div class={mono ? 'clamped mono' : 'clamped'}>
      <div class="clamped-text" dir="auto">
        {text.slice(0, end)}
      </div>
      {isLong && (
        <button type="button" class="link" onClick={() => (length.value = isWhole ? 0 : end + pieceLength)}>
          {isWhole ? 'Show less' : text.length - end > pieceLength ? 'Show more' : 'Show all'}
          {!isWhole && <span class="faint"> ({countOf(lineCount(text), 'line')})</span>}
        </button>
      )}
    </div>
  )
}

export function RunOutcome({ outcome }: { outcome: Outcome }) {
  if (outcome === 'none') return <span class="faint">Conversation</span>
  return <Mark mark={outcome} word />
}
