// The kind `answer`: a question with its answer, and the versions of the records from which the answer was made.
import { z } from 'zod'
import type { Kind } from '../../../core/kind.ts'
import { instant, recordId } from '../../../shape/field.ts'

/** Most characters of question and answer, most sources of an answer, and most answers of one agent. */
export const answerLimits = { question: 2000, answer: 16_000, records: 50, maxAnswers: 500 } as const

export const answerBody = z.looseObject({
  question: z.string().min(1).max(answerLimits.question),
  answer: z.string().min(1).max(answerLimits.answer),
  /** Direction of the question's vector, if there was an embedder (question-similarity.ts). */
  direction: z.object({ space: z.string().max(300), bytes: z.string().max(8192) }).optional(),
  answered_at: instant,
  expires_at: instant,
  /** Id and version of each source. If a source changes or is removed, the answer is no longer valid. */
  rests_on: z.array(z.object({ id: recordId, version: z.number() })).max(answerLimits.records),
})
export type AnswerBody = z.output<typeof answerBody>

export const answerKind: Kind<'answer', AnswerBody> = {
  name: 'answer',
  idPrefix: 'answer::',
  summary: 'A question with its answer, and the sources of the answer.',
  version: 1,
  schema: answerBody,
  // Recall never returns an answer: only its question finds it.
  text: [],
  facets: { happened_at: 'answered_at' },
  policy: 'last_write_wins',
  links: ['rests_on.*.id'],
  madeFrom: { sources: ({ rests_on = [] }) => rests_on.map(({ id }) => id) },
}
