// Imports files one after the other, each whole or not at all. Each can be cancelled.
import { signal } from '@preact/signals'
import { DaybookError, isDaybookError } from '../../../src/index.ts'
import { countOf } from '../../wording/text-word.ts'
import { address, go } from '../address.ts'
import { announce } from '../../page/toast.ts'
import { onBook, openedBook } from '../book.ts'
import { isBundleFile, tryBundle } from './bundle-import.ts'
import { type ImportView, viewOfFormat } from '../../kind/view.ts'
import { reloadList } from '../list/record-list.ts'

export type ImportState =
  | { readonly step: 'waiting' | 'importing' | 'cancelled' }
  | {
      readonly step: 'done'
      readonly imported: number
      readonly skipped: number
      readonly view: ImportView
      readonly session?: string
    }
  | { readonly step: 'failed'; readonly error: unknown }

export interface FileImport {
  readonly number: number
  readonly name: string
  readonly sizeBytes: number
  readonly state: ImportState
}

export const imports = signal<readonly FileImport[]>([])
/** The progress of the current file, 0 to 1. */
export const importShare = signal(0)

const queue: { readonly number: number; readonly file: File; readonly abort: AbortController }[] = []
let isRunning = false
let numbered = 0

/** Imports files. A bundle opens for a look first; all other files are imported at once. */
export function importFiles(files: readonly File[]): void {
  void sortOut(files)
}

async function sortOut(files: readonly File[]): Promise<void> {
  const isBundle = await Promise.all(files.map((file) => isBundleFile(file).catch(() => false)))
  const bundle = files.find((_, i) => isBundle[i])
  queueFiles(files.filter((file) => file !== bundle))
  if (bundle) await tryBundle(bundle)
}

/** Queues files. */
function queueFiles(files: readonly File[]): void {
  if (files.length === 0) return
  for (const file of files) {
    numbered += 1
    queue.push({ number: numbered, file, abort: new AbortController() })
    imports.value = [
      ...imports.value,
      { number: numbered, name: file.name, sizeBytes: file.size, state: { step: 'waiting' } },
    ]
  }
  if (!isRunning) void run()
}

export function cancelImport(number: number): void {
  queue.find((one) => one.number === number)?.abort.abort()
  if (imports.peek().some((one) => one.number === number && one.state.step === 'waiting')) {
    set(number, { step: 'cancelled' })
  }
}

/** Removes finished files from the list. */
export function clearImports(): void {
  imports.value = imports.value.filter(({ state }) => state.step === 'waiting' || state.step === 'importing')
}

async function run(): Promise<void> {
  isRunning = true
  let imported = 0
  for (let next = queue[0]; next; next = queue[0]) {
    if (!next.abort.signal.aborted) imported += await importOne(next.number, next.file, next.abort.signal)
    queue.shift()
  }
  isRunning = false
  const failed = imports.peek().filter(({ state }) => state.step === 'failed').length
  announce(
    `${countOf(imported, 'record')} imported${failed > 0 ? `, ${countOf(failed, 'file')} refused` : ''}.`,
  )
  if (imported > 0) {
    const views = imports.peek().flatMap(({ state }) => (state.step === 'done' ? [state.view] : []))
    const [first] = views
    if (first !== undefined && !views.some((view) => view === address.peek().view)) go({ view: first })
    await reloadList()
  }
}

async function importOne(number: number, file: File, abort: AbortSignal): Promise<number> {
  try {
    const current = await openedBook(abort)
    set(number, { step: 'importing' })
    importShare.value = 0
    const { imported, skipped, session, format } = await current.import(file, {
      name: file.name,
      signal: abort,
    })
    const view = viewOfFormat(format)
    set(number, { step: 'done', imported, skipped, view, ...(session === undefined ? {} : { session }) })
    return imported
  } catch (error) {
    if (isDaybookError(error, 'aborted')) set(number, { step: 'cancelled' })
    else
      set(number, {
        step: 'failed',
        error: error instanceof DOMException ? unreadable(file.name, error) : error,
      })
    return 0
  }
}

function unreadable(name: string, cause: DOMException): DaybookError {
  return new DaybookError(
    'invalid-file',
    `${name}: The browser could not read it (${cause.name}). Folders cannot be imported.`,
    {
      details: { file: name, path: '' },
      cause,
    },
  )
}

function set(number: number, state: ImportState): void {
  imports.value = imports.value.map((one) => (one.number === number ? { ...one, state } : one))
}

onBook('progress', ({ capability, done, total }) => {
  if (capability.startsWith('import:') || capability === 'bundle:import')
    importShare.value = total > 0 ? done / total : 0
})
