// A file that appears whole or not at all: written under another name beside its place, flushed, then renamed.
// Invariant: only a file is replaced. A link leads to one, and a pipe or a device is written into.
import { randomUUID } from 'node:crypto'
import { open, realpath, rename, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openOwnFile } from '../port/private-file.ts'
import { reasonOf } from './input-file.ts'
import { UsageError } from './usage-error.ts'

/** Writes all chunks to the file `given`, for its owner alone. On any failure nothing is left, and what was there stays. */
export async function writeWhole(given: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const path = await realpath(given).catch(() => given)
  const found = await stat(path).catch(() => undefined)
  // The name beside it could be written, and the whole export would be in vain.
  if (found?.isDirectory()) throw new UsageError(`${given} can't be written: it is a folder`)
  if (found && !found.isFile()) return writeInto(path, chunks)
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

async function writeInto(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
  const pipe = await open(path, 'w')
  let sizeBytes = 0
  try {
    for await (const chunk of chunks) {
      await pipe.writeFile(chunk)
      sizeBytes += chunk.byteLength
    }
  } finally {
    await pipe.close()
  }
  return sizeBytes
}
