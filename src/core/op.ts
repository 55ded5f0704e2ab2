// An op: one complete, replay-safe change. It is the only thing that travels between a device and the mirror.
// Invariant: everything random or timed in it is fixed before it is dispatched; applying it twice changes nothing more.
import type { JsonObject } from './path.ts'
import type { Scope } from './record.ts'

export type Op = PutOp | ForgetOp

interface OpHead {
  readonly kind: string
  readonly id: string
  /** When the change was made, canonical UTC text. */
  readonly at: string
  /** Hybrid logical stamp; breaks ties, never orders a sequence. */
  readonly stamp: string
}

export interface PutOp extends OpHead, Scope {
  readonly op: 'put'
  readonly created_at: string
  readonly body: JsonObject
}

export interface ForgetOp extends OpHead {
  readonly op: 'forget'
  readonly agent: string
}
