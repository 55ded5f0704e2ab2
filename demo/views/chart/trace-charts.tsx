// How long traces took, their tokens and what they cost, over time. Each place opens its traces.
import { useMemo } from 'preact/hooks'
import { TimeChart } from '../../parts/chart/time-chart.tsx'
import { figuresByTime, type TimeFigures, type TraceSample } from '../../kind/chart/trace-figure.ts'
import { openDay } from '../../state/chart/open-day.ts'
import { costWord, longDuration } from '../../wording/run-word.ts'
import { countWord } from '../../wording/text-word.ts'

interface SampleProps {
  readonly samples: readonly TraceSample[]
  readonly isReading: boolean
}

export function TraceCharts({ samples, isReading }: SampleProps) {
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
