// What nobody calls for: what has waited for too long is judged, votes are counted once more, facts given out.
import type { PoolWaiting } from '../../../core/pool/pool-port.ts'
import { follow, judgeAgain } from './take-in.ts'
import type { Scene } from './scene.ts'

/** Of what more is known than when it was last looked at. */
export interface ToSettle {
  /** Proposals whose votes are to be counted. */
  readonly count: Iterable<string>
  /** Proposals and facts for which something may wait. */
  readonly frees: Iterable<string>
  /**
   * What has waited for too long is left waiting: what it waits for may still be on its way. Only of more than are kept the
   * oldest is judged.
   */
  readonly isBehind?: boolean
}

/** As many that are due are judged in one transaction. */
const most = 1000

export function settle(scene: Scene, { count, frees, isBehind = false }: ToSettle): void {
  const until = isBehind ? 0 : scene.now
  const due: readonly PoolWaiting[] = scene.pool.waiting({ due: until }).slice(0, most)
  for (const waiting of due) judgeAgain(scene, waiting, true)
  follow(scene, { frees: [...frees] })
  for (const proposal of count) follow(scene, { count: proposal })
}
