// How sealing stands in the book of this page, and what a person does with its keys. Asked again when records or keys change.
import { saveFile } from '../../page/save-file.ts'
import { effect, signal } from '@preact/signals'
import { type CapabilityOutput, type Daybook, isDaybookError } from '../../../src/index.ts'
import { bookName } from '../address.ts'
import { book, onBook, openedBook } from '../book.ts'
import { tell } from '../../page/toast.ts'
import { countOf } from '../../wording/text-word.ts'
import { emptyDrafts } from '../held.ts'

export const sealState = signal<CapabilityOutput<'seal:status'> | undefined>(undefined)
export const lockedRecords = signal<CapabilityOutput<'seal:list'>['records']>([])
export const sealError = signal<unknown>(undefined)

/** So many are looked through for those that can't be read. */
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
    // A book that ends says so itself; the last state stays on show until then.
    if (!isDaybookError(error)) throw error
  }
}

/** Does something with the keys; what is refused is shown, and the state is read again either way. */
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
