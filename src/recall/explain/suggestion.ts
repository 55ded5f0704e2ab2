// Changes of a question that would have helped, each tried by a recall.
// Invariant: a suggestion with `rank` finds the record at this place, unless the book changes.
import { hitLimit, type RecallQuery } from '../../core/capability/port/recall-port.ts'
import { whenField } from '../../core/kind.ts'
import { textsOfRecord } from '../../store/word/text.ts'
import { tokenize } from '../../store/word/tokenize.ts'
import { quoteOf } from '../pack.ts'
import { isAskingWord, stopWords } from '../question-words.ts'
import type { Reason, ReasonCode, ReasonOf, Suggestion } from './explanation.ts'
import { rankOf } from './place-reason.ts'
import type { RecallParts } from './recall-parts.ts'
import { beginOf, type FoundRecord } from './record-state.ts'

/** A change to try. */
type Change = Omit<Suggestion, 'rank'>

/** Most words of the record that are tried alone; then the two rarest together. */
const maxTriedWords = 5
const triedLimits = [20, 40, 100, hitLimit]
const maxQuestionChars = 10_000

/** Suggestions for `reasons`, those that were tried first. `found`: undefined for a record that can't be ranked. */
export async function suggestionsFor(
  parts: RecallParts,
  found: FoundRecord | undefined,
  reasons: readonly Reason[],
): Promise<Suggestion[]> {
  if (!found) return untried(parts, reasons)
  const { id } = found.row
  const tried: Suggestion[] = []
  const attempt = async (change: Change): Promise<boolean> => {
    const rank = rankOf(await parts.recall(changed(parts.query, change), parts.signal), id)
    if (rank === undefined) return false
    tried.push({ ...change, says: `${change.says} The record is then hit ${rank}.`, rank })
    return true
  }
  const changes = changesFor(parts, found, reasons)
  for (const change of changes) await attempt(change)
  if (tried.length === 0 && changes.length > 1) await attempt(joined(changes))
  const open = openChanges(parts.query)
  const others = changes.filter(({ code }) => !open.some((one) => one.code === code))
  if (tried.length === 0 && changes.length > 0 && open.length > 0) await attempt(joined([...others, ...open]))
  if (reasons.some(({ code }) => wordCodes.has(code))) {
    const words = rareWordsOf(parts, found)
    // A word helps only within the scope.
    const scopeChanges = changes.filter(({ code }) => code === 'remove-filter')
    const withWords = (some: readonly string[]) => joined([...scopeChanges, addedWords(parts.query, some)])
    for (const word of words.slice(0, maxTriedWords)) if (await attempt(withWords([word]))) break
    const hasTriedWords = () => tried.some(({ set }) => set?.['text'] !== undefined)
    if (words.length > 1 && !hasTriedWords()) await attempt(withWords(words.slice(0, 2)))
    if (words.length > 0 && tried.length === 0 && open.length > 0)
      await attempt(joined([...scopeChanges, ...open, addedWords(parts.query, words.slice(0, 2))]))
  }
  return [...tried, ...untried(parts, reasons)]
}

/** Reasons for which another word of the record may help. */
const wordCodes: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'no-words',
  'no-common-word',
  'not-all-words',
  'off-subject',
  'below-floor',
  'out-of-candidates',
  'below-others',
  'below-whole-floor',
])

/** `query` with the change. */
function changed(query: RecallQuery, { set = {}, remove = [] }: Change): RecallQuery {
  const fields = Object.entries({ ...query, ...set }).filter(([name]) => !remove.includes(name))
  return Object.fromEntries(fields) as unknown as RecallQuery
}

/** All of `changes` in one; a single one as it is. */
function joined(changes: readonly Change[]): Change {
  const [only, ...more] = changes
  if (only && more.length === 0) return only
  return {
    code: 'all-of-these',
    says: changes.map(({ says }) => says).join(' '),
    set: Object.assign({}, ...changes.map(({ set }) => set)) as NonNullable<Change['set']>,
    remove: changes.flatMap(({ remove = [] }) => remove),
  }
}

/** Changes of all options that cut an answer. */
function openChanges({ limit = 0, minScore = 0, cut = 'none', diversity = 0 }: RecallQuery): Change[] {
  const changes: Change[] = []
  if (limit < hitLimit)
    changes.push({
      code: 'more-hits',
      says: `Ask for ${hitLimit} hits (\`limit\`).`,
      set: { limit: hitLimit },
    })
  if (minScore > 0)
    changes.push({ code: 'lower-score', says: 'Ask without `minScore`.', set: { minScore: 0 } })
  if (cut !== 'none') changes.push(noCut)
  if (diversity > 0) changes.push(noDiversity)
  return changes
}

