// Plays seeds one after the other; one that breaks a law is made small and told in the words of pinned.ts.
import { play } from './play.ts'
import { makeSchedule, type Schedule } from './schedule.ts'
import { shrink } from './shrink.ts'

/** What broke in the schedule of `seed`, made small, or undefined. */
export async function findFault(seed: number): Promise<string | undefined> {
  const schedule = makeSchedule(seed)
  const law = await brokenLaw(schedule)
  if (law === undefined) return undefined
  const isSame = async (smaller: Schedule) => (await brokenLaw(smaller))?.name === law.name
  const smallest = await shrink(schedule, isSame)
  const steps = smallest.map((step) => `    ${JSON.stringify(step)},`)
  return [`Seed ${seed}: ${(await brokenLaw(smallest))?.whole}`, '  steps: [', ...steps, '  ],'].join('\n')
}

async function brokenLaw(schedule: Schedule): Promise<{ name: string; whole: string } | undefined> {
  try {
    await play(schedule)
    return undefined
  } catch (error) {
    const whole = error instanceof Error ? error.message : String(error)
    // A law is the same law about another record.
    return { whole, name: whole.split('\n')[0]?.replace(/\b(record-\d+|[a-c]\d?|\d+)\b/g, '') ?? '' }
  }
}
