// What stands before every request of the a2p protocol beside who asks: how much it may ask, and that it comes once.
// Invariant: nonces and buckets lie in the book's own database, so that whoever answers the next request knows of them.
import type { Clock, SqlDatabase } from '../../core/ports.ts'
import { leftIn } from '../token-bucket.ts'
import { openAgentBuckets, openAgentNonces } from '../../store/mirror/caller-rows.ts'
import { type AgentRate, bucketsOf, type Operation, type RateState, stateOf } from './agent-rate.ts'

export interface AgentGate {
  /** Pays for a request; where a bucket is empty its state says how long to wait, and nothing was taken from any. */
  spend(caller: string, operation: Operation): RateState | Promise<RateState>
  /** Keeps a nonce of an agent until then; false when it came before. */
  takeNonce(agent: string, nonce: string, untilMs: number): boolean | Promise<boolean>
}

/** A gate whose host sweeps it. */
export interface OwnAgentGate extends AgentGate {
  spend(caller: string, operation: Operation): RateState
  takeNonce(agent: string, nonce: string, untilMs: number): boolean
  /** Removes nonces that have ended and buckets that are full again; answers how many of both there still are. */
  sweep(): number
}

/** The slowest bucket is full again after an hour. */
export const bucketMs = 3_600_000

/** A gate in `db`, whose every answer is written down before it is given. */
export function createAgentGate(db: SqlDatabase, clock: Clock, rate: AgentRate): OwnAgentGate {
  const saved = openAgentBuckets(db)
  const nonces = openAgentNonces(db)
  return {
    spend(caller, operation) {
      const nowMs = clock.now()
      const paid = bucketsOf(operation, rate).map((bucket) => {
        return { bucket, left: leftIn(saved.read(caller, bucket.name), bucket, nowMs) - 1 }
      })
      if (paid.every(({ left }) => left >= 0))
        for (const { bucket, left } of paid) saved.save(caller, bucket.name, { left, atMs: nowMs })
      return stateOf(paid, nowMs)
    },
    takeNonce: (agent, nonce, untilMs) => nonces.take(agent, nonce, { untilMs, nowMs: clock.now() }),
    sweep() {
      const nowMs = clock.now()
      return nonces.forgetBefore(nowMs) + saved.forgetBefore(nowMs - bucketMs)
    },
  }
}
