// The charts of a book: failures, durations, tokens, cost, growth, recalls. Each opens its records.
import { Page } from '../shell/page.tsx'
import { useMemo } from 'preact/hooks'
import { ChoiceField } from '../../parts/field/form-field.tsx'
import { EmptyNote } from '../../parts/empty-note.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { TimeChart } from '../../parts/chart/time-chart.tsx'
import { chartSpans } from '../../kind/view-field.ts'
import { chipOf, narrow } from '../../state/address.ts'
import {
  chartFailure,
  growth,
  loadDays,
  loadTraces,
  openDay,
  openFailures,
  openRecallsOf,
  recallsByDay,
  sampled,
} from '../../state/chart.ts'
import { countOf, countWord, shareWord } from '../../wording/text-word.ts'
import { Bar } from '../../parts/bar.tsx'
import {
  failuresByAction,
  figuresByTime,
  type TimeFigures,
  type TraceSample,
} from '../../kind/chart/trace-figure.ts'
import { costWord, longDuration } from '../../wording/run-word.ts'

const reload = () => {
  void loadTraces()
  void loadDays()
}

export function ChartView() {
  const traces = sampled.value
  return (
    <Page look="chart-page" title="Charts">
      <Span />
      <ErrorNotice title="The charts could not be loaded." error={chartFailure.value} retry={reload} />
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
    </Page>
  )
}

const isEmpty = () =>
  sampled.value?.samples.length === 0 &&
  growth.value?.slots.length === 0 &&
  (recallsByDay.value?.count ?? []).every((count) => count === 0)

/** The number of traces in the charts. */
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
      <ChoiceField
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
      opens="the most frequent kind of these days"
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

const shownActions = 12

interface SampleProps {
  readonly samples: readonly TraceSample[]
  readonly isReading: boolean
}

function FailureChart({ samples, isReading }: SampleProps) {
  const figures = failuresByAction(samples)
  if (samples.length === 0) return null
  return (
    <section class="time-chart" aria-label="Failures by action">
      <h2>Failures by action</h2>
      {figures.length === 0 && !isReading && <p class="faint">None of these traces failed.</p>}
      <ul class="failure-list">
        {figures.slice(0, shownActions).map(({ action, count, failed }) => (
          <li key={action}>
            <button
              type="button"
              class="failure-bar"
              title={`Opens the failed traces of ${action}`}
              onClick={() => openFailures(action)}
            >
              <Bar
                label={action}
                share={failed / count}
                text={`${countWord(failed)} of ${countWord(count)} · ${shareWord(failed / count)}`}
              />
            </button>
          </li>
        ))}
      </ul>
      {figures.length > shownActions && (
        <p class="faint">{countOf(figures.length - shownActions, 'more action')} with fewer failures.</p>
      )}
    </section>
  )
}

function TraceCharts({ samples, isReading }: SampleProps) {
  const figures = useMemo(() => figuresByTime(samples), [samples])
  if (samples.length === 0) return null
  return (
    <>
      <LatencyChart figures={figures} isReading={isReading} />
      <SumChart figures={figures} isReading={isReading} name="tokens" />
      <SumChart figures={figures} isReading={isReading} name="cost" />
    </>
  )
}

interface FigureProps {
  readonly figures: TimeFigures
  readonly isReading: boolean
}

const hasAny = (values: readonly (number | null)[]) => values.some((value) => value !== null)

function LatencyChart({ figures, isReading }: FigureProps) {
  const { slots, p50, p95 } = figures
  const series = useMemo(
    () => [
      { name: 'Median', values: p50, look: 'line' as const },
      { name: '95th percentile', values: p95, look: 'second line' as const },
    ],
    [figures],
  )
  if (!hasAny(p50))
    return isReading ? null : <Missing title="Duration" words="No durations in these traces." />
  return (
    <TimeChart
      title="Duration"
      note="How long traces took: median and 95th percentile by day."
      slots={slots}
      series={series}
      words={longDuration}
      opens="the traces of these days"
      onPick={(slot) => openDay('trace', slots[slot])}
    />
  )
}

const sums = {
  tokens: {
    title: 'Tokens',
    note: 'Tokens by day, of traces that record them.',
    missing: 'No token counts in these traces.',
    words: countWord,
  },
  cost: {
    title: 'Cost',
    note: 'Cost by day in US dollars, of traces that record it.',
    missing: 'No costs in these traces.',
    words: costWord,
  },
} as const

function SumChart({ figures, isReading, name }: FigureProps & { name: 'tokens' | 'cost' }) {
  const { slots, [name]: values } = figures
  const { title, note, missing, words } = sums[name]
  const series = useMemo(() => [{ name: title, values, look: 'bars' as const }], [figures])
  if (!hasAny(values)) return isReading ? null : <Missing title={title} words={missing} />
  return (
    <TimeChart
      title={title}
      note={note}
      slots={slots}
      series={series}
      words={words}
      opens="the traces of these days"
      onPick={(slot) => openDay('trace', slots[slot])}
    />
  )
}

function Missing({ title, words }: { title: string; words: string }) {
  return (
    <section class="time-chart" aria-label={title}>
      <h2>{title}</h2>
      <p class="faint">{words}</p>
    </section>
  )
}
