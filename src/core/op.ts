// An op: one complete, replay-safe change. It is the only thing that travels between a device and the mirror.
// Invariant: everything random or timed in it is fixed before it is dispatched; applying it twice changes nothing more.
import type { JsonObject } from './json/path.ts'
import type { Scope } from './record.ts'
import type { SealedBody, Sensitivity } from './sealed.ts'

export type Op = PutOp | ForgetOp

interface OpHead {
  readonly kind: string
  readonly id: string
  /** When the change was made, canonical UTC text. */
  readonly at: string
  /** Hybrid logical stamp; breaks ties, never orders a sequence. */
  readonly stamp: string
}

interface PutHead extends OpHead, Scope {
  readonly op: 'put'
  readonly created_at: string
  readonly sensitivity?: Sensitivity | undefined
}

/** A plain body is sealed where it is stored, if its sensitivity asks for that; one in `enc` is kept as it is. */
export type PutOp = PutHead &
  (
    | { readonly body: JsonObject; readonly enc?: undefined }
    | { readonly body?: undefined; readonly enc: SealedBody }
  )

export interface ForgetOp extends OpHead {
  readonly op: 'forget'
  /** Nothing of it may stay anywhere, and no edit that did not know of this counts. */
  readonly purge?: true | undefined
  /** It was sealed when it was forgotten: no edit of it that was lost stays in clear. */
  readonly sealed?: true | undefined
  readonly agent: string
}
