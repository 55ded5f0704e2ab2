// Explains for one record why a question finds it or not.
// Invariant: the record is `found` at a place exactly if recall returns it there, because recall itself runs. A
// caller that may not read the record gets the answer for an unused id.
import { tokenize } from '../../store/word/tokenize.ts'
import type { Explanation, LegSight, Reason } from './explanation.ts'
import { probeText, probeVector } from './leg-probe.ts'
import { legReasons, legSights, listed, type Sights } from './leg-reason.ts'
import { placeReasons, rankOf } from './place-reason.ts'
import type { RecallParts } from './recall-parts.ts'
import { findRecord, type FoundRecord, stateReasons } from './record-state.ts'
import { suggestionsFor } from './suggestion.ts'
import { recallWithTrace, type TracedRecall } from './traced-recall.ts'

export async function explainRecall(parts: RecallParts, id: string): Promise<Explanation> {
  const found = findRecord(parts, id)
  if (!found)
    return {
      outcome: 'unknown-record',
      id,
      says: 'There is no such record in this book, or this caller may not read it.',
    }
  if ('code' in found) return unranked(parts, id, found)
  const { row } = found
  const recalled = await recallWithTrace(parts, parts.query)
  const sights = await sightsOf(parts, found, recalled)
  const hidden = stateReasons(parts, found)
  const legs = legSights(recalled.trace, sights, row.seq, hidden.length > 0)
  const { hits } = recalled.result
  const rank = rankOf(recalled.result, id)
  const { want } = recalled.trace
  const common = { id, kind: row.kind, want, hits: hits.length, legs }
  const how = saysBestWords(recalled, row.seq)
  if (rank !== undefined) {
    const score = hits[rank - 1]?.score ?? 0
    const order = want === 'order' ? ' in the order of time' : ''
    const why = how || saysCandidate(legs)
    const says = `It is hit ${rank} of ${hits.length}${order}, with score ${score.toFixed(2)}.${why}`
    return { outcome: 'found', ...common, rank, score, says }
  }
  const reasons = await reasonsOf(parts, found, { recalled, sights })
  const suggestions = await suggestionsFor(parts, found, reasons)
  return {
    outcome: 'missed',
    ...common,
    says: `${reasons.map(({ says }) => says).join(' ')}${how}`,
    reasons,
    suggestions,
  }
}

/** Of a record of a whole answer that no leg brings: which words of the best records find it. Else empty. */
function saysBestWords({ trace }: TracedRecall, seq: number): string {
  const own = trace.reranked.find((one) => one.seq === seq)
  if (!own || own.item.candidates.some((candidate) => candidate !== undefined)) return ''
  const terms = new Set(own.texts.flatMap((text) => tokenize(text)))
  const words = trace.feedback?.filter((word) => tokenize(word).some((term) => terms.has(term))) ?? []
  return ` Words of the best records find it${words.length === 0 ? '' : `: ${listed(words)}`}.`
}

/** Of a hit that no leg makes an answer. */
const saysCandidate = (legs: readonly LegSight[]): string =>
  legs.some(({ isAnswer }) => isAnswer)
    ? ''
    : ' No search makes it an answer alone: a whole answer takes each candidate above its floor.'

/** A record that recall can't rank: it is forgotten or sealed. */
async function unranked(parts: RecallParts, id: string, reason: Reason): Promise<Explanation> {
  const { hits, want } = await parts.recall(parts.query, parts.signal)
  const kind = parts.seen.row(id)?.kind ?? ''
  const suggestions = await suggestionsFor(parts, undefined, [reason])
  return {
    outcome: 'missed',
    id,
    kind,
    want,
    hits: hits.length,
    says: reason.says,
    reasons: [reason],
    legs: [],
    suggestions,
  }
}

async function sightsOf(parts: RecallParts, found: FoundRecord, { trace }: TracedRecall): Promise<Sights> {
  const text = await probeText(parts, trace.question, found.row.seq)
  // The words that only ask for a whole answer are in no vector.
  const query = { ...parts.query, text: trace.question.text }
  return { text, vector: await probeVector({ ...parts, query }, found) }
}

interface Evidence {
  readonly recalled: TracedRecall
  readonly sights: Sights
}

/** The reasons of a record that is no hit. At least one. */
async function reasonsOf(
  parts: RecallParts,
  found: FoundRecord,
  { recalled, sights }: Evidence,
): Promise<Reason[]> {
  const { seq } = found.row
  const hidden = stateReasons(parts, found)
  if (hidden.length > 0) return [...hidden, ...(await reasonsWithin(parts, found, hidden))]
  const placed = await placeReasons(parts, recalled, seq)
  if (placed.length > 0) return placed
  const isRanked = recalled.trace.weighted.some((one) => one.seq === seq)
  const reasons = isRanked ? [] : legReasons(recalled.trace, sights, seq)
  return reasons.length > 0
    ? reasons
    : [{ code: 'changed', says: 'The book changed while recall searched. Ask again.' }]
}

/** The reasons that are left without the options that leave the record out; none if its state hides it anyway. */
async function reasonsWithin(
  parts: RecallParts,
  found: FoundRecord,
  hidden: readonly Reason[],
): Promise<Reason[]> {
  const options = hidden.flatMap((one) => (one.code === 'out-of-scope' ? [one.option] : []))
  if (options.length < hidden.length) return []
  const query = { ...parts.query, ...Object.fromEntries(options.map((option) => [option, undefined])) }
  const wide = { ...parts, query }
  const recalled = await recallWithTrace(wide, query)
  if (rankOf(recalled.result, found.row.id) !== undefined) return []
  return reasonsOf(wide, found, { recalled, sights: await sightsOf(wide, found, recalled) })
}
