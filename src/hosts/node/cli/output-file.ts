// A file that appears whole or not at all: written under another name beside its place, flushed, then renamed.
import { randomUUID } from 'node:crypto'
import { rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile } from '../port/private-file.ts'
import { reasonOf } from './input-file.ts'
import { UsageError } from './usage-error.ts'

/** Writes all chunks to `path`, for its owner alone. On any failure nothing is left, and what was there stays. */
export async function writeWhole(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  // The name beside it could be written, and the whole export would be in vain.
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true
  if (isFolder) throw new UsageError(`${path} can't be written: it is a folder`)
  const temporary = `${path}.${randomUUID()}.part`
  const file = await openOwnFile(temporary).catch((cause: unknown) => {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    if (isMissing) throw new UsageError(`There is no folder ${dirname(path)} to write to`)
    const reason = reasonOf(cause)
    throw reason === undefined ? cause : new UsageError(`${path} can't be written: ${reason}`)
  })
  let sizeBytes = 0
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      sizeBytes += chunk.byteLength
    }
    await file.sync()
    await file.close()
    await rename(temporary, path)
    return sizeBytes
  } catch (error) {
    await file.close().catch(() => undefined)
    await unlink(temporary).catch(() => undefined)
    throw error
  }
}
