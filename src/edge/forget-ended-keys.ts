// Forgets access keys that ended long ago. The next syncs forget them on all devices; the tombstones prevent a device
// that was absent from sending the keys again.
import type { CapabilityOutput } from '../book/daybook.ts'
import { defined } from '../core/defined.ts'
import { formatTime } from '../core/time.ts'
import type { Engine } from '../engine/engine.ts'

/** Time that an ended key stays in the owner's list, in milliseconds. */
export const endedKeyMs = 90 * 86_400_000

/** Forgets keys that ended more than `endedKeyMs` before `nowMs`. Returns their number. */
export async function forgetEndedKeys(engine: Pick<Engine, 'call'>, nowMs: number): Promise<number> {
  const before = formatTime(nowMs - endedKeyMs)
  let forgotten = 0
  let cursor: string | undefined
  do {
    const page = (await engine.call('daybook:list_access_keys', {
      limit: 1000,
      ...defined({ cursor }),
    })) as CapabilityOutput<'daybook:list_access_keys'>
    const ended = page.keys.filter(({ state, revoked_at, expires_at }) => {
      const at = state === 'revoked' ? revoked_at : state === 'expired' ? expires_at : undefined
      return at !== undefined && at < before
    })
    for (const { id } of ended) {
      await engine.call('kstar:forget', { id })
      forgotten += 1
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return forgotten
}
