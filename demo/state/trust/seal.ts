// Sensitive records and their keys, the scan for secrets, and the end of the book.
import { saveFile } from '../../page/save-file.ts'
import { effect, signal } from '@preact/signals'
import { type CapabilityOutput, type Daybook, isDaybookError } from '../../../src/index.ts'
import { bookName } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { status } from '../status.ts'
import { announce, tell } from '../../page/toast.ts'
import { countOf } from '../../wording/text-word.ts'
import { emptyDrafts } from '../held.ts'

export const sealState = signal<CapabilityOutput<'seal:status'> | undefined>(undefined)
export const lockedRecords = signal<CapabilityOutput<'seal:list'>['records']>([])
export const sealError = signal<unknown>(undefined)

/** The number of records to check for locked ones. */
const listed = 1000

async function readSeal(): Promise<void> {
  const current = book.peek()
  if (!current) return
  try {
    const state = await current.seal.status()
    const { records } = state.unreadable > 0 ? await current.seal.list({ limit: listed }) : { records: [] }
    if (book.peek() !== current) return
    if (state.state === 'locked' && sealState.peek()?.state !== 'locked') emptyDrafts()
    sealState.value = state
    lockedRecords.value = records.filter(({ locked }) => locked)
  } catch (error) {
    // A closed book says so itself; the last state stays until then.
    if (!isDaybookError(error)) throw error
  }
}

/** Changes the keys and reads the state again. An error is on show. */
async function change(work: (current: Daybook) => Promise<string>): Promise<boolean> {
  sealError.value = undefined
  try {
    tell(await work(await openedBook()))
    return true
  } catch (error) {
    sealError.value = error
    return false
  } finally {
    await readSeal()
  }
}

export const unlock = (passphrase: string) =>
  change(async ({ seal }) => {
    await seal.unlock({ passphrase })
    return 'Unlocked. Sensitive records can be read.'
  })

export const lock = () =>
  change(async ({ seal }) => {
    await seal.lock()
    return 'Locked. Sensitive records need the passphrase.'
  })

export const guard = (passphrase: string) =>
  change(async ({ seal }) => {
    await seal.guard({ passphrase })
    return 'The passphrase now protects the keys.'
  })

export const rotate = () =>
  change(async ({ seal }) => {
    await seal.rotate()
    return 'Key rotated. Existing records are re-encrypted in the background.'
  })

export const exportKeys = (passphrase: string) =>
  change(async ({ seal }) => {
    const { text } = await seal.exportKeys({ passphrase })
    saveFile(new Blob([text], { type: 'application/json' }), `${bookName}.keys.json`)
    return 'Keys exported to your downloads.'
  })

export const importKeys = (file: File, passphrase: string) =>
  change(async ({ seal }) => {
    const { added, state } = await seal.importKeys({ text: await file.text(), passphrase })
    return `${countOf(added.length, 'key')} added. ${countOf(state.unreadable, 'record')} still locked.`
  })

export const forgetLocked = (id: string) =>
  change(async ({ records }) => {
    await records.forget({ id })
    return 'Deleted.'
  })

onBook('change', () => void readSeal())
onBook('progress', ({ capability }) => {
  if (capability === 'seal:rotate') void readSeal()
})
effect(() => {
  sealState.value = undefined
  if (book.value) void readSeal()
})

type Scan = CapabilityOutput<'secret:scan'>

/** The result of the last scan. */
export const secretScan = signal<Scan | undefined>(undefined)
/** The progress of a running scan, in records. */
export const scanStep = signal<{ readonly done: number; readonly total: number } | undefined>(undefined)
export const scanError = signal<unknown>(undefined)
/** Secrets in records that were stored since the page opened, by outcome. */
export const foundSince = signal<Readonly<Record<'sealed' | 'masked' | 'kept', number>>>({
  sealed: 0,
  masked: 0,
  kept: 0,
})

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

/** Scans the book; with `seal`, every record with a secret in clear becomes sensitive. */
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

export const eraseError = signal<unknown>(undefined)
export const isErasing = signal(false)
/** The copy at the edge after an erasure in this tab. Undefined: another tab erased the book. */
export const edgeCopy = signal<'none' | 'erased' | 'remains' | undefined>(undefined)

/** Erases the book here, and with `mirror` first at its edge. On an error nothing was erased. */
export async function eraseBook(confirm: string, mirror: boolean): Promise<void> {
  eraseError.value = undefined
  isErasing.value = true
  const hasEdge = status.peek()?.sync.configured === true
  edgeCopy.value = hasEdge ? (mirror ? 'erased' : 'remains') : 'none'
  try {
    const current = await openedBook()
    await current.erase({ confirm, mirror })
    announce('The book was erased.')
  } catch (error) {
    eraseError.value = error
    edgeCopy.value = undefined
  } finally {
    isErasing.value = false
  }
}
