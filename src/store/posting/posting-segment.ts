// A run of documents of the postings as bytes, to be kept in the book: gaps instead of numbers, most entries one byte.
// Invariant: what is read back has the same records with the same facts, terms and frequencies, in the same order.
import { createByteReader, createByteWriter } from './byte-stream.ts'
import { documentAt, eachPosting, type PostingList, readPostings, seekPosting } from './posting-list.ts'
import type { Postings } from './postings.ts'

/**
 * Version of these bytes and of everything that decides what is in them: the tokenizer, the texts of a record, what of
 * its facts is kept. Whoever changes one of those changes this, and what was kept is made anew.
 */
export const segmentVersion = 2

/** Bytes that an entry takes at most. */
const entryBytes = 10
const plainFlag = 1
const lightFlag = 2
const flagCount = 4

/** The live documents from `from` up to, not including, `to`. */
export function writeSegment(postings: Postings, from: number, to: number): Uint8Array {
  const out = createByteWriter()
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
    const at = postings.threads.atOf(document)
    out.signed(seq - lastSeq)
    out.signed(at - lastAt)
    out.number(sizes[document] as number)
    lastSeq = seq
    lastAt = at
  }
  writeTerms(postings, [from, to], places, out)
  return out.bytes()
}

type Writer = ReturnType<typeof createByteWriter>

/** Names of the sessions, then for each document what it is and which session it has. */
function writeSessions(postings: Postings, live: readonly number[], out: Writer): void {
  const { threads } = postings
  const names: string[] = []
  const numbers = new Map<number, number>([[0, 0]])
  for (const document of live) {
    const session = threads.sessionOf(document)
    if (!numbers.has(session)) numbers.set(session, names.push(threads.nameOf(session)))
  }
  out.number(names.length)
  for (const name of names) out.text(name)
  out.number(live.length)
  for (const document of live) {
    const flags = (postings.isPlain(document) ? plainFlag : 0) + (postings.isLight(document) ? lightFlag : 0)
    out.number((numbers.get(threads.sessionOf(document)) ?? 0) * flagCount + flags)
  }
}

/** All terms with the number of their entries, and then, term by term, the entries. */
function writeTerms(
  postings: Postings,
  [from, to]: readonly [number, number],
  places: Int32Array,
  out: Writer,
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

/** A segment that was begun to be read: its terms are known to the postings, its documents are not. */
export interface OpenSegment {
  /** Adds its documents, in place of what the postings have of the same records. Nothing else may change them until then. */
  read(): Generator<undefined, void>
}

/** So many documents, terms or entries are one piece of reading: a millisecond or two. */
const piece = { documents: 8192, terms: 8192, entries: 65_536 } as const

/** Tells `postings` what to expect, piece by piece. Whatever is opened is to be read, in the same order. */
export function* openSegment(bytes: Uint8Array, postings: Postings): Generator<undefined, OpenSegment> {
  const read = createByteReader(bytes)
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
      // All of them first: removing may give documents new numbers.
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
      let left: number = piece.entries
      for (let i = 0; i < lists.length; i++) {
        const count = counts[i] as number
        readPostings(lists[i] as PostingList, count, written)
        left -= count
        if (left > 0) continue
        yield
        left = piece.entries
      }
    },
  }
}

/** A number of 32 bits over `bytes`, to which each bit counts: it shows damage, not malice. */
export function checksumOf(bytes: Uint8Array, seed: number): number {
  const whole = bytes.length & ~3
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let sum = Math.imul(seed ^ bytes.length, 0x9e3779b1)
  for (let at = 0; at < whole; at += 4) sum = stir(sum ^ view.getInt32(at, true))
  for (let at = whole; at < bytes.length; at++) sum = stir(sum ^ (bytes[at] ?? 0))
  return (sum ^ (sum >>> 15)) >>> 0
}

/** Reversible, so that no two states become one. */
function stir(sum: number): number {
  const turned = Math.imul(sum, 0x85ebca6b)
  return Math.imul((turned << 13) | (turned >>> 19), 0xc2b2ae35)
}
