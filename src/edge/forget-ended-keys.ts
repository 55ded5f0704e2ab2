// Access keys that ended long ago are forgotten, here and with the next sync everywhere: a tombstone is left of each, so that
// no device that stayed away brings one back.
import type { CapabilityOutput } from '../book/daybook.ts'
import { formatTime } from '../core/time.ts'
import type { Engine } from '../engine/engine.ts'

/** So long the owner can still see in the list what there was. */
export const endedKeyMs = 90 * 86_400_000

/** Forgets the keys of the book that ended more than `endedKeyMs` before `nowMs`; answers how many. */
export async function forgetEndedKeys(engine: Pick<Engine, 'call'>, nowMs: number): Promise<number> {
  const before = formatTime(nowMs - endedKeyMs)
  let forgotten = 0
  let cursor: string | undefined
  do {
    const page = (await engine.call('daybook:list_access_keys', {
      limit: 1000,
      ...(cursor === undefined ? {} : { cursor }),
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
