// Targets of focus: the list, the open record, the search box, the question.
import { createRef } from 'preact'
import { address } from '../address.ts'
import { cursor, moveCursor } from '../list/list-cursor.ts'
import { detail } from '../record/record-detail.ts'
import { shown } from '../list/record-list.ts'

export const viewElement = createRef<HTMLElement>()
export const listElement = createRef<HTMLDivElement>()
export const detailHeading = createRef<HTMLHeadingElement>()
export const searchInput = createRef<HTMLInputElement>()
export const questionInput = createRef<HTMLInputElement>()

let isListAwaited = false

/** Moves focus to the list, now or when it is drawn, and gives it a cursor if it has none. */
export function focusList(): void {
  isListAwaited = listElement.current === null
  listElement.current?.focus()
  if (cursor.peek() === undefined) void moveCursor(shown.first)
}

/** The list calls it after drawing. */
export function onListDrawn(): void {
  if (!isListAwaited || !listElement.current) return
  isListAwaited = false
  listElement.current.focus()
}

/** Keeps focus in the box of a reader who types on. */
export function stayOutOfList(): void {
  isListAwaited = false
}

let isDetailAwaited = false

/** Moves focus to the record that the address selects, now or when it is read and drawn. */
export function focusDetail(): void {
  const open = detail.peek()
  if (open.state === 'shown' && open.id === address.peek().id) detailHeading.current?.focus()
  else isDetailAwaited = true
}

/** The pane calls it after drawing another record. */
export function onDetailDrawn(): void {
  if (isDetailAwaited) detailHeading.current?.focus()
  isDetailAwaited = false
}

/** Moves focus to the box of the key `/` in this view. */
export function focusSearch(): void {
  const input = questionInput.current ?? searchInput.current
  if (!input) return
  input.focus()
  input.select()
}
