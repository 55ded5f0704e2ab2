// Loads the code of recall at the first question, so that a page's worker starts without it.
// Invariant: each recall has the store and the legs of its own view; only the code is shared.
import { loadPart } from '../../core/load-part.ts'
import type { Scheduler } from '../../core/ports.ts'
import type { Recall, RecallDeps } from '../../recall/recall.ts'

const missing = { message: 'The file of recall could not be loaded.', details: { part: 'recall' } }

/** The same recall as `createRecall` over the legs of full text and `otherLegs`. Rejects with `part-unavailable`. */
export function createLaterRecall(
  deps: Omit<RecallDeps, 'legs'> & { readonly scheduler: Pick<Scheduler, 'later'> },
  otherLegs: RecallDeps['legs'],
): Recall {
  let recall: Recall | undefined
  return async (query, signal, trace) => {
    if (!recall) {
      const part = await loadPart(() => import('../../recall/recall-part.ts'), missing, deps.scheduler)
      const { store, withoutParts } = deps
      const textLegs = withoutParts?.has('words') === true ? [] : part.createTextLegs(store, withoutParts)
      recall ??= part.createRecall({ ...deps, legs: [...textLegs, ...otherLegs] })
    }
    return recall(query, signal, trace)
  }
}
