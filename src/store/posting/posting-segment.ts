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

/** Most bytes of an entry: two numbers of 32 bits in LEB128. */
const maxEntryBytes = 10
// The head of a document: its session (0 for none) × `flagCount` + flags. Plain: every recall without a filter may
// return the record. Light: it has no importance, confidence, pin and uses.
const plainFlag = 1
const lightFlag = 2
const flagCount = 4

/** Writes the live documents from `from` up to, not including, `to`. */
export function writeSegment(postings: Postings, from: number, to: number): Uint8Array {
  const out = new ByteWriter()
  const liveNumbers = new Int32Array(to - from).fill(-1)
  const live: number[] = []
  const sizes = postings.sizes()
  for (let document = from; document < to; document++)
    if (sizes[document] !== 0) liveNumbers[document - from] = live.push(document) - 1
  writeSessions(postings, live, out)
  let lastSeq = 0
  let lastTime = 0
  for (const document of live) {
    const seq = postings.seqOf(document)
    const time = postings.sessions.timeOf(document)
    out.signed(seq - lastSeq)
    out.signed(time - lastTime)
    out.number(sizes[document] as number)
    lastSeq = seq
    lastTime = time
  }
  writeTerms(postings, [from, to], liveNumbers, out)
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
  liveNumbers: Int32Array,
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
    if (length + maxEntryBytes * (end - begin) > entries.length) {
      const larger = new Uint8Array(2 * entries.length + maxEntryBytes * (end - begin))
      larger.set(entries)
      entries = larger
    }
    let count = 0
    let previous = 0
    eachPosting(list, begin, end, (document, frequency) => {
      const number = liveNumbers[document - from] as number
      if (number < 0) return
      let rest = (number - previous) * 2 + (frequency > 1 ? 1 : 0)
      for (; rest >= 128; rest >>>= 7) entries[length++] = (rest & 127) | 128
      entries[length++] = rest
      if (frequency > 1) {
        for (rest = frequency; rest >= 128; rest >>>= 7) entries[length++] = (rest & 127) | 128
        entries[length++] = rest
      }
      previous = number
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
const batchSizes = { documents: 8192, terms: 8192, entries: 65_536 } as const

/**
 * Announces the terms of a segment to `postings`, piece by piece. Then read every opened segment, in the same order.
 */
export function* openSegment(bytes: Uint8Array, postings: Postings): Generator<undefined, SegmentReader> {
  const reader = new ByteReader(bytes)
  const names = Array.from({ length: reader.number() }, () => reader.text())
  // The reads follow the order of `writeSegment`.
  const heads = new Float64Array(reader.number())
  for (let i = 0; i < heads.length; i++) heads[i] = reader.number()
  yield
  const seqs = new Float64Array(heads.length)
  const times = new Float64Array(heads.length)
  const sizes = new Uint32Array(heads.length)
  let seq = 0
  let time = 0
  for (let i = 0; i < heads.length; i++) {
    seqs[i] = seq += reader.signed()
    times[i] = time += reader.signed()
    sizes[i] = reader.number()
    if (i % batchSizes.documents === batchSizes.documents - 1) yield
  }
  const lengths = new Uint32Array(reader.number())
  const counts = new Uint32Array(lengths.length)
  for (let i = 0; i < lengths.length; i++) {
    lengths[i] = reader.number()
    counts[i] = reader.number()
  }
  const terms = reader.text()
  yield
  const lists: PostingList[] = []
  let from = 0
  for (let i = 0; i < counts.length; i++) {
    const term = terms.slice(from, (from += lengths[i] as number))
    lists.push(postings.reserveEntries(term, counts[i] as number))
    if (i % batchSizes.terms === batchSizes.terms - 1) yield
  }
  return {
    *read() {
      // Remove all before the first append: a removal may renumber documents.
      for (const recordSeq of seqs) postings.remove(recordSeq)
      const first = postings.documentCount()
      for (let i = 0; i < heads.length; i++) {
        const head = heads[i] as number
        postings.append(seqs[i] as number, sizes[i] as number, {
          session: names[Math.floor(head / flagCount) - 1],
          happenedAtMs: times[i] as number,
          isPlain: (head & plainFlag) !== 0,
          isLight: (head & lightFlag) !== 0,
        })
        if (i % batchSizes.documents === batchSizes.documents - 1) yield
      }
      const segmentEntries = {
        bytes,
        firstDocument: first,
        lastDocument: Math.max(first, postings.documentCount() - 1),
        offset: reader.offset(),
      }
      let budget: number = batchSizes.entries
      for (let i = 0; i < lists.length; i++) {
        const count = counts[i] as number
        readPostings(lists[i] as PostingList, count, segmentEntries)
        budget -= count
        if (budget > 0) continue
        yield
        budget = batchSizes.entries
      }
    },
  }
}

/** A 32-bit checksum of `bytes`: it detects damage, not tampering. */
export function checksumOf(bytes: Uint8Array, seed: number): number {
  const wholeWords = bytes.length & ~3
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let sum = Math.imul(seed ^ bytes.length, 0x9e3779b1)
  for (let at = 0; at < wholeWords; at += 4) sum = mixBits(sum ^ view.getInt32(at, true))
  for (let at = wholeWords; at < bytes.length; at++) sum = mixBits(sum ^ (bytes[at] ?? 0))
  return (sum ^ (sum >>> 15)) >>> 0
}

/** A bijection: different inputs give different results. */
function mixBits(sum: number): number {
  const multiplied = Math.imul(sum, 0x85ebca6b)
  return Math.imul((multiplied << 13) | (multiplied >>> 19), 0xc2b2ae35)
}
