// What is left at the mirror sensitive, where no keys are: sealed to the book's public key, or refused.
import type { SimDevice } from '../world/sim-site.ts'
import type { Stage } from './stage.ts'
import { noteAct, put, survive } from './write.ts'

/** A device puts the book's public key in, where that is due. */
export async function publish(stage: Stage, self: SimDevice): Promise<void> {
  await survive(self.publish())
  noteAct(stage, self, 'public_key')
}

export async function leave(stage: Stage, record: number): Promise<void> {
  const { mirror } = stage.world
  await mirror.sealer.sendTo(mirror.publicHalf())
  try {
    await put(stage, mirror, record, 'sensitive')
  } finally {
    await mirror.sealer.sendTo(undefined)
  }
}
