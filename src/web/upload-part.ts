// Splits UTF-8 texts into equal parts for a multipart upload.
// Invariant: memory holds two parts, however many there are: the bytes of a part are overwritten once the next one is
// requested.
import { DaybookError } from '../core/errors.ts'

/** S3 takes parts of 5 MiB and more, all of one size but the last (R2), at most 10,000 of them. */
export const archivePart = { bytes: 8 * 1024 * 1024, count: 10_000 } as const

export interface ArchivePart {
  /** From 1. */
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isLast: boolean
}

/** Yields at least one part; an empty text gives an empty part. No text may end inside a surrogate pair. */
export async function* uploadParts(
  texts: AsyncIterable<string>,
  partBytes: number = archivePart.bytes,
): AsyncGenerator<ArchivePart, void, undefined> {
  const encoder = new TextEncoder()
  /** A character that crosses the end of a part. */
  const split = new Uint8Array(4)
  let filling = new Uint8Array(partBytes)
  let full: Uint8Array<ArrayBuffer> | undefined
  let used = 0
  let number = 0
  for await (const text of texts) {
    for (let at = 0; at < text.length;) {
      const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), filling.subarray(used))
      at += read
      used += written
      if (at === text.length && used < partBytes) break
      let rest = new Uint8Array()
      if (used < partBytes) {
        const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
        rest = split.subarray(0, encoder.encodeInto(character, split).written)
        at += character.length
        filling.set(rest.subarray(0, partBytes - used), used)
        rest = rest.subarray(partBytes - used)
      }
      if (full) yield { number: ++number, bytes: full, isLast: false }
      // The consumer has finished with the previous part: reuse its memory.
      const next: Uint8Array<ArrayBuffer> = full ?? new Uint8Array(partBytes)
      full = filling
      filling = next
      filling.set(rest)
      used = rest.byteLength
    }
  }
  if (full) yield { number: ++number, bytes: full, isLast: used === 0 }
  if (!full || used > 0) yield { number: ++number, bytes: filling.subarray(0, used), isLast: true }
}

/** Decodes a file's chunks as UTF-8; throws `invalid-file` otherwise. `name` appears in the error. */
export async function* utf8Texts(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()
    } catch (cause) {
      const message = `${name}: It is not UTF-8.`
      throw new DaybookError('invalid-file', message, { details: { file: name, path: '' }, cause })
    }
  }
  for await (const chunk of chunks) yield decode(chunk)
  yield decode()
}
