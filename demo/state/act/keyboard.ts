// Keys that work anywhere on the page, unless something is being typed or a dialog is open.
import { address, go } from '../address.ts'
import { closeDialog, openDialog } from '../dialog.ts'
import { detailHeading, focusList, focusSearch, listElement } from './focus.ts'
import { continuityByKey } from '../continuity/key.ts'
import { runByKey } from '../run/transcript.ts'
import { reviewByKey } from '../consent/review.ts'
import { voteByKey } from '../pool/vote.ts'
import { editHere } from './edit.ts'
import { askToForgetHere, forgetQuestion } from './forget.ts'
import { pinHere } from './mark.ts'
import { fresh, reloadList } from '../list/record-list.ts'

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
  else if (continuityByKey(event.key) || runByKey(event.key)) return true
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
  return openDialog.peek() !== undefined || forgetQuestion.peek() !== undefined
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null
  )
}
