// Records over time as bars; the failed share is hatched. Dragging picks a range.
import { useWidth } from '../hook.ts'
import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { now } from '../../page/clock.ts'
import type { Bucket } from '../../kind/record-kind.ts'
import { capital, countOf } from '../../wording/text-word.ts'
import { dateOf, shortInstant } from '../../wording/time-word.ts'
import { type Slot, slotsOf } from './histogram-slot.ts'

const height = 44
const barPixels = 5
const dragPixels = 4

/** How many records there are in each span of time. */
export interface Counted {
  readonly by: 'hour' | 'day'
  readonly buckets: readonly Bucket[]
}

interface HistogramProps {
  /** The word for a record, singular and plural. */
  readonly one: string
  readonly many: string
  readonly count: Counted
  readonly onPick: (fromMs: number, toMs: number) => void
}

/** The horizontal places of the slots, and the picked ones from the pointer. */
function placesOf(slots: readonly Slot[], width: number, pointer?: number, origin?: number) {
  const step = slots.length > 0 ? width / slots.length : 0
  const slotAt = (x: number) => Math.max(0, Math.min(slots.length - 1, Math.floor(x / step)))
  const at = pointer === undefined || step === 0 ? undefined : slotAt(pointer)
  const from = origin === undefined || step === 0 ? at : slotAt(origin)
  const picked =
    at === undefined || from === undefined ? undefined : { low: Math.min(at, from), high: Math.max(at, from) }
  return { step, slotAt, picked }
}

type Places = ReturnType<typeof placesOf>

export function Histogram({ one, many, count, onPick }: HistogramProps) {
  const [frame, width] = useWidth()
  const pointer = useSignal<number | undefined>(undefined)
  const origin = useSignal<number | undefined>(undefined)
  const slots = slotsOf(count.buckets, count.by, Math.floor(width.value / barPixels))
  const places = placesOf(slots, width.value, pointer.value, origin.value)
  const { step, slotAt, picked } = places
  const placeOf = (event: PointerEvent) => event.clientX - (frame.current?.getBoundingClientRect().left ?? 0)
  const finish = (event: PointerEvent) => {
    const began = origin.value
    origin.value = undefined
    if (began === undefined || step === 0) return
    const ended = placeOf(event)
    const isClick = Math.abs(ended - began) < dragPixels
    const low = slotAt(Math.min(began, ended))
    const first = slots[low]
    const last = slots[isClick ? low : slotAt(Math.max(began, ended))]
    if (first && last) onPick(first.fromMs, last.toMs)
  }
  const range = picked && rangeWords(slots.slice(picked.low, picked.high + 1), count.by, [one, many])
  const all = rangeWords(slots, count.by, [one, many])
  return (
    <div class="histogram">
      <div
        ref={frame}
        class="histogram-frame"
        role="img"
        aria-label={`${capital(many)} by ${count.by}: ${all ?? 'none'}. Drag to pick a range, or use the Time filter.`}
        onPointerDown={(event) => {
          if (event.button !== 0) return
          event.currentTarget.setPointerCapture(event.pointerId)
          origin.value = placeOf(event)
          pointer.value = origin.value
        }}
        onPointerMove={(event) => (pointer.value = placeOf(event))}
        onPointerLeave={() => {
          if (origin.value === undefined) pointer.value = undefined
        }}
        onPointerUp={finish}
        onPointerCancel={() => (origin.value = undefined)}
      >
        <Bars slots={slots} width={width.value} places={places} />
      </div>
      <p class="histogram-caption">{range ?? all}</p>
    </div>
  )
}

interface BarsProps {
  readonly slots: readonly Slot[]
  readonly width: number
  readonly places: Places
}

function Bars({ slots, width, places: { step, picked } }: BarsProps) {
  const hatch = useId()
  const most = Math.max(1, ...slots.map((slot) => slot.count))
  const tall = (of: number) => (of === 0 ? 0 : Math.max(2, (of / most) * (height - 2)))
  const bar = (i: number, of: number) => ({
    x: i * step,
    y: height - tall(of),
    width: Math.max(1, step - 1),
    height: tall(of),
  })
  return (
    <svg width={width} height={height} aria-hidden="true">
      <defs>
        <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="4" height="4" class="bar-failed" />
          <rect width="1" height="4" class="bar-hatch" />
        </pattern>
      </defs>
      {picked && (
        <rect
          class="brush"
          x={picked.low * step}
          width={(picked.high - picked.low + 1) * step}
          height={height}
        />
      )}
      {slots.map((slot, i) =>
        slot.count === 0 ? null : (
          <g key={slot.fromMs}>
            <rect class="bar-all" {...bar(i, slot.count)} />
            {slot.failed > 0 && <rect fill={`url(#${hatch})`} {...bar(i, slot.failed)} />}
          </g>
        ),
      )}
    </svg>
  )
}

function rangeWords(
  slots: readonly Slot[],
  by: 'hour' | 'day',
  [one, many]: readonly [string, string],
): string | undefined {
  const first = slots[0]
  const last = slots.at(-1)
  if (!first || !last) return undefined
  const sum = (pick: (slot: Slot) => number) => slots.reduce((total, slot) => total + pick(slot), 0)
  const all = sum((slot) => slot.count)
  const failed = sum((slot) => slot.failed)
  const span =
    by === 'day'
      ? dayWords(first.fromMs, last.toMs)
      : `${shortInstant(first.fromMs, now.peek())} – ${shortInstant(last.toMs, now.peek())}`
  return `${span} · ${countOf(all, one, many)}${failed > 0 ? `, ${failed} failed` : ''}`
}

function dayWords(fromMs: number, toMs: number): string {
  const first = dateOf(fromMs)
  const last = dateOf(toMs - 1)
  return first === last ? first : `${first} – ${last}`
}
