// Answers of calls that carried a requestId, stored in the transaction of their effect: exactly once, however often sent.
import { DaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { lockedError, sealedOf, type SealedOwner } from '../../core/sealed.ts'
import { shortKey } from '../../core/text/text-key.ts'
import type { Bodies } from './bodies.ts'
import { erasingTogether } from './erase-rows.ts'

/** A call that carries a request id. */
export interface NumberedRequest {
  readonly requestId: string
  readonly capability: string
  readonly input: unknown
  /** Canonical time. */
  readonly now: string
}

export interface RequestLog {
  /** Runs `work` unless the request was answered before, then gives that answer again. Inside a transaction. */
  once<Result>(request: NumberedRequest, work: () => Result): Result
  /** Forgets answers older than `before`. */
  prune(before: string): void
  /** Forgets the answers of all requests from `from` to before `until`, by their ids. */
  forget(from: string, until: string): void
}

/** In place of the fingerprint of an input of which nothing in clear is kept here. */
const notKept = ''

/** In place of an answer that named a record which was purged or sealed since, or said the marks of one that was forgotten. */
const erased = ''

const answerErased = () =>
  new DaybookError(
    'conflict',
    'This request was carried out before. Its answer is gone, because a record that it names was forgotten, purged or sealed since. Nothing was stored again.',
    { details: { path: 'requestId', reason: 'answer-erased' } },
  )

/** What an answer to a call is sealed for. */
export const answerOwner = (requestId: string): SealedOwner => ({ kind: 'answer', id: requestId })

/** `sealedChanges` counts changes of sealed records: an answer to a call that made some may quote them. */
export function createRequestLog(db: SqlDatabase, bodies: Bodies, sealedChanges: () => number): RequestLog {
  const hasKey = () => bodies.sealer.current() !== undefined
  return {
    once<Result>({ requestId, capability, input, now }: NumberedRequest, work: () => Result) {
      // No input at all differs from `null` by its length.
      const key = fingerprint(input === undefined ? '' : JSON.stringify(input))
      const found = db.get<{ capability: string; input: string; result: string }>(
        'SELECT capability, input, result FROM applied_requests WHERE request = ?',
        [requestId],
      )
      if (found) {
        const isSame = found.input === key || found.input === notKept
        if (found.capability !== capability || !isSame) throw new DaybookError('request-reused')
        if (found.result === erased) throw answerErased()
        return readAnswer(bodies, requestId, found.result) as Result
      }
      const before = sealedChanges()
      // Its own answer comes after that, and stays.
      const result = erasingTogether(db, work)
      const text = JSON.stringify(result ?? null)
      const isQuoting = sealedChanges() > before
      db.run('INSERT INTO applied_requests (request, capability, input, result, at) VALUES (?, ?, ?, ?, ?)', [
        requestId,
        capability,
        // Whoever guesses what was sealed here could tell by it that the guess is right.
        isQuoting && !hasKey() ? notKept : key,
        isQuoting && hasKey() ? bodies.seal(answerOwner(requestId), text) : text,
        now,
      ])
      return result
    },
    prune: (before) => db.run('DELETE FROM applied_requests WHERE at < ?', [before]),
    forget: (from, until) =>
      db.run('DELETE FROM applied_requests WHERE request >= ? AND request < ?', [from, until]),
  }
}

function readAnswer(bodies: Bodies, requestId: string, text: string): unknown {
  const plain = bodies.open(answerOwner(requestId), text)
  if (plain === undefined) throw lockedError(bodies.sealer, answerOwner(requestId), sealedOf(text))
  return JSON.parse(plain)
}

/** Length and key of a text: it differs for two inputs that differ by accident; an adversary would only cheat himself. */
function fingerprint(text: string): string {
  return `${text.length}-${shortKey(text).toString(16)}`
}
