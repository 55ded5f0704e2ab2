// Whether this browser gives its files to this page at all. Invariant: a book that is there and can't be opened is never
// taken for that.
import { inWords, isQuotaFault } from './browser-fault.ts'
import type { SyncHandle } from './kept-tail.ts'

/** A file as workers see it, which the types of pages do not know. */
interface SyncFile {
  createSyncAccessHandle(): Promise<Pick<SyncHandle, 'close'>>
}

/** Why there is no OPFS here, in words; undefined where there is. Changes nothing. */
export async function whyNoOpfs(): Promise<string | undefined> {
  const storage = globalThis.navigator?.storage as Partial<StorageManager> | undefined
  if (typeof storage?.getDirectory !== 'function') return 'it has no origin private file system'
  const files: object | undefined = globalThis.FileSystemFileHandle?.prototype
  if (!files || !('createSyncAccessHandle' in files)) return 'its file system has no synchronous access'
  // Private windows of some browsers have it all and refuse it here.
  return storage.getDirectory().then(() => undefined, inWords)
}

/** The same of a browser that only refuses when a file is opened: tries it with an empty one. */
export async function whyNoHandle(): Promise<string | undefined> {
  const name = `.daybook-probe-${crypto.randomUUID()}`
  try {
    const root = await navigator.storage.getDirectory()
    try {
      const file = (await root.getFileHandle(name, { create: true })) as FileSystemFileHandle & SyncFile
      ;(await file.createSyncAccessHandle()).close()
    } finally {
      await root.removeEntry(name).catch(() => undefined)
    }
    return undefined
  } catch (error) {
    return isQuotaFault(error) ? undefined : inWords(error)
  }
}
