// Whether the owner's side calls in the name of an agent.
import type { CallOptions } from '../engine-shape.ts'

/**
 * True of a call that the owner's side makes in the name of an agent that it names, as a handle does that an agent is given. What
 * was queued by the book itself is nobody's wish.
 */
export function namesAgent({ scope, attempt }: Pick<CallOptions, 'scope' | 'attempt'>): boolean {
  return scope?.agent !== undefined && attempt === undefined
}
