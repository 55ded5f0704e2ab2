// The charts of a book: what fails, how long it takes, what it costs, how the book grows, how often it is asked.
// Each of them opens the records that it is of.
import { useMemo } from 'preact/hooks'
import { FilterChoice } from '../../parts/field/filter-choice.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { TimeChart } from '../../parts/chart/time-chart.tsx'
import { chartSpans } from '../../kind/view-field.ts'
import { chipOf, narrow } from '../../state/address.ts'
import { growth, loadDays, recallsByDay } from '../../state/chart/by-day.ts'
import { openDay, openRecallsOf } from '../../state/chart/open-day.ts'
import { chartFailure, loadTraces, sampled } from '../../state/chart/traces.ts'
import { countOf, countWord } from '../../wording/text-word.ts'
import { FailureChart } from './failure-chart.tsx'
import { TraceCharts } from './trace-charts.tsx'

const reload = () => {
  void loadTraces()
  void loadDays()
}

export function ChartView() {
  const traces = sampled.value
  return (
    <div class="page-scroll">
      <div class="page chart-page">
        <h1>Charts</h1>
        <Span />
        {chartFailure.value !== undefined && (
          <ErrorNotice title="The charts could not be loaded." error={chartFailure.value} retry={reload} />
        )}
        <p class="faint" role="status">
          {traces ? basisWords() : 'Reading traces …'}
        </p>
        {isEmpty() ? (
          <EmptyNote title="Nothing to draw yet">
            <p>
              This is where failures, durations, tokens and cost of traces appear, how the book grows, and how
              often it is queried.
            </p>
          </EmptyNote>
        ) : (
          <>
            {traces && <FailureChart samples={traces.samples} isReading={traces.isReading} />}
            {traces && <TraceCharts samples={traces.samples} isReading={traces.isReading} />}
            <GrowthChart />
            <RecallChart />
          </>
        )}
      </div>
    </div>
  )
}

const isEmpty = () =>
  sampled.value?.samples.length === 0 &&
  growth.value?.slots.length === 0 &&
  (recallsByDay.value?.count ?? []).every((count) => count === 0)

/** Which traces the charts are of. */
function basisWords(): string {
  const { samples, isReading, hasOlder } = sampled.value ?? { samples: [], isReading: true, hasOlder: true }
  const count = countOf(samples.length, 'trace')
  if (isReading) return `${count} read so far …`
  return hasOlder
    ? `Of the newest ${countWord(samples.length)} traces; older ones are left out.`
    : `Of ${count}.`
}

function Span() {
  return (
    <div class="field-row" role="search" aria-label="Choose the time">
      <FilterChoice
        label="Time"
        all="All time"
        words={chartSpans}
        value={chipOf('span')}
        onChoose={(span) => narrow({ span })}
      />
      <button type="button" class="button" onClick={reload}>
        Refresh
      </button>
    </div>
  )
}

function GrowthChart() {
  const grown = growth.value
  const series = useMemo(
    () => [{ name: 'Records', values: grown?.total ?? [], look: 'line' as const }],
    [grown],
  )
  if (!grown || grown.slots.length === 0) return null
  return (
    <TimeChart
      title="Growth of the book"
      note="Records of all types at the end of each day."
      slots={grown.slots}
      series={series}
      words={countWord}
      opens="what there is most of from these days"
      onPick={(slot) => openDay(grown.mostOf[slot] ?? 'trace', grown.slots[slot])}
    />
  )
}

function RecallChart() {
  const recalled = recallsByDay.value
  const series = useMemo(
    () => [{ name: 'Recalls', values: recalled?.count ?? [], look: 'bars' as const }],
    [recalled],
  )
  if (!recalled || recalled.count.every((count) => count === 0)) return null
  return (
    <TimeChart
      title="Recalls a day"
      note="Recalls and contexts on this device, kept for seven days."
      slots={recalled.slots}
      series={series}
      words={countWord}
      opens="the activity of this day"
      onPick={(slot) => openRecallsOf(recalled.slots[slot])}
    />
  )
}
