// Looks for a fault in the schedule of a seed, and makes a failing one small.
import { play, type PoolSort, type PoolStep, scheduleOf } from './pool-play.ts'

/** What is wrong with the schedule of `seed`, with the smallest one found that fails; undefined when nothing is. */
export async function findPoolFault(seed: number, sort?: PoolSort): Promise<string | undefined> {
  const steps = scheduleOf(seed, sort)
  const { fault } = await play(steps)
  if (fault === undefined) return undefined
  const small = await shrink(steps)
  const told = (await play(small)).fault ?? fault
  return `Seed ${seed}: ${told}\n${JSON.stringify(small)}`
}

async function shrink(steps: readonly PoolStep[]): Promise<readonly PoolStep[]> {
  let smallest = steps
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < smallest.length;) {
      const candidate = [...smallest.slice(0, from), ...smallest.slice(from + size)]
      if ((await play(candidate)).fault === undefined) from += size
      else smallest = candidate
    }
  }
  return smallest
}
