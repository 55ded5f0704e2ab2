// The files of a closed book, for tests that change them behind its back.
import type { BookFileRequest } from './book-file.worker.ts'

async function ask(request: BookFileRequest): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const worker = new Worker(new URL('./book-file.worker.ts', import.meta.url), { type: 'module' })
  try {
    const { port1, port2 } = new MessageChannel()
    const answered = new Promise<{ failure?: string; bytes?: Uint8Array<ArrayBuffer> }>((resolve, reject) => {
      port1.onmessage = ({ data }) => resolve(data as never)
      worker.onerror = ({ message }) => reject(new Error(message))
    })
    worker.postMessage(request, [port2])
    const { failure, bytes } = await answered
    if (failure !== undefined) throw new Error(failure)
    return bytes
  } finally {
    worker.terminate()
  }
}

export const alterBook = (name: string, statements: readonly string[]) =>
  ask({ type: 'alter', name, statements })
export const readBookFile = async (name: string) => (await ask({ type: 'read', name })) ?? new Uint8Array()
export const writeBookFile = (name: string, bytes: Uint8Array<ArrayBuffer>) =>
  ask({ type: 'write', name, bytes })
/** The bytes of every file of the book as text, of those in use too, also where the pool has let go of one. */
export async function readBookFiles(name: string): Promise<string> {
  let folder = await navigator.storage.getDirectory()
  for (const part of ['daybook', name, '.opaque']) folder = await folder.getDirectoryHandle(part)
  let text = ''
  for await (const one of folder.values()) {
    const bytes = await (await (one as FileSystemFileHandle).getFile()).arrayBuffer()
    text += new TextDecoder('latin1').decode(bytes)
  }
  return text
}

/** Leaves only `size` bytes of the file of the book, of which the pool's own header takes 4,096. */
export const cutBook = (name: string, size: number) => ask({ type: 'cut', name, size })

/** Changes all bits of one byte of the database, where it lies in OPFS. */
export const flipByte = (name: string, at: number) => ask({ type: 'flip', name, at })

const pageBytes = 4096

/** Pages that hold these words. */
function pagesWith(bytes: Uint8Array, words: string): number[] {
  const text = new TextDecoder('latin1').decode(bytes)
  const pages = new Set<number>()
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    pages.add(Math.floor(at / pageBytes))
  return [...pages]
}

/** Writes over the pages that are chosen, by what stands in them; answers the file as it is then. */
export async function breakBook(
  name: string,
  choose: (pagesWith: (words: string) => readonly number[]) => readonly number[],
): Promise<Uint8Array> {
  const bytes = await readBookFile(name)
  for (const page of choose((words) => pagesWith(bytes, words)))
    bytes.fill(0xa5, page * pageBytes, (page + 1) * pageBytes)
  await writeBookFile(name, bytes)
  return bytes
}

interface Directory extends FileSystemDirectoryHandle {
  removeEntry(name: string, options?: { recursive?: boolean }): Promise<void>
}

/** As a browser does when it needs room: the files are gone, what other storage has stays. */
export async function evictBook(name: string): Promise<void> {
  const root = await navigator.storage.getDirectory()
  const folder = (await root.getDirectoryHandle('daybook')) as Directory
  await folder.removeEntry(name, { recursive: true })
}
