// Says in a dialog that the book is not open yet, where one is done with it before it is.
import { opening } from '../../state/book.ts'
import type { Signal } from '@preact/signals'

/** Says in a dialog that the book is still opening; nothing once it is open. */
export function OpeningNote() {
  if (opening.value.state !== 'opening') return null
  return (
    <p class="quiet" role="status">
      The book is still opening. What you do here runs once it is open.
    </p>
  )
}

/** Fills a field with an example. */
export function ExampleButton({ text, into }: { text: string; into: Signal<string> }) {
  return (
    <button type="button" class="button" onClick={() => (into.value = text)}>
      Fill in an example
    </button>
  )
}
