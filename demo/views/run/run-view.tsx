// The view of runs: the open run, or the list of all with purpose, agent, outcome, duration and time.
import { LogTable } from '../../parts/table.tsx'
import { LockedNote } from '../../parts/list-part.tsx'
import { Page } from '../shell/page.tsx'
import { FilterText } from '../../parts/field/filter-input.tsx'
import {
  loadMoreRuns,
  loadRuns,
  orderRuns,
  type Run,
  type RunColumn,
  runOrder,
  runPage,
  runsFailure,
} from '../../state/run/run-list.ts'
import { comparedSession, openRun, openSession } from '../../state/run/run-place.ts'
import { CompareView } from './compare-view.tsx'
import { RunOutcome } from './run-head.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/inline.tsx'
import { ChoiceField } from '../../parts/field/form-field.tsx'
import { choiceWords } from '../../kind/filter-field.ts'
import { runFields } from '../../kind/view-field.ts'
import { chipOf, narrow } from '../../state/address.ts'
import { hasColumn, listSettings } from '../../state/list/list-setting.ts'
import { longDuration } from '../../wording/run-word.ts'
import { countWord } from '../../wording/text-word.ts'
import { ListMenu } from '../record/list-menu.tsx'

export function RunView() {
  if (openSession.value === undefined) return <RunList />
  if (comparedSession.value !== undefined) return <CompareView />
  return <TranscriptView key={openSession.value} />
}

const runColumns = {
  outcome: 'Outcome',
  failed: 'Failed',
  steps: 'Steps',
  messages: 'Messages',
  duration: 'Duration',
  endedAt: 'Last step',
  agent: 'Agent',
} as const
const has = (column: keyof typeof runColumns) => hasColumn('runs', column)

function RunList() {
  const page = runPage.value
  return (
    <Page look="run-page" title="Runs">
      {(page?.total !== 0 || isNarrowed()) && <Filters />}
      <ErrorNotice title="The runs could not be read." error={runsFailure.value} retry={loadRuns} />
      {page && <LockedNote count={page.sealed} one="record" effect=" and not counted here" />}
      {page?.total === 0 && <Nothing />}
      {page && page.total > 0 && <Table runs={page.runs} />}
      {page && page.total > page.runs.length && (
        <p>
          <button type="button" class="button" onClick={() => void loadMoreRuns()}>
            Show more runs
          </button>{' '}
          <span class="faint">
            {countWord(page.runs.length)} of {countWord(page.total)}
          </span>
        </p>
      )}
    </Page>
  )
}

const isNarrowed = () => chipOf('outcome') !== undefined || chipOf('agent') !== undefined

function Filters() {
  const outcome = runFields.runs?.['outcome']
  return (
    <div class="field-row" role="search" aria-label="Filter the runs">
      <ChoiceField
        label="Outcome"
        all="All runs"
        words={choiceWords(outcome)}
        value={chipOf('outcome')}
        onChoose={(value) => narrow({ outcome: value })}
      />
      <FilterText
        label="Agent"
        placeholder="exact name"
        value={chipOf('agent')}
        onDone={(agent) => narrow({ agent })}
      />
      <ListMenu view="runs" fields={{}} columns={runColumns} />
    </div>
  )
}

function Nothing() {
  if (isNarrowed()) return <EmptyNote title="No run matches these filters." />
  return (
    <EmptyNote title="No runs yet">
      <p>
        This is where runs appear: the traces and messages that share a session. Store them with a{' '}
        <code>session</code>, open the book with one, or import a trajectory.
      </p>
    </EmptyNote>
  )
}

function Head({ column, children }: { column: RunColumn; children: string }) {
  const { column: now, isDown } = runOrder.value
  const isHere = now === column
  return (
    <th scope="col" aria-sort={isHere ? (isDown ? 'descending' : 'ascending') : undefined}>
      <button type="button" class="link run-sort" onClick={() => orderRuns(column)}>
        {children}
        {isHere && <span aria-hidden="true"> {isDown ? '↓' : '↑'}</span>}
      </button>
    </th>
  )
}

function Table({ runs }: { runs: readonly Run[] }) {
  const heads = [
    'Run',
    has('outcome') && 'Outcome',
    has('failed') && <Head column="failed">Failed</Head>,
    has('steps') && <Head column="steps">Steps</Head>,
    has('messages') && <Head column="messages">Messages</Head>,
    has('duration') && <Head column="duration">Duration</Head>,
    has('endedAt') && <Head column="endedAt">Last step</Head>,
    has('agent') && 'Agent',
  ]
  return (
    <LogTable
      label="Runs"
      look={listSettings.value.isCompact ? 'run-table is-compact' : 'run-table'}
      heads={heads}
    >
      {runs.map((run) => (
        <Row key={run.session} run={run} />
      ))}
    </LogTable>
  )
}

function Row({ run }: { run: Run }) {
  return (
    <tr>
      <th scope="row" class="run-name">
        <button type="button" class="link" dir="auto" onClick={() => openFailing(run)}>
          {run.name === '' ? run.session : run.name}
        </button>
        <span class="faint run-session" title={run.session}>
          <bdi>{run.session}</bdi>
        </span>
      </th>
      {has('outcome') && (
        <td>
          <RunOutcome outcome={run.outcome} />
        </td>
      )}
      {has('failed') && (
        <td class="run-number">
          <Failed run={run} />
        </td>
      )}
      {has('steps') && <td class="run-number">{countWord(run.steps)}</td>}
      {has('messages') && <td class="run-number">{countWord(run.messages)}</td>}
      {has('duration') && <td class="run-number">{longDuration(run.durationMs)}</td>}
      {has('endedAt') && (
        <td class="log-time">
          <Time at={run.endedAt} />
        </td>
      )}
      {has('agent') && (
        <td>
          <button type="button" class="link" onClick={() => narrow({ agent: run.agent })}>
            <bdi>{run.agent}</bdi>
          </button>
        </td>
      )}
    </tr>
  )
}

/** A failed run opens with its failing step, where the page has the space beside the rows. */
const openFailing = ({ session, outcome, failedStep }: Run) =>
  openRun(session, outcome === 'failed' && matchMedia('(min-width: 701px)').matches ? failedStep : undefined)

function Failed({ run }: { run: Run }) {
  if (run.failedStep === undefined) return <>0</>
  return (
    <button
      type="button"
      class="link run-failed"
      title="Open the last failed step"
      onClick={() => openRun(run.session, run.failedStep)}
    >
      {countWord(run.failed)}
      <span class="hidden"> failed, open the last</span>
    </button>
  )
}
