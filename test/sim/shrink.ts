// Makes a failing schedule small: leaves out steps, then says the rest more simply, as long as it still fails.
import type { Schedule } from './schedule.ts'
import type { Step } from './step.ts'

/** The smallest schedule found for which `fails` still answers true; `schedule` itself must fail. */
export async function shrink(
  schedule: Schedule,
  fails: (schedule: Schedule) => Promise<boolean>,
): Promise<Schedule> {
  let smallest = schedule
  const accept = async (candidate: Schedule) => {
    if (!(await fails(candidate))) return false
    smallest = candidate
    return true
  }
  for (let before = ''; before !== JSON.stringify(smallest);) {
    before = JSON.stringify(smallest)
    for (let size = Math.ceil(smallest.length / 2); size >= 1; size = Math.floor(size / 2)) {
      for (let from = 0; from < smallest.length;) {
        if (!(await accept([...smallest.slice(0, from), ...smallest.slice(from + size)]))) from += size
      }
    }
    for (let at = 0; at < smallest.length; at++) {
      for (const simpler of simplerThan(smallest[at] as Step)) {
        if (await accept(smallest.with(at, simpler))) break
      }
    }
  }
  return smallest
}

function* simplerThan(step: Step): Generator<Step> {
  if (step.do === 'sync') {
    yield { ...step, weather: [] }
    for (const i of step.weather.keys()) yield { ...step, weather: step.weather.toSpliced(i, 1) }
    for (const i of step.weather.keys()) yield { ...step, weather: step.weather.with(i, 'fair') }
  }
  if (step.do === 'crash-soon') yield { do: 'crash', at: step.at }
  for (const name of ['at', 'letter', 'after', 'push', 'pull'] as const) {
    const value = name in step ? (step as unknown as Record<string, number>)[name] : undefined
    if (value !== undefined && value > 0) {
      yield { ...step, [name]: 0 } as Step
      yield { ...step, [name]: value - 1 } as Step
    }
  }
}
