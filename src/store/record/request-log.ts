// Answers to calls with a `requestId`, stored in the transaction of their effect: a repeated call has its effect once.
import { DaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { lockedError, sealedOf, type SealedOwner } from '../../core/sealed.ts'
import { shortKey } from '../../core/text/text-key.ts'
import type { Bodies } from './bodies.ts'
import { erasingTogether } from './erase-rows.ts'

export interface NumberedRequest {
  readonly requestId: string
  readonly capability: string
  readonly input: unknown
  /** Canonical time. */
  readonly now: string
}

export interface RequestLog {
  /** Runs `work`, or returns the stored answer when the request was answered before. Inside a transaction. */
  once<Result>(request: NumberedRequest, work: () => Result): Result
  /** Removes answers older than `before`. */
  prune(before: string): void
  /** Removes the answers of all requests with ids from `from` on and before `until`. */
  forget(from: string, until: string): void
}

/** In place of the fingerprint of an input that must not be stored in clear. */
const noFingerprint = ''

/** In place of an answer that named a record that was purged or sealed later, or had the marks of a forgotten one. */
const erased = ''

const answerErased = () =>
  new DaybookError(
    'conflict',
    'This request was carried out before. Its answer was erased because a record in it was forgotten, purged or sealed later. Nothing was stored again.',
    { details: { path: 'requestId', reason: 'answer-erased' } },
  )

/** The owner under which an answer is sealed. */
export const answerOwner = (requestId: string): SealedOwner => ({ kind: 'answer', id: requestId })

/** `sealedChanges` counts changes of sealed records: the answer to a call that made some may quote them. */
export function createRequestLog(db: SqlDatabase, bodies: Bodies, sealedChanges: () => number): RequestLog {
  const hasKey = () => bodies.sealer.current() !== undefined
  return {
    once<Result>({ requestId, capability, input, now }: NumberedRequest, work: () => Result) {
      // The length tells a missing input from `null`.
      const key = fingerprint(input === undefined ? '' : JSON.stringify(input))
      const found = db.get<{ capability: string; input: string; result: string }>(
        'SELECT capability, input, result FROM applied_requests WHERE request = ?',
        [requestId],
      )
      if (found) {
        const isSame = found.input === key || found.input === noFingerprint
        if (found.capability !== capability || !isSame) throw new DaybookError('request-reused')
        if (found.result === erased) throw answerErased()
        return readAnswer(bodies, requestId, found.result) as Result
      }
      const before = sealedChanges()
      // This erases answers of earlier calls; its own answer follows and stays.
      const result = erasingTogether(db, work)
      const text = JSON.stringify(result ?? null)
      const isQuoting = sealedChanges() > before
      db.run('INSERT INTO applied_requests (request, capability, input, result, at) VALUES (?, ?, ?, ?, ?)', [
        requestId,
        capability,
        // A fingerprint in clear would confirm a guess of the sealed text.
        isQuoting && !hasKey() ? noFingerprint : key,
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

/** Length and key of a text. It tells inputs apart that differ by accident; an attacker would only deceive itself. */
function fingerprint(text: string): string {
  return `${text.length}-${shortKey(text).toString(16)}`
}
