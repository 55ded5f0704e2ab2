// The list of runs: what each was for, whose it is, how it ended, how long it took and when.
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Time } from '../../parts/time.tsx'
import { FilterChoice } from '../../parts/field/filter-choice.tsx'
import { FilterInput } from '../../parts/field/filter-input.tsx'
import { choiceWords } from '../../kind/filter-field.ts'
import { runFields } from '../../kind/view-field.ts'
import { chipOf, narrow } from '../../state/address.ts'
import {
  loadMoreRuns,
  loadRuns,
  orderRuns,
  type Run,
  type RunColumn,
  runOrder,
  runPage,
  runsFailure,
} from '../../state/run/runs.ts'
import { openRun } from '../../state/run/transcript.ts'
import { hasColumn, listSettings } from '../../state/list/list-setting.ts'
import { longDuration } from '../../wording/run-word.ts'
import { countOf, countWord } from '../../wording/text-word.ts'
import { ListMenu } from '../record/list-menu.tsx'
import { RunOutcome } from './run-outcome.tsx'

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

export function RunList() {
  const page = runPage.value
  return (
    <div class="page-scroll">
      <div class="page run-page">
        <h1>Runs</h1>
        {(page?.total !== 0 || isNarrowed()) && <Filters />}
        {runsFailure.value !== undefined && (
          <ErrorNotice
            title="The runs could not be read."
            error={runsFailure.value}
            retry={() => void loadRuns()}
          />
        )}
        {page && page.sealed > 0 && (
          <p class="notice" role="note">
            {countOf(page.sealed, 'record')} locked and not counted here: unlock the keys of this book in
            Storage.
          </p>
        )}
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
      </div>
    </div>
  )
}

const isNarrowed = () => chipOf('outcome') !== undefined || chipOf('agent') !== undefined

function Filters() {
  const outcome = runFields.runs?.['outcome']
  return (
    <div class="field-row" role="search" aria-label="Filter the runs">
      <FilterChoice
        label="Outcome"
        all="All runs"
        words={choiceWords(outcome)}
        value={chipOf('outcome')}
        onChoose={(value) => narrow({ outcome: value })}
      />
      <label class="labelled">
        Agent
        <FilterInput placeholder="exact name" value={chipOf('agent')} onDone={(agent) => narrow({ agent })} />
      </label>
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
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Runs">
      <table class={listSettings.value.isCompact ? 'log-table run-table is-compact' : 'log-table run-table'}>
        <thead>
          <tr>
            <th scope="col">Run</th>
            {has('outcome') && <th scope="col">Outcome</th>}
            {has('failed') && <Head column="failed">Failed</Head>}
            {has('steps') && <Head column="steps">Steps</Head>}
            {has('messages') && <Head column="messages">Messages</Head>}
            {has('duration') && <Head column="duration">Duration</Head>}
            {has('endedAt') && <Head column="endedAt">Last step</Head>}
            {has('agent') && <th scope="col">Agent</th>}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <Row key={run.session} run={run} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ run }: { run: Run }) {
  return (
    <tr>
      <th scope="row" class="run-name">
        <button type="button" class="link" dir="auto" onClick={() => openRun(run.session)}>
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
