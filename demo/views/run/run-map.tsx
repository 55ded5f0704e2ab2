// The whole of a long run as a small picture beside its rows. A press or a drag scrolls there, as Home, End and e do by keys.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { PictureRow } from '../../kind/run/picture.ts'
import { listElement } from '../../state/act/focus.ts'

interface RunMapProps {
  readonly rows: readonly PictureRow[]
  readonly rowHeight: number
}

const width = 100
/** The part of the width for the bars. */
const steps = 80
/** So many windows of rows make a run long. */
const longRun = 2

export function RunMap({ rows, rowHeight }: RunMapProps) {
  const view = useSignal({ top: 0, height: 0 })
  const isPressed = useRef(false)
  useEffect(() => {
    const list = listElement.current
    if (!list) return
    const look = () => (view.value = { top: list.scrollTop, height: list.clientHeight })
    const observer = new ResizeObserver(look)
    observer.observe(list)
    list.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      list.removeEventListener('scroll', look)
    }
  }, [])
  const { top, height } = view.value
  const whole = rows.length * rowHeight
  if (height === 0 || whole < height * longRun) return null
  const scroll = (event: PointerEvent & { currentTarget: Element }) => {
    if (event.type === 'pointerdown') {
      isPressed.current = true
      event.currentTarget.setPointerCapture(event.pointerId)
    }
    if (!isPressed.current) return
    const box = event.currentTarget.getBoundingClientRect()
    const share = (event.clientY - box.top) / box.height
    listElement.current?.scrollTo({ top: share * whole - height / 2 })
  }
  const release = () => (isPressed.current = false)
  return (
    <svg
      class="run-map"
      viewBox={`0 0 ${width} ${rows.length}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
      onPointerDown={scroll}
      onPointerMove={scroll}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <path class="run-map-steps" d={marksOf(rows, false)} />
      <path class="run-map-failed" d={marksOf(rows, true)} />
      <rect
        class="run-map-view"
        x="0"
        y={top / rowHeight}
        width={width}
        height={Math.max(height / rowHeight, rows.length * leastView)}
      />
    </svg>
  )
}

const least = 6
const leastView = 0.02

/** A line for each row, at the place of its bar; failed steps have a column of their own. */
function marksOf(rows: readonly PictureRow[], isFailed: boolean): string {
  return rows
    .flatMap(({ step, bar }, i) => {
      if (step.isFailed !== isFailed) return []
      if (isFailed) return `M${steps} ${i + 0.5}h${width - steps}`
      const length = Math.max(least, bar.length * steps)
      return `M${Math.min(steps - length, bar.from * steps).toFixed(1)} ${i + 0.5}h${length.toFixed(1)}`
    })
    .join('')
}
