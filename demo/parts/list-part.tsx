// Parts of lists: a pane whose rows open one entry, a button for more, a note about locked records.
import type { ComponentChildren } from 'preact'
import { countOf } from '../wording/text-word.ts'
import { KeyCap } from './inline.tsx'

interface ListPaneProps {
  /** The name for screen readers. */
  readonly label: string
  readonly title: ComponentChildren
  /** Keys of the list with their effect, such as `['j', 'k']` and `next and previous`. */
  readonly keys?: readonly string[]
  readonly effect?: ComponentChildren
  readonly children: ComponentChildren
}

/** A titled list of rows. */
export function ListPane({ label, title, keys = [], effect, children }: ListPaneProps) {
  return (
    <section aria-label={label}>
      <h2>
        {title}
        {keys.length > 0 && (
          <span class="queue-keys faint">
            {keys.map((key) => (
              <span key={key}>
                <KeyCap name={key} />{' '}
              </span>
            ))}
            {effect}
          </span>
        )}
      </h2>
      <ul class="queue">{children}</ul>
    </section>
  )
}

interface OpenRowProps {
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly title: ComponentChildren
  /** Follows the title, less prominent. */
  readonly children: ComponentChildren
}

/** A row that opens its entry. */
export function OpenRow({ isOpen, onOpen, title, children }: OpenRowProps) {
  return (
    <li>
      <button type="button" class="queue-row" aria-current={isOpen ? 'true' : undefined} onClick={onOpen}>
        <bdi class="queue-text">{title}</bdi>
        <span class="faint">{children}</span>
      </button>
    </li>
  )
}

interface RowActProps {
  readonly word: ComponentChildren
  /** The row, for screen readers. */
  readonly of: string
  readonly onAct: () => unknown
  readonly primary?: boolean
  readonly disabled?: boolean
}

/** A small button of a row. Screen readers hear the row with it. */
export function RowAct({ word, of, onAct, primary = false, disabled = false }: RowActProps) {
  return (
    <button
      type="button"
      class={primary ? 'button small primary' : 'button small'}
      disabled={disabled}
      onClick={() => void onAct()}
    >
      {word}
      <span class="hidden"> {of.length > 40 ? `${of.slice(0, 40).toWellFormed()}…` : of}</span>
    </button>
  )
}

interface MoreProps {
  readonly onMore: () => unknown
  readonly children: ComponentChildren
}

/** A button that shows more of a list. */
export function More({ onMore, children }: MoreProps) {
  return (
    <p>
      <button type="button" class="button" onClick={() => void onMore()}>
        {children}
      </button>
    </p>
  )
}

interface LockedNoteProps {
  readonly count: number
  readonly one: string
  readonly many?: string
  readonly effect?: string
}

/** Says how many records of a list are locked; nothing when none is. */
export function LockedNote({ count, one, many = `${one}s`, effect = '' }: LockedNoteProps) {
  if (count === 0) return null
  return (
    <p class="notice" role="note">
      {countOf(count, one, many)} locked{effect}: unlock or import the keys in Storage.
    </p>
  )
}

const steps: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** The step of an arrow key, j or k; undefined for another key. */
export const stepOf = (key: string): 1 | -1 | undefined => steps[key]

/** Moves focus among the elements of `selector` in the list that got the key; answers the focused one. */
export function moveFocus(event: KeyboardEvent, selector: string): HTMLElement | undefined {
  const step = stepOf(event.key)
  const list = event.currentTarget
  if (step === undefined || !(list instanceof HTMLElement)) return undefined
  const rows = [...list.querySelectorAll<HTMLElement>(selector)]
  const at = rows.findIndex((row) => row === document.activeElement)
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))]
  next?.focus()
  event.preventDefault()
  return next
}
