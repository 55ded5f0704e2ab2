// Answers over a database whose commits are kept a moment later than they are made.
// Invariant: nobody is told, by an answer or by an error, of what may not outlive the engine.
import type { CapabilityEffect } from '../../core/capability/capability.ts'
import { isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase } from '../../core/ports.ts'

/** `answer`, once everything that it can be about is kept. Writes have waited for their own commits already. */
export async function whenKept(
  db: Pick<SqlDatabase, 'settled'>,
  effect: CapabilityEffect | undefined,
  answer: Promise<unknown>,
): Promise<unknown> {
  const kept = () => db.settled?.(effect === 'task' ? 'write' : 'read')
  let value: unknown
  try {
    value = await answer
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) await kept()
    throw error
  }
  await kept()
  return value
}
