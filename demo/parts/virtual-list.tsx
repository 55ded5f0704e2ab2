// A listbox or tree of any length that draws only its visible rows. All rows have one height, so a position is a multiplication.
// Invariant: focus stays on the list; the row at the cursor is its active descendant; a click acts on the row that was
// under the pointer when it was pressed, also if the rows move before it is released.
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'

export interface VirtualListProps {
  readonly label: string
  readonly count: number
  /** Makes the list a tree. */
  readonly treeAt?: (index: number) => TreePlace
  /** False while the count may still grow. */
  readonly isCounted: boolean
  readonly rowHeight: number
  readonly cursor: number | undefined
  readonly selected: number | undefined
  readonly isBusy: boolean
  readonly element: RefObject<HTMLDivElement | null>
  readonly scrollTo: { readonly index: number; readonly align: 'auto' | 'start' | 'center' } | undefined
  readonly children: (index: number) => ComponentChildren
  readonly onShow: (first: number, last: number) => void
  readonly onKey: (event: KeyboardEvent) => void
  /** The id of a row; undefined while it loads. */
  readonly idAt: (index: number) => string | undefined
  /** `id`: of the record that the row had when it was pressed. */
  readonly onOpen: (index: number, id: string | undefined) => unknown
  /** A click with Ctrl, Cmd or Shift. */
  readonly onPick: (index: number, id: string | undefined) => void
}

interface TreePlace {
  readonly level: number
  /** Undefined without rows beneath. */
  readonly isOpen: boolean | undefined
  readonly nth: number
  readonly of: number
}

/** The place of a row for screen readers: in the list, or among those of one level of the tree. */
function placeParts({ treeAt, count, isCounted }: VirtualListProps, index: number) {
  if (!treeAt) return { 'aria-setsize': isCounted ? count : -1, 'aria-posinset': index + 1 }
  const { level, isOpen, nth, of } = treeAt(index)
  return { 'aria-level': level, 'aria-expanded': isOpen, 'aria-setsize': of, 'aria-posinset': nth }
}

export const optionId = (index: number) => `record-option-${index}`

export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, element, cursor, selected, scrollTo, onShow } = props
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const options = {
    count,
    getScrollElement: () => element.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollToFn: elementScroll<HTMLDivElement>,
    observeElementRect: observeElementRect<HTMLDivElement>,
    observeElementOffset: observeElementOffset<HTMLDivElement>,
    onChange: () => redraw(0),
  }
  const [virtualizer] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options))
  virtualizer.setOptions(options)
  // The two calls that an adapter for a framework makes; the library names them so.
  // oxlint-disable-next-line no-underscore-dangle -- the library's name
  useLayoutEffect(() => virtualizer._didMount(), [])
  // oxlint-disable-next-line no-underscore-dangle -- the library's name
  useLayoutEffect(() => virtualizer._willUpdate())
  useLayoutEffect(() => virtualizer.measure(), [rowHeight])
  // After a scroll request the rows are those of the old position until the next drawing: don't report them.
  const isOnItsWay = useRef(false)
  useLayoutEffect(() => {
    if (!scrollTo) return
    isOnItsWay.current = true
    virtualizer.scrollToIndex(scrollTo.index, { align: scrollTo.align })
  }, [scrollTo])

  const rows = virtualizer.getVirtualItems()
  const first = rows[0]?.index ?? 0
  const last = rows.at(-1)?.index ?? 0
  // The elements of a row that leaves on one side are reused for the row that appears on the other.
  const slots = useRef(0)
  const pressed = useRef<string>(undefined)
  slots.current = Math.max(slots.current, rows.length)
  useEffect(() => {
    const place = Math.floor((element.current?.scrollTop ?? 0) / rowHeight)
    if (isOnItsWay.current && (place < first || place > last)) return
    isOnItsWay.current = false
    onShow(first, last)
  }, [first, last, onShow])

  return (
    <div
      ref={element}
      class="virtual-list"
      role={props.treeAt ? 'tree' : 'listbox'}
      tabIndex={0}
      aria-label={props.label}
      aria-busy={props.isBusy}
      aria-activedescendant={
        cursor !== undefined && cursor >= first && cursor <= last ? optionId(cursor) : undefined
      }
      onKeyDown={props.onKey}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {rows.map((row) => {
          // As drawn: the list may already have another record there.
          const id = props.idAt(row.index)
          return (
            <div
              key={row.index % slots.current}
              id={optionId(row.index)}
              class={`virtual-row${row.index === cursor ? ' at-cursor' : ''}`}
              role={props.treeAt ? 'treeitem' : 'option'}
              aria-selected={row.index === selected}
              {...placeParts(props, row.index)}
              style={{ transform: `translateY(${row.start}px)`, height: `${row.size}px` }}
              onPointerDown={() => (pressed.current = id)}
              onClick={(event) => {
                // A screen reader clicks without a pointer; such a click has no count.
                const clicked = (event.detail > 0 && pressed.current) || id
                const act = event.ctrlKey || event.metaKey || event.shiftKey ? props.onPick : props.onOpen
                act(row.index, clicked)
              }}
            >
              {props.children(row.index)}
            </div>
          )
        })}
      </div>
    </div>
  )
}
