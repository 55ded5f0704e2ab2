// The verb `recall.explain`: why a question finds a record or not.
import { defineChapter } from '../../core/capability/chapter.ts'
import { recordId } from '../../shape/field.ts'
import { readVerb } from '../../shape/record-verbs.ts'
import { z } from 'zod'
import { recallInput } from '../recall-capability.ts'
import { explainRecall } from './explain.ts'
import { explanation } from './explanation.ts'
import type { RecallParts } from './recall-parts.ts'

export const explainCapabilities = [
  readVerb({
    id: 'recall:explain',
    method: 'recall.explain',
    summary:
      'Explains why a question finds one record or not: its place in each search, the reasons, and changes that help.',
    input: z.strictObject({ ...recallInput, id: recordId }),
    output: explanation,
    uses: ['recall'],
    run: ({ id, ...query }, at) => explainRecall(at.recall.parts(query) as RecallParts, id),
  }),
] as const

/** A chapter of its own, so that a page loads it at the first call. */
export const recallExplain = defineChapter({
  name: 'recall explain',
  capabilities: explainCapabilities,
  kinds: [],
})
