// An archive as something to import or verify: `s3://bucket/key`, read as it is asked for.
import { basename } from 'node:path'
import { nodeArchives } from './node-archives.ts'
import { readS3Address } from './s3-target.ts'

export const isS3Address = (path: string): boolean => path.startsWith('s3://')

/** Rejects, before anything is opened for it, when there is no such archive, or no way to it. */
export async function openArchiveSource(address: string, signal: AbortSignal) {
  const { bucket, path } = readS3Address(address)
  const store = nodeArchives({ target: `s3://${bucket}` }, undefined).open()
  const { bytes, texts } = await store.read(path, signal)
  return Object.assign(texts, { name: basename(path), size: bytes })
}
