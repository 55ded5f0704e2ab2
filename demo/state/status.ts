// The state of the book for the status bar and the views of sync and storage; asked again whenever something happened.
import { effect, signal } from '@preact/signals'
import { isDaybookError, type Status } from '../../src/index.ts'
import { book, onBook } from './book.ts'

export const status = signal<Status | undefined>(undefined)

const settleMs = 150
let timer: ReturnType<typeof setTimeout> | undefined

/** Asks for the state soon; calls made together ask once. */
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
    // A book that ends says so itself; the last state stays on show until then.
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
