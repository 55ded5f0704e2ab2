// Where the keyboard may be sent: the list, the open trace, the search box, the question.
import { createRef } from 'preact'
import { cursor, moveCursor } from './trace-cursor.ts'
import { shown } from './trace-list.ts'

export const listElement = createRef<HTMLDivElement>()
export const detailHeading = createRef<HTMLHeadingElement>()
export const searchInput = createRef<HTMLInputElement>()
export const questionInput = createRef<HTMLInputElement>()

/** Moves focus to the list, and gives it a cursor if it has none. */
export function focusList(): void {
  listElement.current?.focus()
  if (cursor.peek() === undefined) void moveCursor(shown.first)
}

/** Moves focus to the open trace, once it is drawn. */
export function focusDetail(): void {
  requestAnimationFrame(() => detailHeading.current?.focus())
}

/** Moves focus to the box that `/` stands for in this room. */
export function focusSearch(): void {
  const input = questionInput.current ?? searchInput.current
  if (!input) return
  input.focus()
  input.select()
}
