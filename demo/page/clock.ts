// The time for relative times. It stops while the page is hidden.
import { signal } from '@preact/signals'

const tickMs = 1000

export const now = signal(Date.now())

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, tickMs)

document.addEventListener('visibilitychange', () => {
  now.value = Date.now()
})
