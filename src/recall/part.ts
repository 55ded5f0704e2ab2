// Parts of recall that an evaluation can leave out, to measure the effect of each on a corpus.
// Invariant: outside of an evaluation, recall uses all parts.

/**
 * `passage`: best passages of long records. `length`: windows and sessions depend on lengths. `answer`: a record that
 * is a question counts less only if the next record may have its answer. `speaker`: a first-person question prefers a
 * person's words. `plain`: question words are ignored. `floor`: the best words measure a long question. `name`: whole
 * names. `spelling`: misspelt words. `beside`: vectors of neighbours. `light`: light words weigh less and answer
 * nothing alone. `rare`: the rarest word of a question answers. `later`: a statement is below the later one that
 * contradicts it. `noise`: small talk and output of machines weigh less and answer only their own words. `exchange`: in a whole answer, a message counts together with its reply. `feedback`: a whole answer is
 * widened by the words of its best records.
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
  'light',
  'rare',
  'later',
  'noise',
  'exchange',
  'feedback',
] as const

/** `words`: all legs of full text, to measure vectors alone. */
export type RecallPart = (typeof recallParts)[number] | 'words'
export type RecallPartSet = ReadonlySet<RecallPart>

export const noParts: RecallPartSet = new Set()
