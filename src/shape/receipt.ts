// The receipt of a write: it is committed, when, and into which medium.
import { z } from 'zod'
import type { CallPort } from '../core/capability/context.ts'

export const stored = {
  storedAt: z.string(),
  durability: z.enum(['opfs', 'indexeddb', 'memory', 'file', 'durable-object', 'postgres']),
}

export function storedNow({ now, durability }: Pick<CallPort, 'now' | 'durability'>) {
  return { storedAt: now, durability }
}
