// Splits UTF-8 texts into equal parts for a multipart upload.
// Invariant: memory contains two parts, for any number of parts. The bytes of a part are overwritten once the next
// part is requested.
import { DaybookError } from '../core/errors.ts'

/**
 * Size of a part, and maximum number of parts. S3 requires at least 5 MiB per part except the last, and at most
 * 10,000 parts; R2 requires parts of one size except the last.
 */
export const archivePart = { bytes: 8 * 1024 * 1024, count: 10_000 } as const

export interface ArchivePart {
  /** Number of the part, from 1. */
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isLast: boolean
}

/**
 * Yields at least one part; without text, one empty part. No text may end inside a surrogate pair. Finish with the
 * bytes of a part before you request the next part.
 */
export async function* uploadParts(
  texts: AsyncIterable<string>,
  partBytes: number = archivePart.bytes,
): AsyncGenerator<ArchivePart, void, undefined> {
  const encoder = new TextEncoder()
  /** Bytes of a character that crosses the end of a part. */
  const split = new Uint8Array(4)
  /** The part that is being filled, and the full part before it, which waits because it may be the last. */
  let filling = new Uint8Array(partBytes)
  let full: Uint8Array<ArrayBuffer> | undefined
  /** Filled bytes of `filling`. */
  let used = 0
  let number = 0
  for await (const text of texts) {
    for (let at = 0; at < text.length;) {
      const { read, written } = encoder.encodeInto(at === 0 ? text : text.slice(at), filling.subarray(used))
      at += read
      used += written
      if (at === text.length && used < partBytes) break
      // The bytes of the split character that belong to the next part.
      let rest = new Uint8Array()
      if (used < partBytes) {
        const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
        rest = split.subarray(0, encoder.encodeInto(character, split).written)
        at += character.length
        filling.set(rest.subarray(0, partBytes - used), used)
        rest = rest.subarray(partBytes - used)
      }
      if (full) yield { number: ++number, bytes: full, isLast: false }
      // The consumer requested the next part: reuse the memory of the previous one.
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

/**
 * Decodes the chunks of a file as UTF-8. Throws `invalid-file` for other bytes. `name`: the file's name in the error.
 */
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
