// How fast something goes: steps until a number of them is done or the time is up, whichever is first.

export interface Budget {
  readonly steps: number
  readonly ms: number
}

/** Runs `step` at least once; answers units a second, where a step answers how many units it did. */
export async function measureRate({ steps, ms }: Budget, step: () => Promise<number>): Promise<number> {
  let units = 0
  const began = performance.now()
  for (let done = 0; done < steps; done++) {
    units += await step()
    if (performance.now() - began > ms) break
  }
  return (units * 1000) / (performance.now() - began)
}
