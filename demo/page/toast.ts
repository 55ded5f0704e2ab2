// Short notices of what was just done. They go by themselves; errors stay until they are read.
import { signal } from '@preact/signals'
import { announce } from './announce.ts'

/** What can be done about what a toast says, such as undoing it. */
export interface ToastAct {
  readonly word: string
  readonly run: () => void
}

export interface Toast {
  readonly number: number
  readonly text: string
  readonly act?: ToastAct | undefined
  readonly error: unknown
}

const stayMs = 7000
/** Longer for what can be undone: one has to read, decide and reach it. */
const actStayMs = 20_000
let number = 0

export const toasts = signal<readonly Toast[]>([])

export function dismissToast(which: number): void {
  toasts.value = toasts.value.filter((toast) => toast.number !== which)
}

/** Says that something was done. */
export function tell(text: string, act?: ToastAct): void {
  const toast = { number: ++number, text, act, error: undefined }
  toasts.value = [...toasts.value.slice(-2), toast]
  announce(text)
  setTimeout(() => dismissToast(toast.number), act ? actStayMs : stayMs)
}

/** Says that `what` did not work, and why. */
export function tellError(what: string, error: unknown): void {
  toasts.value = [...toasts.value.slice(-2), { number: ++number, text: what, error }]
}
