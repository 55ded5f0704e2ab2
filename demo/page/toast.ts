// Short notices of what was just done. They go by themselves; errors stay until they are read.
import { signal } from '@preact/signals'
import { announce } from './announce.ts'

/** What can be done about what a toast says, such as undoing it. */
export interface ToastAct {
  readonly word: string
  readonly run: () => void
  /** How long it can be done. */
  readonly stayMs?: number
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
  take(which)
}

/** Does what a notice offers, which goes with it. */
export function actOnToast(which: number): void {
  take(which)?.act?.run()
}

function take(which: number): Toast | undefined {
  const toast = toasts.peek().find(({ number: one }) => one === which)
  toasts.value = toasts.value.filter((one) => one !== toast)
  return toast
}

/** The last three. */
function show(toast: Toast): void {
  toasts.value = [...toasts.peek().slice(-2), toast]
}

/** Says that something was done. */
export function tell(text: string, act?: ToastAct): void {
  const toast = { number: ++number, text, act, error: undefined }
  show(toast)
  announce(text)
  setTimeout(() => dismissToast(toast.number), act?.stayMs ?? (act ? actStayMs : stayMs))
}

/** Says that `what` did not work, and why. */
export function tellError(what: string, error: unknown): void {
  show({ number: ++number, text: what, error })
}
