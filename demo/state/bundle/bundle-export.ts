// Writes the book, or part of it, into a bundle: first into a file of this origin, then as a download of the browser.
// Invariant: the file of this origin is removed after the end, an error or a cancel.
import { releaseMs, saveFile } from '../../page/save-file.ts'
import { signal } from '@preact/signals'
import { isDaybookError } from '../../../src/index.ts'
import { asDaybookError } from '../../wording/error-word.ts'
import { bookName } from '../address.ts'
import { announce } from '../../page/toast.ts'
import { onBook, openedBook } from '../book.ts'

export interface ExportChoice {
  /** Undefined: all. */
  readonly kinds: readonly string[] | undefined
  /** Dates, or empty. */
  readonly from: string
  readonly to: string
  readonly passphrase: string
  readonly isSigned: boolean
  readonly hasTokens: boolean
  /** Include sensitive records; undefined for a book without any. */
  readonly sensitive: boolean | undefined
}

export type Exporting =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly writtenBytes: number; readonly share: number }
  | { readonly state: 'done'; readonly name: string; readonly sizeBytes: number }
  | { readonly state: 'failed'; readonly error: unknown }

export const exporting = signal<Exporting>({ state: 'idle' })

let abort = new AbortController()

export function cancelExport(): void {
  abort.abort()
}

/** Exports by `choice` and downloads the file. */
export async function exportBundle(choice: ExportChoice): Promise<void> {
  if (exporting.peek().state === 'running') return
  abort = new AbortController()
  exporting.value = { state: 'running', writtenBytes: 0, share: 0 }
  try {
    const current = await openedBook(abort.signal)
    const stream = await current.export(
      {
        ...(choice.kinds ? { kinds: [...choice.kinds] } : {}),
        ...(choice.from === '' ? {} : { from: choice.from }),
        ...(choice.to === '' ? {} : { to: choice.to }),
        ...(choice.passphrase === '' ? {} : { passphrase: choice.passphrase }),
        ...(choice.isSigned ? { sign: true } : {}),
        ...(choice.hasTokens ? { includeTokens: true } : {}),
        ...(choice.sensitive === undefined ? {} : { includeSensitive: choice.sensitive }),
      },
      { signal: abort.signal },
    )
    const name = `${bookName}-${new Date().toISOString().slice(0, 10)}.kstar.json`
    const sizeBytes = await download(stream, name, abort.signal)
    exporting.value = { state: 'done', name, sizeBytes }
    announce(`${name} is written.`)
  } catch (error) {
    const isCancelled = abort.signal.aborted || isDaybookError(error, 'aborted')
    exporting.value = isCancelled ? { state: 'idle' } : { state: 'failed', error: asDaybookError(error) }
  }
}

/** Writes through a file of the origin, so that memory never has a large book. Answers its size. */
async function download(
  stream: ReadableStream<Uint8Array>,
  name: string,
  signal: AbortSignal,
): Promise<number> {
  const root = await navigator.storage?.getDirectory?.().catch(() => undefined)
  if (!root) return save(await new Response(counted(stream)).blob(), name)
  const place = `export-${crypto.randomUUID()}`
  const handle = await root.getFileHandle(place, { create: true })
  try {
    await counted(stream).pipeTo(await handle.createWritable(), { signal })
    return save(await handle.getFile(), name)
  } finally {
    // The download has the file open; its name in this origin is not needed any more.
    setTimeout(() => void root.removeEntry(place).catch(() => undefined), releaseMs)
  }
}

function save(file: Blob, name: string): number {
  saveFile(file, name)
  return file.size
}

/** The same bytes, counted as they pass. */
function counted(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let writtenBytes = 0
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        writtenBytes += chunk.byteLength
        const now = exporting.peek()
        if (now.state === 'running') exporting.value = { ...now, writtenBytes }
        controller.enqueue(new Uint8Array(chunk))
      },
    }),
  )
}

onBook('progress', ({ capability, done, total }) => {
  const now = exporting.peek()
  if (capability === 'bundle:export' && now.state === 'running')
    exporting.value = { ...now, share: total > 0 ? done / total : 0 }
})

/** The fault of a choice, in words; undefined without a fault. */
export function faultOf({ kinds, from, to, passphrase }: ExportChoice): string | undefined {
  if (kinds?.length === 0) return 'Choose at least one kind.'
  if (from !== '' && to !== '' && from > to) return 'The range ends before it begins.'
  if (passphrase !== '' && passphrase.length < 8) return 'A passphrase has at least 8 characters.'
  return undefined
}

export function forgetExport(): void {
  exporting.value = { state: 'idle' }
}
