// The keys of the views of continuity: j and k from one persona, day or collection to the next, Esc back.
import { address, go } from '../address.ts'
import { closeDay, calendarKey } from './day-cursor.ts'
import { openPeriod } from './days.ts'
import { stepPersona } from './persona-choice.ts'

const steps: Readonly<Record<string, 1 | -1>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** Moves focus among the rows of the view, in the order in which they stand. */
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
export function continuityByKey(key: string): boolean {
  return keys[address.peek().view]?.(key) ?? false
}
