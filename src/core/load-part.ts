// Loads a file of Daybook when it is needed.
// Invariant: a load that fails, or does not end in time, is `part-unavailable`. A file that arrives later is there for
// the next load.
import { DaybookError } from './errors.ts'
import type { Scheduler } from './ports.ts'

/** The longest time for a load. It is below the default deadline of a page's calls, so that they get the reason. */
export const longestLoadMs = 20_000

/** For the error: the sentence, and what was not loaded. */
interface MissingPart {
  readonly message: string
  readonly details: Readonly<Record<string, string>>
}

/** Runs `load` once. Rejects with `part-unavailable` after a failure, or after `longestLoadMs`. */
export function loadPart<Part>(
  load: () => Promise<Part>,
  { message, details }: MissingPart,
  scheduler: Pick<Scheduler, 'later'>,
): Promise<Part> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) =>
      reject(new DaybookError('part-unavailable', message, { details: { ...details }, cause }))
    const cancel = scheduler.later(longestLoadMs, () =>
      refuse(new Error(`The file did not arrive within ${longestLoadMs} ms.`)),
    )
    load().then(resolve, refuse).finally(cancel)
  })
}
