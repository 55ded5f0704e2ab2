// Evidence for the ranking of windows and sessions: how often records have the terms of a question, and their
// neighbours in their sessions.
// Invariant: postings in memory and the database give the same answers.
import type { Zone } from '../../core/zone.ts'
import { collectText, type Kinds } from '../../core/kind.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import type { SqlRow } from '../../core/ports.ts'
import type { Fragment } from '../schema/column.ts'
import { frequencyOf, isEntryOf, seekPosting } from '../posting/posting-list.ts'
import type { Postings } from '../posting/postings.ts'
import { joinConditions, readMatchingRecords, type ReadRows } from '../condition/condition.ts'
import type { ScopeConditions } from '../condition/recall-scope.ts'
import { textsOfRecord } from '../word/text.ts'
import { tokenize } from '../word/tokenize.ts'

export interface SessionNeighbours {
  /** Equal for records of one session; undefined for a record without a session. */
  readonly session: string | number | undefined
  /** The number of the previous record of its session by time; undefined when that record is not visible. */
  readonly before: number | undefined
  /** The number of the next record, likewise. */
  readonly after: number | undefined
}

export interface EvidenceSource {
  readonly read: ReadRows
  /** Undefined when the postings are not in memory. */
  readonly postings: Postings | undefined
}

/** One row for each record, in the order of `seqs`. A missing record has size 0. */
export interface TermCounts {
  /** How many words each record has. */
  readonly sizes: Uint32Array
  /** How often record `i` has term `j`: `counts[i × terms + j]`. */
  readonly counts: Uint32Array
}

/**
 * The places of `seqs` in their sessions. A neighbour that does not satisfy `where` is undefined; a record out of
 * `bounds` is skipped, and the next one is the neighbour. `isPlain`: the question has no filter, so every plain record
 * (`postings.isPlain`) satisfies `where`.
 */
export function neighboursOf(
  { read, postings }: EvidenceSource,
  seqs: readonly number[],
  { where, isPlain, bounds }: Pick<ScopeConditions, 'where' | 'isPlain'> & { bounds: readonly Fragment[] },
): Map<number, SessionNeighbours> {
  const neighbours = postings ? neighboursInMemory(postings, seqs) : neighboursInDatabase(read, seqs, bounds)
  const neighbourSeqs = new Set<number>()
  for (const { before, after } of neighbours.values()) {
    if (before !== undefined) neighbourSeqs.add(before)
    if (after !== undefined) neighbourSeqs.add(after)
  }
  const visible = new Set<number>()
  const untested: number[] = []
  for (const seq of neighbourSeqs) {
    const document = isPlain && postings ? postings.documentOf(seq) : -1
    if (postings && document >= 0 && postings.isPlain(document)) visible.add(seq)
    else untested.push(seq)
  }
  if (untested.length > 0)
    for (const seq of readMatchingRecords(read, untested, where).keys()) visible.add(seq)
  if (visible.size === neighbourSeqs.size) return neighbours
  const ifVisible = (seq: number | undefined) => (seq !== undefined && visible.has(seq) ? seq : undefined)
  return new Map(
    [...neighbours].map(([seq, { session, before, after }]) => [
      seq,
      { session, before: ifVisible(before), after: ifVisible(after) },
    ]),
  )
}

function neighboursInMemory(postings: Postings, seqs: readonly number[]): Map<number, SessionNeighbours> {
  const sizes = postings.sizes()
  const isLive = (document: number) => sizes[document] !== 0
  const seqAt = (document: number) => (document < 0 ? undefined : postings.seqOf(document))
  const found = new Map<number, SessionNeighbours>()
  for (const seq of seqs) {
    const document = postings.documentOf(seq)
    if (document < 0) continue
    const session = postings.sessions.sessionOf(document)
    if (session === 0) found.set(seq, noNeighbours)
    else {
      const [before, after] = postings.sessions.neighbours(document, isLive)
      found.set(seq, { session, before: seqAt(before), after: seqAt(after) })
    }
  }
  return found
}

const noNeighbours: SessionNeighbours = { session: undefined, before: undefined, after: undefined }

function neighboursInDatabase(
  read: ReadRows,
  seqs: readonly number[],
  bounds: readonly Fragment[],
): Map<number, SessionNeighbours> {
  const { condition, params, recordsJoin } = joinConditions([
    { sql: 'f.session = o.session', params: [] },
    ...bounds,
  ])
  const rows = read<
    SqlRow & { seq: number; session: string | null; before: number | null; after: number | null }
  >(
    `SELECT o.seq, o.session,
       (SELECT f.seq FROM facets f ${recordsJoin} WHERE ${condition}
          AND (f.happened_at, f.seq) < (o.happened_at, o.seq) ORDER BY f.happened_at DESC, f.seq DESC LIMIT 1) AS before,
       (SELECT f.seq FROM facets f ${recordsJoin} WHERE ${condition}
          AND (f.happened_at, f.seq) > (o.happened_at, o.seq) ORDER BY f.happened_at, f.seq LIMIT 1) AS after
     FROM json_each(?) j CROSS JOIN facets o ON o.seq = j.value`,
    [...params, ...params, JSON.stringify(seqs)],
  )
  return new Map(
    rows.map(({ seq, session, before, after }) => [
      seq,
      session === null ? noNeighbours : { session, before: before ?? undefined, after: after ?? undefined },
    ]),
  )
}

