// A segment: a run of documents of the postings as bytes. An entry has the gap to the previous document, so most
// entries take one byte.
// Invariant: a reader restores the same records with the same facts, terms and frequencies, in the same order.
import { ByteReader, ByteWriter } from './byte-stream.ts'
import { documentAt, eachPosting, type PostingList, readPostings, seekPosting } from './posting-list.ts'
import type { Postings } from './postings.ts'

/**
 * Version of the format and of its content: the tokenizer, the texts of a record, its facts. Increase it when one of
 * these changes: then stored segments are rebuilt.
 */
export const segmentVersion = 2

/** Most bytes of an entry. */
const entryBytes = 10
const plainFlag = 1
const lightFlag = 2
const flagCount = 4

/** Writes the live documents from `from` up to, not including, `to`. */
export function writeSegment(postings: Postings, from: number, to: number): Uint8Array {
  const out = new ByteWriter()
  const places = new Int32Array(to - from).fill(-1)
  const live: number[] = []
  const sizes = postings.sizes()
  for (let document = from; document < to; document++)
    if (sizes[document] !== 0) places[document - from] = live.push(document) - 1
  writeSessions(postings, live, out)
  let lastSeq = 0
  let lastAt = 0
  for (const document of live) {
    const seq = postings.seqOf(document)
    const at = postings.sessions.atOf(document)
    out.signed(seq - lastSeq)
    out.signed(at - lastAt)
    out.number(sizes[document] as number)
    lastSeq = seq
    lastAt = at
  }
  writeTerms(postings, [from, to], places, out)
  return out.bytes()
}

/** Writes the names of the sessions, then the flags and the session of each document. */
function writeSessions(postings: Postings, live: readonly number[], out: ByteWriter): void {
  const { sessions } = postings
  const names: string[] = []
  const numbers = new Map<number, number>([[0, 0]])
  for (const document of live) {
    const session = sessions.sessionOf(document)
    if (!numbers.has(session)) numbers.set(session, names.push(sessions.nameOf(session)))
  }
  out.number(names.length)
  for (const name of names) out.text(name)
  out.number(live.length)
  for (const document of live) {
    const flags = (postings.isPlain(document) ? plainFlag : 0) + (postings.isLight(document) ? lightFlag : 0)
    out.number((numbers.get(sessions.sessionOf(document)) ?? 0) * flagCount + flags)
  }
}

/** Writes the length and the entry count of each term, then all terms as one text, then the entries of each term. */
function writeTerms(
  postings: Postings,
  [from, to]: readonly [number, number],
  places: Int32Array,
  out: ByteWriter,
): void {
  const terms: string[] = []
  const counts: number[] = []
  let entries = new Uint8Array(65_536)
  let length = 0
  for (const term of postings.terms()) {
    const list = postings.list(term)
    if (!list || list.length === 0 || documentAt(list, list.length - 1) < from) continue
    const begin = seekPosting(list, from, 0)
    const end = seekPosting(list, to, begin)
    if (length + entryBytes * (end - begin) > entries.length) {
      const grown = new Uint8Array(2 * entries.length + entryBytes * (end - begin))
      grown.set(entries)
      entries = grown
    }
    let count = 0
    let before = 0
    eachPosting(list, begin, end, (document, frequency) => {
      const place = places[document - from] as number
      if (place < 0) return
      let rest = (place - before) * 2 + (frequency > 1 ? 1 : 0)
      for (; rest >= 128; rest >>>= 7) entries[length++] = (rest & 127) | 128
      entries[length++] = rest
      if (frequency > 1) {
        for (rest = frequency; rest >= 128; rest >>>= 7) entries[length++] = (rest & 127) | 128
        entries[length++] = rest
      }
      before = place
      count += 1
    })
    if (count > 0) counts[terms.push(term) - 1] = count
  }
  out.number(terms.length)
  terms.forEach((term, i) => {
    out.number(term.length)
    out.number(counts[i] as number)
  })
  out.text(terms.join(''))
  out.raw(entries.subarray(0, length))
}

/** An opened segment: the postings have its terms, but no documents of it yet. */
export interface SegmentReader {
  /**
   * Adds its documents, in place of those of the same records. No other code may change the postings before it ends.
   */
  read(): Generator<undefined, void>
}

/** Reading pauses after this many: one piece takes a millisecond or two. */
const piece = { documents: 8192, terms: 8192, entries: 65_536 } as const

/**
 * Announces the terms of a segment to `postings`, piece by piece. Then read every opened segment, in the same order.
 */
export function* openSegment(bytes: Uint8Array, postings: Postings): Generator<undefined, SegmentReader> {
  const read = new ByteReader(bytes)
  const names = Array.from({ length: read.number() }, () => read.text())
  const kinds = new Float64Array(read.number())
  for (let i = 0; i < kinds.length; i++) kinds[i] = read.number()
  yield
  const seqs = new Float64Array(kinds.length)
  const times = new Float64Array(kinds.length)
  const sizes = new Uint32Array(kinds.length)
  let seq = 0
  let at = 0
  for (let i = 0; i < kinds.length; i++) {
    seqs[i] = seq += read.signed()
    times[i] = at += read.signed()
    sizes[i] = read.number()
    if (i % piece.documents === piece.documents - 1) yield
  }
  const lengths = new Uint32Array(read.number())
  const counts = new Uint32Array(lengths.length)
  for (let i = 0; i < lengths.length; i++) {
    lengths[i] = read.number()
    counts[i] = read.number()
  }
  const terms = read.text()
  yield
  const lists: PostingList[] = []
  let from = 0
  for (let i = 0; i < counts.length; i++) {
    const term = terms.slice(from, (from += lengths[i] as number))
    lists.push(postings.expect(term, counts[i] as number))
    if (i % piece.terms === piece.terms - 1) yield
  }
  return {
    *read() {
      // Remove all before the first append: a removal may renumber documents.
      for (const one of seqs) postings.remove(one)
      const first = postings.documents()
      for (let i = 0; i < kinds.length; i++) {
        const kind = kinds[i] as number
        postings.append(seqs[i] as number, sizes[i] as number, {
          session: names[Math.floor(kind / flagCount) - 1],
          at: times[i] as number,
          isPlain: (kind & plainFlag) !== 0,
          isLight: (kind & lightFlag) !== 0,
        })
        if (i % piece.documents === piece.documents - 1) yield
      }
      const written = { bytes, first, last: Math.max(first, postings.documents() - 1), at: read.at() }
      let budget: number = piece.entries
      for (let i = 0; i < lists.length; i++) {
        const count = counts[i] as number
        readPostings(lists[i] as PostingList, count, written)
        budget -= count
        if (budget > 0) continue
        yield
        budget = piece.entries
      }
    },
  }
}

/** A 32-bit checksum of `bytes`: it detects damage, not tampering. */
export function checksumOf(bytes: Uint8Array, seed: number): number {
  const whole = bytes.length & ~3
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let sum = Math.imul(seed ^ bytes.length, 0x9e3779b1)
  for (let at = 0; at < whole; at += 4) sum = stir(sum ^ view.getInt32(at, true))
  for (let at = whole; at < bytes.length; at++) sum = stir(sum ^ (bytes[at] ?? 0))
  return (sum ^ (sum >>> 15)) >>> 0
}

/** A bijection: different inputs give different results. */
function stir(sum: number): number {
  const turned = Math.imul(sum, 0x85ebca6b)
  return Math.imul((turned << 13) | (turned >>> 19), 0xc2b2ae35)
}
