// Answers to calls with a `requestId`.
// Invariant: the transaction of a call's effect stores its answer, so a repeated call has its effect once.
import { DaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { isSealedText, lockedError, sealedOf, type SealedOwner } from '../../core/sealed.ts'
import { shortKey } from '../../core/text/text-key.ts'
import type { Bodies } from './bodies.ts'
import { eraseInBatch, openAnswersWith } from './erase-rows.ts'

export interface NumberedRequest {
  readonly requestId: string
  readonly capability: string
  readonly input: unknown
  /** Canonical time. */
  readonly now: string
}

export interface RequestLog {
  /**
   * Runs `work`, or returns the stored answer of an earlier call with this `requestId`. Call it inside a
   * transaction. Throws `request-reused` for another capability or input, `conflict` for an erased answer, `locked`
   * for a sealed one without its key.
   */
  once<Result>(request: NumberedRequest, work: () => Result): Result
  /** The stored answer of an earlier call with this `requestId`; undefined without one. Throws as `once`. */
  find(request: Omit<NumberedRequest, 'now'>): { readonly answer: unknown } | undefined
  /** Removes answers from before the canonical time `before`. */
  prune(before: string): void
  /** Removes the answers to requests with ids from `from` up to, not including, `until`. */
  removeRange(from: string, until: string): void
}

/**
 * Stored in place of a fingerprint that would confirm a guess of a sealed input. If the answer is sealed, the
 * fingerprint is inside: `[fingerprint, answer]`. In its place is then a JSON list of the ids of records in the answer:
 * a purge finds the answer by it without opening each. Those ids are in clear in `records`, too.
 */
const noFingerprint = ''

/**
 * Stored in place of an answer that was erased, because it may quote a record that was purged, sealed or forgotten
 * since.
 */
const erasedAnswer = ''

const answerErasedError = () =>
  new DaybookError(
    'conflict',
    'This request was carried out before. Its answer was erased because a record in it was forgotten, purged or sealed later. Nothing was stored again.',
    { details: { path: 'requestId', reason: 'answer-erased' } },
  )

/** The kind and id that a sealed answer is bound to. */
export const answerOwner = (requestId: string): SealedOwner => ({ kind: 'answer', id: requestId })

/** `sealedChanges` counts changes of sealed records. An answer to a call that changed sealed records is sealed. */
export function createRequestLog(db: SqlDatabase, bodies: Bodies, sealedChanges: () => number): RequestLog {
  const hasKey = () => bodies.sealer.current() !== undefined
  openAnswersWith(db, ({ request, input, result }) => {
    const stored = openStored(bodies, request, { input, result })
    return stored && JSON.stringify(stored.answer)
  })
  // A missing input has length 0, and so another fingerprint than `null`.
  const fingerprintOf = (input: unknown) => fingerprint(input === undefined ? '' : JSON.stringify(input))
  const find: RequestLog['find'] = ({ requestId, capability, input }) => {
    const found = db.get<{ capability: string; input: string; result: string }>(
      'SELECT capability, input, result FROM applied_requests WHERE request = ?',
      [requestId],
    )
    if (!found) return undefined
    if (found.capability !== capability) throw new DaybookError('request-reused')
    const stored = readStored(bodies, requestId, found)
    if (stored.input !== fingerprintOf(input) && stored.input !== noFingerprint)
      throw new DaybookError('request-reused')
    if (found.result === erasedAnswer) throw answerErasedError()
    return stored
  }
  return {
    find,
    once<Result>(request: NumberedRequest, work: () => Result) {
      const found = find(request)
      if (found) return found.answer as Result
      const { requestId, capability, input, now } = request
      const inputFingerprint = fingerprintOf(input)
      const sealedChangesBefore = sealedChanges()
      // `work` may erase earlier answers. The insert below comes after that, so its own answer stays.
      const result = eraseInBatch(db, work)
      const answer = JSON.stringify(result ?? null)
      const changedSealedRecords = sealedChanges() > sealedChangesBefore
      // Without a key, `work` can't read or seal a record: then the answer has no sealed content in clear.
      const isSealed = changedSealedRecords && hasKey()
      db.run('INSERT INTO applied_requests (request, capability, input, result, at) VALUES (?, ?, ?, ?, ?)', [
        requestId,
        capability,
        isSealed ? recordIdsIn(db, answer) : changedSealedRecords ? noFingerprint : inputFingerprint,
        isSealed
          ? bodies.seal(answerOwner(requestId), `[${JSON.stringify(inputFingerprint)},${answer}]`)
          : answer,
        now,
      ])
      return result
    },
    prune: (before) => db.run('DELETE FROM applied_requests WHERE at < ?', [before]),
    removeRange: (from, until) =>
      db.run('DELETE FROM applied_requests WHERE request >= ? AND request < ?', [from, until]),
  }
}

/** A JSON list of the ids of records in a JSON text. */
const recordIdsIn = (db: SqlDatabase, text: string): string =>
  db.get<{ ids: string }>(
    `SELECT json_group_array(id) AS ids FROM records
     WHERE id IN (SELECT atom FROM json_tree(?) WHERE type = 'text' UNION SELECT key FROM json_tree(?))`,
    [text, text],
  )?.ids ?? ''

interface Stored {
  readonly input: string
  readonly answer: unknown
}

type StoredRow = Readonly<Record<'input' | 'result', string>>

/** The fingerprint and the answer of a stored call, also from inside the seal. Throws `locked` without the key. */
function readStored(bodies: Bodies, requestId: string, row: StoredRow): Stored {
  if (row.result === erasedAnswer) return { input: row.input, answer: null }
  const stored = openStored(bodies, requestId, row)
  if (!stored) throw lockedError(bodies.sealer, answerOwner(requestId), sealedOf(row.result))
  return stored
}

/** `readStored` for an answer that was not erased: undefined without the key. */
function openStored(bodies: Bodies, requestId: string, { input, result }: StoredRow): Stored | undefined {
  const plain = bodies.open(answerOwner(requestId), result)
  if (plain === undefined) return undefined
  const isInside = input === noFingerprint || input.startsWith('[')
  if (!isInside || !isSealedText(result)) return { input, answer: JSON.parse(plain) as unknown }
  const [fingerprintInside, answer] = JSON.parse(plain) as [string, unknown]
  return { input: fingerprintInside, answer }
}

/** Length and hash of a text. The hash is not cryptographic: a caller who forges a collision deceives only itself. */
function fingerprint(text: string): string {
  return `${text.length}-${shortKey(text).toString(16)}`
}