/** The names of the records in `seqs` whose kinds declare names. `isDerived`: all records have their row in `facets`. */
export function readNames(
  read: ReadRows,
  kinds: Kinds,
  seqs: readonly number[],
  isDerived: boolean,
): Map<number, string[]> {
  const kindsWithNames = JSON.stringify(
    [...kinds.values()].flatMap(({ name, names }) => (names ? [name] : [])),
  )
  if (seqs.length === 0) return new Map()
  // Many books have none of these kinds: the index of kinds says so faster than the records.
  const ofKinds = 'SELECT 1 FROM facets f WHERE f.kind IN (SELECT value FROM json_each(?)) LIMIT 1'
  if (isDerived && read(ofKinds, [kindsWithNames]).length === 0) return new Map()
  const rows = read<SqlRow & { seq: number; kind: string; body: string }>(
    `SELECT r.seq, r.kind, r.body AS body FROM json_each(?) j CROSS JOIN records r ON r.seq = j.value
     WHERE r.kind IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(seqs), kindsWithNames],
  )
  return new Map(
    rows.map(({ seq, kind, body }) => {
      const record = JSON.parse(body) as JsonObject
      return [seq, (kinds.get(kind)?.names ?? []).flatMap((path) => collectText(readPath(record, path)))]
    }),
  )
}

interface TextSource {
  readonly kinds: Kinds
  readonly zone: Zone
}

/** How often each record in `seqs` has each of `terms`, which are spelled as in the index. */
export function countTerms(
  { postings, ...source }: EvidenceSource & TextSource,
  seqs: readonly number[],
  terms: readonly string[],
): TermCounts {
  return postings ? countInMemory(postings, seqs, terms) : countInDatabase(source, seqs, terms)
}

function countInMemory(postings: Postings, seqs: readonly number[], terms: readonly string[]): TermCounts {
  const allSizes = postings.sizes()
  const counts = new Uint32Array(seqs.length * terms.length)
  const documents = Int32Array.from(seqs, (seq) => postings.documentOf(seq))
  // Visit the documents in ascending order: each list is sorted by document, so one pass is enough. A number is
  // `document × length + index`, negative without a document.
  const { length } = seqs
  const sortedDocuments = Float64Array.from(documents, (document, i) => document * length + i).sort()
  terms.forEach((term, j) => {
    const list = postings.list(term)
    if (!list) return
    let at = 0
    for (const documentAndIndex of sortedDocuments) {
      if (documentAndIndex < 0) continue
      const document = Math.floor(documentAndIndex / length)
      at = seekPosting(list, document, at)
      if (at === list.length) return
      if (isEntryOf(list, at, document))
        counts[(documentAndIndex % length) * terms.length + j] = frequencyOf(list, at, document)
    }
  })
  return {
    counts,
    sizes: Uint32Array.from(documents, (document) => (document < 0 ? 0 : (allSizes[document] ?? 0))),
  }
}

function countInDatabase(
  { read, kinds, zone }: TextSource & Pick<EvidenceSource, 'read'>,
  seqs: readonly number[],
  terms: readonly string[],
): TermCounts {
  const rows = read<SqlRow & { i: number; kind: string; happened_at: string; body: string }>(
    `SELECT j.key AS i, f.kind, f.happened_at, r.body AS body FROM json_each(?) j
     CROSS JOIN facets f ON f.seq = j.value JOIN records r ON r.seq = f.seq`,
    [JSON.stringify(seqs)],
  )
  const columns = new Map(terms.map((term, j) => [term, j]))
  const sizes = new Uint32Array(seqs.length)
  const counts = new Uint32Array(seqs.length * terms.length)
  for (const row of rows) {
    const kind = kinds.get(row.kind)
    const texts = kind ? textsOfRecord(kind, JSON.parse(row.body) as JsonObject, row.happened_at, zone) : []
    let size = 0
    for (const term of texts.flatMap((text) => tokenize(text))) {
      size += 1
      const j = columns.get(term)
      const at = row.i * terms.length + (j ?? 0)
      if (j !== undefined) counts[at] = (counts[at] ?? 0) + 1
    }
    // Size 0 means a missing record.
    sizes[row.i] = Math.max(1, size)
  }
  return { sizes, counts }
}
