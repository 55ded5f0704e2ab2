// Under which key the answer to a request is kept.
import type { Caller } from '../../core/capability/caller.ts'

/**
 * Answers belong to who asked: `asked` is never the same for two callers, so that even a key of one that reads like
 * another's gives nothing away.
 */
export function requestName(requestId: string, caller: Caller, id: string) {
  if (caller.role === 'owner') return { key: requestId, asked: id }
  return { key: JSON.stringify([caller.token, requestId]), asked: `${id} as ${caller.token}` }
}