const noCut: Change = { code: 'no-cut', says: 'Ask without `cut`.', set: { cut: 'none' } }
const noDiversity: Change = {
  code: 'no-diversity',
  says: 'Ask without `diversity`.',
  set: { diversity: 0 },
}
const withDuplicates: Change = {
  code: 'with-duplicates',
  says: 'Ask with `distinct: false`, which returns duplicates too.',
  set: { distinct: false },
}

function changesFor(
  { seen, query }: RecallParts,
  { record }: FoundRecord,
  reasons: readonly Reason[],
): Change[] {
  const of = <Code extends ReasonCode>(code: Code) =>
    reasons.filter((one): one is Extract<Reason, ReasonOf<Code>> => one.code === code)
  const changes: Change[] = []
  const options = of('out-of-scope').map(({ option }) => option)
  if (options.length > 0) {
    const names = options.map((option) => `\`${option}\``).join(', ')
    changes.push({ code: 'remove-filter', says: `Ask without ${names}.`, remove: options })
  }
  if (['expired', 'superseded', 'not-yet-valid'].some((code) => reasons.some((one) => one.code === code))) {
    const at = beginOf(seen.kinds.get(record.kind), record) ?? quoteOf(seen.kinds, record).happenedAt
    changes.push({ code: 'other-time', says: `Ask as of ${at} (\`at\`).`, set: { at } })
  }
  for (const { rank } of of('below-others')) {
    const limit = triedLimits.find((one) => one >= rank)
    if (limit !== undefined)
      changes.push({ code: 'more-hits', says: `Ask for ${limit} hits (\`limit\`).`, set: { limit } })
  }
  for (const { score } of of('below-min-score')) {
    const minScore = Math.floor(score * 100) / 100
    changes.push({ code: 'lower-score', says: `Ask for a \`minScore\` of ${minScore}.`, set: { minScore } })
  }
  if (of('below-floor').length > 0 && query.want !== 'all')
    changes.push({
      code: 'other-want',
      says: "Ask for all that answers (`want: 'all'`).",
      set: { want: 'all' },
    })
  if (of('below-whole-floor').length > 0)
    changes.push({
      code: 'other-want',
      says: "Ask for the best hits (`want: 'best'`).",
      set: { want: 'best' },
    })
  if (of('cut-sharp').length > 0) changes.push(noCut)
  if (of('too-similar').length > 0) changes.push(noDiversity)
  if (of('duplicate').length > 0) changes.push(withDuplicates)
  return changes
}

/** The words of the record that the question lacks, as the record spells them, the rarest in the book first. */
function rareWordsOf({ seen, query }: RecallParts, { record }: FoundRecord): string[] {
  const kind = seen.kinds.get(record.kind)
  if (!kind) return []
  const undated = { ...kind, text: kind.text.filter((path) => path !== whenField) }
  const inQuestion = new Set(tokenize(query.text))
  const byTerm = new Map<string, string>()
  for (const word of textsOfRecord(undated, record, undefined)
    .join('\n')
    .match(/[\p{L}\p{N}]+/gu) ?? []) {
    const [term, ...more] = tokenize(word)
    const lower = word.toLowerCase()
    if (term === undefined || more.length > 0 || inQuestion.has(term) || byTerm.has(term)) continue
    if (word.length < 2 || stopWords.has(lower) || isAskingWord(lower)) continue
    byTerm.set(term, word)
  }
  const frequencies = seen.queries.frequencies([...byTerm.keys()])
  return [...byTerm]
    .filter(([term]) => (frequencies.get(term) ?? 0) > 0)
    .toSorted(([one], [other]) => (frequencies.get(one) ?? 0) - (frequencies.get(other) ?? 0))
    .map(([, word]) => word)
}

function addedWords({ text }: RecallQuery, words: readonly string[]): Change {
  const names = words.map((word) => `“${word}”`).join(' and ')
  return {
    code: 'add-word',
    says: `Ask with ${names}, which the record has.`,
    set: { text: `${text} ${words.join(' ')}`.trim().slice(-maxQuestionChars) },
  }
}

/** Suggestions that change the book, which no recall can try. */
function untried({ isOwner, embedding }: RecallParts, reasons: readonly Reason[]): Suggestion[] {
  const has = (...codes: ReasonCode[]) => reasons.some(({ code }) => codes.includes(code))
  const suggestions: Suggestion[] = []
  if (has('sealed'))
    suggestions.push({ code: 'unlock', says: 'Unlock the sealed records of the book, then ask again.' })
  if (isOwner && !embedding && has('no-common-word', 'below-floor', 'off-subject'))
    suggestions.push({
      code: 'embedder',
      says: 'Open the book with an embedder, which also finds records by meaning.',
    })
  if (reasons.some((one) => one.code === 'no-vector' && one.isComing))
    suggestions.push({
      code: 'wait-for-vectors',
      says: 'Wait until the embedder has made the vectors (`embedder.status`), then ask again.',
    })
  return suggestions
}
