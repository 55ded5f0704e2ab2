// Parts of recall that an evaluation can leave out, to measure the effect of each on a corpus.
// Invariant: outside an evaluation all parts are used.

/**
 * `passage`: best passages of long records. `length`: windows and sessions depend on lengths. `answer`: a question
 * counts less only where the next record may hide its answer. `speaker`: a first-person question prefers a person's
 * words. `plain`: question words are ignored. `floor`: the best words measure a long question. `name`: whole names.
 * `spelling`: misspelt words. `beside`: vectors of neighbours.
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

/** `words`: all of full text, to measure vectors alone. */
export type RecallPart = (typeof recallParts)[number] | 'words'
export type Without = ReadonlySet<RecallPart>

export const withoutNone: Without = new Set()
