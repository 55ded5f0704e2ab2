// The state of the book, for the status bar and the views of sync and storage. It is read again after each change.
import { effect, signal } from '@preact/signals'
import { isDaybookError, type Status } from '../../src/index.ts'
import { book, onBook } from './book.ts'

export const status = signal<Status | undefined>(undefined)

const settleMs = 150
let timer: ReturnType<typeof setTimeout> | undefined

/** Reads the state soon; calls together read once. */
export function refreshStatus(): void {
  timer ??= setTimeout(() => {
    timer = undefined
    void readStatus()
  }, settleMs)
}

async function readStatus(): Promise<void> {
  const current = book.peek()
  if (!current) return
  try {
    const found = await current.status()
    if (book.peek() === current) status.value = found
  } catch (error) {
    // A closed book says so itself; the last state stays until then.
    if (!isDaybookError(error)) throw error
  }
}

onBook('change', refreshStatus)
onBook('sync', ({ result: _result, ...sync }) => {
  if (status.value) status.value = { ...status.value, sync }
  refreshStatus()
})
effect(() => {
  status.value = undefined
  if (book.value) void readStatus()
})
