// Numbers over time, drawn by uPlot. A click on the drawing, or a row of the table below it, opens the records.
// The drawing is for eyes and pointers, the table for everybody else.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { now } from '../../page/clock.ts'
import { dateOf, shortDate } from '../../wording/time-word.ts'

interface Ink {
  readonly text: string
  readonly line: string
  readonly accent: string
  readonly second: string
}

const tokens = { text: '--faint', line: '--line', accent: '--accent', second: '--bad' } as const

/** As they are now for an element of the page; the system's own where colours are forced. */
function readInk(element: HTMLElement): Ink {
  if (matchMedia('(forced-colors: active)').matches)
    return { text: 'CanvasText', line: 'GrayText', accent: 'Highlight', second: 'CanvasText' }
  const before = element.style.color
  const colorOf = (token: string) => {
    element.style.color = `var(${token})`
    return getComputedStyle(element).color
  }
  const ink = {
    text: colorOf(tokens.text),
    line: colorOf(tokens.line),
    accent: colorOf(tokens.accent),
    second: colorOf(tokens.second),
  }
  element.style.color = before
  return ink
}

/** Calls when the scheme or the contrast of the page may have changed; answers what ends that. */
function onInkChange(change: () => void): () => void {
  const media = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query))
  for (const one of media) one.addEventListener('change', change)
  const watcher = new MutationObserver(change)
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => {
    for (const one of media) one.removeEventListener('change', change)
    watcher.disconnect()
  }
}

interface ChartSeries {
  readonly name: string
  readonly values: readonly (number | null)[]
  /** As bars from zero, or as a line. */
  readonly look: 'bars' | 'line' | 'second line'
}

interface ChartSlot {
  readonly fromMs: number
  readonly toMs: number
}

interface TimeChartProps {
  readonly title: string
  /** Below the title. */
  readonly note: string
  readonly slots: readonly ChartSlot[]
  readonly series: readonly ChartSeries[]
  /** A value in words. */
  readonly words: (value: number) => string
  /** The target of a click in words, such as `the traces of these days`. */
  readonly opens: string
  readonly onPick: (slot: number) => void
}

const height = 150
/** Days between two dates below a chart, whichever has space. */
const dateSteps = [1, 2, 5, 7, 14, 30, 61, 91, 182, 365].map((days) => days * 86_400)

export function TimeChart(props: TimeChartProps) {
  const { title, note, slots, series, words, opens, onPick } = props
  const frame = useRef<HTMLDivElement>(null)
  const at = useSignal<number | undefined>(undefined)
  const pick = useRef(onPick)
  pick.current = onPick
  useEffect(() => {
    const element = frame.current
    if (!element) return
    return draw(element, { slots, series, words }, (slot) => (at.value = slot), pick)
  }, [slots, series])
  const shown = at.value ?? slots.length - 1
  return (
    <section class="time-chart" aria-label={title}>
      <h2>{title}</h2>
      <p class="faint">{note}</p>
      <div ref={frame} class="time-plot" aria-hidden="true" title={`Click: opens ${opens}`} />
      <p class="time-caption" aria-hidden="true">
        {captionOf(slots[shown], series, shown, words)}
      </p>
      <FigureTable {...props} />
    </section>
  )
}

/** The same in words, newest first; a place without a number is left out. */
function FigureTable({ title, slots, series, words, opens, onPick }: TimeChartProps) {
  const rows = slots
    .map((slot, i) => ({ slot, i }))
    .filter(({ i }) => series.some(({ values }) => (values[i] ?? 0) !== 0))
    .toReversed()
  return (
    <details class="time-table">
      <summary>As a table</summary>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={`${title}, as a table`}>
        <table class="log-table">
          <thead>
            <tr>
              <th scope="col">When</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ slot, i }) => (
              <tr key={slot.fromMs}>
                <th scope="row">
                  <button type="button" class="link" title={`Opens ${opens}`} onClick={() => onPick(i)}>
                    {daysWord(slot)}
                  </button>
                </th>
                {series.map(({ name, values }) => (
                  <td key={name}>{valueWord(values[i], words)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

const valueWord = (value: number | null | undefined, words: (value: number) => string) =>
  value === null || value === undefined ? '–' : words(value)

function daysWord({ fromMs, toMs }: ChartSlot): string {
  const first = dateOf(fromMs)
  const last = dateOf(Math.min(toMs, Math.max(now.peek(), fromMs + 1)) - 1)
  return first === last ? first : `${first} – ${last}`
}

function captionOf(
  slot: ChartSlot | undefined,
  series: readonly ChartSeries[],
  at: number,
  words: (value: number) => string,
): string {
  if (!slot) return ''
  const values = series.map(({ name, values }) => `${name} ${valueWord(values[at], words)}`)
  return [daysWord(slot), ...values].join(' · ')
}

type Drawn = Pick<TimeChartProps, 'slots' | 'series' | 'words'>

/** Draws into the element, again whenever its width or the colours change; answers what takes it away. */
function draw(
  element: HTMLElement,
  { slots, series, words }: Drawn,
  onPoint: (slot: number | undefined) => void,
  pick: { readonly current: (slot: number) => void },
): () => void {
  const data = [
    slots.map(({ fromMs, toMs }) => (fromMs + toMs) / 2000),
    ...series.map(({ values }) => [...values]),
  ] as UPlot.AlignedData
  let plot: UPlot | undefined
  const make = () => {
    plot?.destroy()
    const ink = readInk(element)
    plot = new UPlot(optionsOf(element.clientWidth, { slots, series, words }, ink, onPoint), data, element)
    plot.over.addEventListener('click', () => {
      const at = plot?.cursor.idx
      if (typeof at === 'number') pick.current(at)
    })
  }
  make()
  const stopInk = onInkChange(make)
  const size = new ResizeObserver(() => {
    if (plot && element.clientWidth > 0 && plot.width !== element.clientWidth)
      plot.setSize({ width: element.clientWidth, height })
  })
  size.observe(element)
  return () => {
    stopInk()
    size.disconnect()
    plot?.destroy()
  }
}

function optionsOf(
  width: number,
  { slots, series, words }: Drawn,
  ink: Ink,
  onPoint: (slot: number | undefined) => void,
): UPlot.Options {
  const axis = {
    stroke: ink.text,
    grid: { stroke: ink.line, width: 1 },
    ticks: { stroke: ink.line, width: 1 },
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
  }
  const first = slots[0]
  const last = slots.at(-1)
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: true, range: () => [(first?.fromMs ?? 0) / 1000, (last?.toMs ?? 1) / 1000] },
      y: { range: (_plot, _low, high) => [0, Math.max(high, 1e-6) * 1.1] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        incrs: dateSteps,
        values: (_plot, ticks) => ticks.map((tick) => shortDate(tick * 1000, now.peek())),
      },
      {
        ...axis,
        size: 64,
        space: 26,
        values: (_plot, ticks) => ticks.map((tick) => (tick === 0 ? '0' : words(tick))),
      },
    ],
    series: [{}, ...series.map((one) => seriesOf(one, ink))],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  }
}

function seriesOf({ name, look }: ChartSeries, ink: Ink): UPlot.Series {
  const stroke = look === 'second line' ? ink.second : ink.accent
  const common = { label: name, stroke, width: 1.5, spanGaps: true }
  if (look === 'bars') {
    const paths = UPlot.paths.bars?.({ size: [0.8, 40] })
    return { ...common, width: 0, fill: stroke, ...(paths ? { paths } : {}), points: { show: false } }
  }
  return { ...common, ...(look === 'second line' ? { dash: [5, 3] } : {}), points: { size: 4, fill: stroke } }
}
