// What the ranking of windows and sessions looks at: which terms of a question some records have and how often, and what
// stands beside them in their sessions. From the postings in memory, or else from the database: the same either way.
import type { Kinds } from '../core/kind.ts'
import type { JsonObject } from '../core/path.ts'
import type { SqlRow } from '../core/ports.ts'
import type { Fragment } from './expression.ts'
import { frequencyAt, seekPosting } from './posting-list.ts'
import type { Postings } from './postings.ts'
import { type Read, siftRows } from './sift.ts'
import { textOf } from './text.ts'
import { tokenize } from './tokenize.ts'

export interface Place {
  /** The same for records of one session, undefined for a record without one. */
  readonly session: string | number | undefined
  /** The record right before it in its session by time, when it may be seen. */
  readonly before: number | undefined
  readonly after: number | undefined
}

export interface TermCount {
  /** How many words the record has. */
  readonly size: number
  /** How often it has each of the terms, in their order. */
  readonly counts: readonly number[]
}

/** Where `seqs` stand in their sessions. Neighbours that `where` does not let be seen are left out. */
export function placesOf(
  read: Read,
  known: Postings | undefined,
  seqs: readonly number[],
  { where, isPlain }: { where: readonly Fragment[]; isPlain: boolean },
): Map<number, Place> {
  const places = known ? placesInMemory(known, seqs) : placesInDatabase(read, seqs)
  const beside = new Set<number>()
  for (const { before, after } of places.values()) {
    if (before !== undefined) beside.add(before)
    if (after !== undefined) beside.add(after)
  }
  const seen = new Set<number>()
  const asked: number[] = []
  for (const seq of beside) {
    const document = isPlain && known ? known.documentOf(seq) : -1
    if (known && document >= 0 && known.isPlain(document)) seen.add(seq)
    else asked.push(seq)
  }
  if (asked.length > 0) for (const seq of siftRows(read, asked, where).keys()) seen.add(seq)
  const visible = (seq: number | undefined) => (seq !== undefined && seen.has(seq) ? seq : undefined)
  if (seen.size === beside.size) return places
  return new Map(
    [...places].map(([seq, { session, before, after }]) => [
      seq,
      { session, before: visible(before), after: visible(after) },
    ]),
  )
}

function placesInMemory(postings: Postings, seqs: readonly number[]): Map<number, Place> {
  const sizes = postings.sizes()
  const isLive = (document: number) => sizes[document] !== 0
  const seqAt = (document: number) => (document < 0 ? undefined : postings.seqOf(document))
  return new Map(
    seqs.flatMap((seq): [number, Place][] => {
      const document = postings.documentOf(seq)
      if (document < 0) return []
      const session = postings.threads.sessionOf(document)
      if (session === 0) return [[seq, alone]]
      const [before, after] = postings.threads.around(document, isLive)
      return [[seq, { session, before: seqAt(before), after: seqAt(after) }]]
    }),
  )
}

const alone: Place = { session: undefined, before: undefined, after: undefined }

function placesInDatabase(read: Read, seqs: readonly number[]): Map<number, Place> {
  const rows = read<
    SqlRow & { seq: number; session: string | null; before: number | null; after: number | null }
  >(
    `SELECT f.seq, f.session,
       (SELECT b.seq FROM facets b WHERE b.session = f.session AND (b.happened_at, b.seq) < (f.happened_at, f.seq)
        ORDER BY b.happened_at DESC, b.seq DESC LIMIT 1) AS before,
       (SELECT b.seq FROM facets b WHERE b.session = f.session AND (b.happened_at, b.seq) > (f.happened_at, f.seq)
        ORDER BY b.happened_at, b.seq LIMIT 1) AS after
     FROM json_each(?) j CROSS JOIN facets f ON f.seq = j.value`,
    [JSON.stringify(seqs)],
  )
  return new Map(
    rows.map(({ seq, session, before, after }) => [
      seq,
      session === null ? alone : { session, before: before ?? undefined, after: after ?? undefined },
    ]),
  )
}

/** How often each of `seqs` has each of `terms`, which are spelled as the index spells them. */
export function countTerms(
  read: Read,
  kinds: Kinds,
  known: Postings | undefined,
  seqs: readonly number[],
  terms: readonly string[],
): Map<number, TermCount> {
  return known ? countInMemory(known, seqs, terms) : countInDatabase(read, kinds, seqs, terms)
}

function countInMemory(
  postings: Postings,
  seqs: readonly number[],
  terms: readonly string[],
): Map<number, TermCount> {
  const sizes = postings.sizes()
  const documents = Uint32Array.from(
    seqs.map((seq) => postings.documentOf(seq)).filter((document) => document >= 0),
  ).sort()
  const counted = Array.from(documents, () => terms.map(() => 0))
  terms.forEach((term, i) => {
    const list = postings.list(term)
    if (!list) return
    let at = 0
    documents.forEach((document, n) => {
      at = seekPosting(list, document, at)
      if (at < list.length && (list.entries[at] as number) >>> 8 === document)
        (counted[n] as number[])[i] = frequencyAt(list, at)
    })
  })
  return new Map(
    counted.map((counts, n) => {
      const document = documents[n] as number
      return [postings.seqOf(document), { size: sizes[document] as number, counts }]
    }),
  )
}

function countInDatabase(
  read: Read,
  kinds: Kinds,
  seqs: readonly number[],
  terms: readonly string[],
): Map<number, TermCount> {
  const rows = read<SqlRow & { seq: number; kind: string; happened_at: string; body: string }>(
    `SELECT f.seq, f.kind, f.happened_at, r.body FROM json_each(?) j
     CROSS JOIN facets f ON f.seq = j.value JOIN records r ON r.seq = f.seq`,
    [JSON.stringify(seqs)],
  )
  const columns = new Map(terms.map((term, i) => [term, i]))
  return new Map(
    rows.map((row) => {
      const kind = kinds.get(row.kind)
      const texts = kind ? textOf(kind, JSON.parse(row.body) as JsonObject, row.happened_at) : []
      const counts = terms.map(() => 0)
      let size = 0
      for (const term of texts.flatMap((text) => tokenize(text))) {
        size += 1
        const column = columns.get(term)
        if (column !== undefined) counts[column] = (counts[column] ?? 0) + 1
      }
      return [row.seq, { size: Math.max(1, size), counts }]
    }),
  )
}
