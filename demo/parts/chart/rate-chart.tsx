// A success rate over uses as a line, each use a tick or a cross, and the level reached as steps below it.
import { useWidth } from '../hook.ts'
import { useSignal } from '@preact/signals'
import { now } from '../../page/clock.ts'
import { countOf, shareWord } from '../../wording/text-word.ts'
import { shortInstant } from '../../wording/time-word.ts'

export interface RatePoint {
  readonly use: number
  readonly rate: number
  readonly level: string
  /** The level as a number, from 0. */
  readonly step: number
  /** All uses since the point before succeeded. */
  readonly succeeded: boolean
  /** Their result, in words. */
  readonly outcome: string
  readonly at: string
}

const plot = { height: 88, left: 34, right: 8, top: 8, levelHeight: 6 }
/** Closer marks would touch; then there is only the line. */
const markPixels = 9

export function RateChart({ points }: { points: readonly RatePoint[] }) {
  const [frame, width] = useWidth()
  const at = useSignal<number | undefined>(undefined)
  const first = points[0]
  const last = points.at(-1)
  if (!first || !last) return null
  const span = Math.max(1, last.use - first.use)
  const inner = Math.max(1, width.value - plot.left - plot.right)
  const x = (use: number) => plot.left + ((use - first.use) / span) * inner
  const shown = at.value === undefined ? last : (points[at.value] ?? last)
  const pick = (event: PointerEvent) => {
    const start = frame.current?.getBoundingClientRect().left ?? 0
    const use = first.use + ((event.clientX - start - plot.left) / inner) * span
    const distanceOf = (i: number) => Math.abs((points[i]?.use ?? 0) - use)
    at.value = points.reduce((best, _, i) => (distanceOf(i) < distanceOf(best) ? i : best), 0)
  }
  return (
    <figure class="rate-chart">
      <div
        ref={frame}
        role="img"
        aria-label={`Success rate over ${countOf(points.length, 'use')}: from ${shareWord(first.rate)} to ${shareWord(last.rate)}, ${last.level}.`}
        onPointerMove={pick}
        onPointerLeave={() => (at.value = undefined)}
      >
        <Plot
          points={points}
          width={width.value}
          x={x}
          hasMarks={inner / points.length >= markPixels}
          cursor={at.value === undefined ? undefined : shown.use}
        />
      </div>
      <figcaption class="faint">
        Use {shown.use}: {shown.outcome} · {shareWord(shown.rate)} · {shown.level} ·{' '}
        {shortInstant(Date.parse(shown.at), now.value)}
      </figcaption>
    </figure>
  )
}

interface PlotProps {
  readonly points: readonly RatePoint[]
  readonly width: number
  readonly x: (use: number) => number
  readonly hasMarks: boolean
  readonly cursor: number | undefined
}

function Plot({ points, width, x, hasMarks, cursor }: PlotProps) {
  const y = (rate: number) => plot.top + (1 - rate) * plot.height
  const bottom = plot.top + plot.height
  const line = points.map(
    ({ use, rate }, i) => `${i === 0 ? 'M' : 'L'}${x(use).toFixed(1)} ${y(rate).toFixed(1)}`,
  )
  return (
    <svg width={width} height={bottom + plot.levelHeight + 14} aria-hidden="true">
      {[0, 0.5, 1].map((rate) => (
        <g key={rate}>
          <line class="rate-grid" x1={plot.left} x2={width - plot.right} y1={y(rate)} y2={y(rate)} />
          <text class="rate-label" x={plot.left - 6} y={y(rate) + 3} text-anchor="end">
            {shareWord(rate)}
          </text>
        </g>
      ))}
      {points.slice(0, -1).map(({ use, step }, i) => (
        <rect
          key={use}
          class={`rate-level step-${step}`}
          x={x(use)}
          width={Math.max(1, x(points[i + 1]?.use ?? use) - x(use))}
          y={bottom + 8}
          height={plot.levelHeight}
        />
      ))}
      <path class="rate-line" d={line.join('')} />
      {hasMarks &&
        points.map(({ use, rate, succeeded }) => (
          <path
            key={use}
            class={succeeded ? 'rate-mark' : 'rate-mark failed'}
            transform={`translate(${x(use).toFixed(1)} ${y(rate).toFixed(1)})`}
            d={succeeded ? 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0Z' : 'M-3-3L3 3M3-3L-3 3'}
          />
        ))}
      {cursor !== undefined && (
        <line class="rate-cursor" x1={x(cursor)} x2={x(cursor)} y1={plot.top} y2={bottom} />
      )}
    </svg>
  )
}
