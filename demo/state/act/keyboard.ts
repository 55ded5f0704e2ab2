// Keys for the whole page. They do nothing while a person types or a dialog is open.
import { address, go } from '../address.ts'
import { closeDialog, openDialog } from '../dialog.ts'
import { detailHeading, focusList, focusSearch, listElement } from './focus.ts'
import { viewKeys } from './view-key.ts'
import { reviewByKey } from '../consent/review.ts'
import { voteByKey } from '../pool/proposals.ts'
import { editHere } from './edit.ts'
import { askToForgetHere, forgetQuestion } from './forget.ts'
import { pinHere } from './mark.ts'
import { fresh, reloadList } from '../list/record-list.ts'
import { calendarKey, closeDay, openPeriod } from '../continuity/days.ts'
import { stepPersona } from '../continuity/personas.ts'

const listKeys = new Set(['ArrowDown', 'ArrowUp', 'j', 'k'])

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      if (openDialog.peek() === 'palette') closeDialog()
      else if (!isAsking()) openDialog.value = 'palette'
      return
    }
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.defaultPrevented ||
      isAsking() ||
      isTyping(event.target)
    )
      return
    if (act(event)) event.preventDefault()
  })
}

function act(event: KeyboardEvent): boolean {
  const isFree = event.target === document.body
  if (event.key === '/') focusSearch()
  else if (event.key === '?') openDialog.value = 'help'
  else if (event.key === 'n' && fresh.peek() > 0) void reloadList()
  else if (!event.repeat && (reviewByKey(event.key) || voteByKey(event.key))) return true
  else if (continuityByKey(event.key) || viewKeys.act?.(event)) return true
  else if (event.key === 'p' && !event.repeat) return pinHere()
  else if (event.key === 'Delete' && !event.repeat) return askToForgetHere()
  else if (event.key === 'e' && !event.repeat) return editHere()
  else if (event.key === 'Escape' && address.peek().id !== undefined) closeRecord()
  else if (listKeys.has(event.key) && isFree && listElement.current) focusList()
  else return false
  return true
}

/** Esc in the open record goes back to the list first; from the list it closes the record. */
function closeRecord(): void {
  const isInDetail = detailHeading.current?.closest('.detail')?.contains(document.activeElement) === true
  const isBeside = listElement.current?.checkVisibility() === true
  if (isInDetail && isBeside) focusList()
  else {
    go({ id: undefined })
    requestAnimationFrame(focusList)
  }
}

function isAsking(): boolean {
  return (
    openDialog.peek() !== undefined ||
    forgetQuestion.peek() !== undefined ||
    // A view has dialogs of its own.
    document.querySelector('dialog[open]') !== null
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null
  )
}

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** Moves focus among the rows of the view, in their order. */
function stepRow(by: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex((row) => row === document.activeElement)
  const open = rows.findIndex((row) => row.getAttribute('aria-current') === 'true')
  const next = rows[Math.min(Math.max((at < 0 ? open - by : at) + by, 0), rows.length - 1)]
  next?.focus()
  return next !== undefined
}

const keys: Readonly<Record<string, (key: string) => boolean>> = {
  personas(key) {
    const by = steps[key]
    if (by === undefined) return false
    stepPersona(by)
    return true
  },
  days(key) {
    if (key === 'Escape') {
      if (openPeriod.peek() === undefined) return false
      closeDay()
      return true
    }
    return (key === 'j' || key === 'k') && calendarKey(key)
  },
  collections(key) {
    if (key === 'Escape') {
      if (address.peek().id === undefined) return false
      go({ id: undefined })
      return true
    }
    const by = steps[key]
    return by !== undefined && stepRow(by)
  },
}

/** A key that was pressed in one of these views; false when it means nothing there. */
function continuityByKey(key: string): boolean {
  return keys[address.peek().view]?.(key) ?? false
}
