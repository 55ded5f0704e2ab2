// Forgets access keys that ended long ago. The next syncs forget them on all devices; the tombstones prevent a device
// that was absent from sending the keys again.
import type { CapabilityOutput } from '../book/daybook.ts'
import { defined } from '../core/defined.ts'
import { formatTime } from '../core/time.ts'
import type { Engine } from '../engine/engine.ts'

/** Time that an ended key stays in the owner's list, in milliseconds. */
export const endedKeyRetentionMs = 90 * 86_400_000

/** Forgets keys that ended more than `endedKeyRetentionMs` before `nowMs`. Returns their number. */
export async function forgetEndedKeys(engine: Pick<Engine, 'call'>, nowMs: number): Promise<number> {
  const before = formatTime(nowMs - endedKeyRetentionMs)
  let forgotten = 0
  let cursor: string | undefined
  do {
    const page = (await engine.call('daybook:list_access_keys', {
      limit: 1000,
      ...defined({ cursor }),
    })) as CapabilityOutput<'daybook:list_access_keys'>
    const ended = page.keys.filter(({ state, revoked_at, expires_at }) => {
      // States: `active`, `revoked`, `expired`. Times are canonical, so they compare as texts.
      const endedAt = state === 'revoked' ? revoked_at : expires_at
      return state !== 'active' && endedAt !== undefined && endedAt < before
    })
    for (const { id } of ended) {
      await engine.call('kstar:forget', { id })
      forgotten += 1
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  return forgotten
}
