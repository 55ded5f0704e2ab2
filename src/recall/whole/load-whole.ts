// Loads the part of recall that answers wholes when a question may ask for one.
// Invariant: a plain question for the best hits never waits for a load, nor fails by one.
import type { Want } from '../../core/capability/port/recall-port.ts'
import { loadPart } from '../../core/load-part.ts'
import type { Scheduler } from '../../core/ports.ts'
import { mayAskForWhole } from './whole-word.ts'

type WholePart = typeof import('./whole.ts')

export interface ChosenWant {
  readonly want: Want
  /** The part that gathers a whole answer; undefined for `best`. */
  readonly part?: WholePart
  /** Why the question's words could not be judged, as text for a person. */
  readonly degraded?: string
}

const missing = {
  message: 'The part that gathers whole answers could not be loaded.',
  details: { part: 'whole' },
}
const load = () => import('./whole.ts')

/**
 * The sort of answer that the caller wants, else that the words of the question ask for. No promise if no load is needed.
 * Rejects with `part-unavailable` only if the caller wants a whole.
 */
export function chooseWant(
  wanted: Want | undefined,
  text: string,
  scheduler?: Pick<Scheduler, 'later'>,
): ChosenWant | Promise<ChosenWant> {
  if (wanted === 'best' || (wanted === undefined && !mayAskForWhole(text))) return { want: 'best' }
  return loadWant(wanted, text, scheduler)
}

async function loadWant(
  wanted: Want | undefined,
  text: string,
  scheduler: Pick<Scheduler, 'later'> | undefined,
): Promise<ChosenWant> {
  const loading = scheduler ? loadPart(load, missing, scheduler) : load()
  if (wanted !== undefined) return { want: wanted, part: await loading }
  const part = await loading.catch(() => undefined)
  if (!part) return { want: 'best', degraded: missing.message }
  const want = part.wantOf(text)
  return want === 'best' ? { want } : { want, part }
}
