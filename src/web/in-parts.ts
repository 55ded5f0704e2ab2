// Texts in UTF-8, cut into parts of one size, as uploads in parts want them. Invariant: memory holds two parts, however many
// there are: what was given is overwritten once the next one is asked for.

/** S3 takes parts of 5 MiB and more, all of one size but the last (R2), at most 10,000 of them. */
export const archivePart = { bytes: 8 * 1024 * 1024, count: 10_000 } as const

export interface ArchivePart {
  /** From 1. */
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isLast: boolean
}

/** At least one part, which of an empty text is empty. Texts do not end inside a surrogate pair. */
export async function* inParts(
  texts: AsyncIterable<string>,
  partBytes: number = archivePart.bytes,
): AsyncGenerator<ArchivePart, void, undefined> {
  const encoder = new TextEncoder()
  /** A character that does not fit into what is left of a part. */
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
      // Whoever asks on is done with what was given, and its memory is filled next.
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
