// Looking through the book for secrets of known form, and sealing the records that hold some.
import { signal } from '@preact/signals'
import type { CapabilityOutput } from '../../../src/index.ts'
import { tell } from '../../page/toast.ts'
import { countOf } from '../../wording/text-word.ts'
import { onBook, openedBook } from '../book.ts'

type Scan = CapabilityOutput<'secret:scan'>

/** What the last scan said; undefined while none was asked for. */
export const secretScan = signal<Scan | undefined>(undefined)
/** How far a scan has come, while one runs: records looked at, and all there are. */
export const scanStep = signal<{ readonly done: number; readonly total: number } | undefined>(undefined)
export const scanError = signal<unknown>(undefined)
/** Secrets were found in what was stored since the page was opened, by what became of them. */
export const foundSince = signal<{ readonly sealed: number; readonly masked: number; readonly kept: number }>(
  {
    sealed: 0,
    masked: 0,
    kept: 0,
  },
)

onBook('secret', ({ records, more }) => {
  const counts = { ...foundSince.peek() }
  for (const { outcome } of records) counts[outcome] += 1
  const last = records.at(-1)
  if (last) counts[last.outcome] += more
  foundSince.value = counts
})

onBook('progress', ({ capability, done, total }) => {
  if (capability === 'secret:scan' && scanStep.peek()) scanStep.value = { done, total }
})

let running: AbortController | undefined

export const stopScan = () => running?.abort()

/** Looks through the book; with `seal`, every record that holds a secret in clear becomes sensitive. */
export async function scanForSecrets(seal = false): Promise<void> {
  running?.abort()
  const own = new AbortController()
  running = own
  scanError.value = undefined
  scanStep.value = { done: 0, total: 0 }
  try {
    const { records } = await openedBook()
    const scan = await records.scan({ seal }, { signal: own.signal })
    secretScan.value = scan
    if (seal) tell(`${countOf(scan.sealed, 'record')} sealed.`)
  } catch (error) {
    if (!own.signal.aborted) scanError.value = error
  } finally {
    if (running === own) scanStep.value = undefined
  }
}
