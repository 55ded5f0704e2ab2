// The parts of recall that an evaluation can do without, one at a time, to see what each is worth on each corpus.
// Invariant: outside of an evaluation none is left out.

/**
 * `passage`: long records by their best passage. `length`: windows and sessions by the lengths involved. `answer`: a question
 * counts less only where its answer may be hidden beside it. `speaker`: who asks in the first person asks for what a person
 * said. `plain`: words that people ask with are not looked for. `floor`: a long question is measured by its best words.
 * `name`: names that stand whole in the question. `spelling`: misspelt words. `beside`: vectors of the records right beside one.
 */
export const recallParts = [
  'passage',
  'length',
  'answer',
  'speaker',
  'plain',
  'floor',
  'name',
  'spelling',
  'beside',
] as const

/** `words`: all of full text, to see what vectors find by themselves. */
export type RecallPart = (typeof recallParts)[number] | 'words'
export type Without = ReadonlySet<RecallPart>

export const withoutNone: Without = new Set()
