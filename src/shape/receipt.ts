// Fields of the answer to a committed write: the time, and the storage. Receipts of consent are another thing.
import { z } from 'zod'
import type { CallPort } from '../core/capability/context.ts'

export const stored = {
  storedAt: z.string(),
  durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object', 'postgres']),
}

/** The fields of `stored`, for a write of this call. */
export function storedNow({ now, durability }: Pick<CallPort, 'now' | 'durability'>) {
  return { storedAt: now, durability }
}
