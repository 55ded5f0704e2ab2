// Short notices of acts, and the live region for screen readers. Notices end by themselves; errors stay until they are read.
import { signal } from '@preact/signals'

export const announcement = signal('')

/** Announces `text`, also when it equals the text before. */
export function announce(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text
}

/** An act beside a notice, such as Undo. */
interface ToastAct {
  readonly word: string
  readonly run: () => void
  /** How long the notice stays. */
  readonly stayMs?: number
}

interface Toast {
  readonly number: number
  readonly text: string
  readonly act?: ToastAct | undefined
  readonly error: unknown
}

const stayMs = 7000
/** Notices with an act stay longer: a person has to read, decide and reach it. */
const actStayMs = 20_000
let number = 0

export const toasts = signal<readonly Toast[]>([])

export function dismissToast(which: number): void {
  take(which)
}

/** Runs the act of a notice and removes the notice. */
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

/** Shows a notice of a finished act. */
export function tell(text: string, act?: ToastAct): void {
  const toast = { number: ++number, text, act, error: undefined }
  show(toast)
  announce(text)
  setTimeout(() => dismissToast(toast.number), act?.stayMs ?? (act ? actStayMs : stayMs))
}

/** Shows an error with a title. */
export function tellError(text: string, error: unknown): void {
  show({ number: ++number, text, error })
}

export const undo = (run: () => unknown): ToastAct => ({ word: 'Undo', run: () => void run() })
