// Statements of one person of which a later one says that an earlier one is no longer true.
// Invariant: without an explicit word of change, the same person and the subject of the question, nothing is
// contradicted: a missed change leaves the order as it was, a wrong one would hide what is true.
import { type JsonObject, readPath } from '../core/json/path.ts'
import type { Kind, Kinds } from '../core/kind.ts'
import type { Stored } from '../core/record.ts'
import { contentWords, sentencesOf } from '../core/text/content-word.ts'
import { statedTexts } from '../store/word/text.ts'
import { tokenize } from '../store/word/tokenize.ts'
import { hasUnspacedScript, segmentQuery } from '../store/word/unspaced-script.ts'
import { lightTermsOf } from './light-word.ts'
import { stopWords } from './question-words.ts'

const wordStart = '(?<![\\p{L}\\p{N}])'
const wordEnd = '(?![\\p{L}\\p{N}])'

/** Words that say that something ended or became another. */
const strongMarkers =
  'changed|switched|moved|replaced|no longer|any ?more|any longer|quit|stopped|gave up|cancell?ed|postponed|rescheduled|' +
  'gewechselt|geändert|umgestiegen|umgezogen|verschoben|verlegt|nicht mehr|keine?n? .{1,30} mehr|aufgehört|abgesagt|' +
  'changée?|déménagée?|remplacée?|ne .{1,30} plus|reportée?|annulée?|déplacée?|arrêtée?|' +
  'cambiado|cambié|cambió|mudado|mudé|mudó|ya no|reemplacé|reemplazó|pospuest[oa]|cancelé|canceló|' +
  'cambiato|cambiata|traslocato|spostat[oa]|non .{1,30} più|rimandat[oa]|annullat[oa]|sostituit[oa]|' +
  'mudei|mudou|troquei|trocou|já não|não .{1,30} mais|adiad[oa]|cancelad[oa]|' +
  'gewisseld|veranderd|verhuisd|niet meer|verplaatst'
/** Words that may say it, beside another value. */
const weakMarkers =
  'now|instead|actually|from now on|jetzt|inzwischen|mittlerweile|stattdessen|nun|maintenant|désormais|en fait|' +
  'ahora|en realidad|adesso|ora|invece|agora|na verdade|nu|inmiddels|' +
  '(?:my|our) new|(?:mein|unser)e? neuer?s?|(?:mon|notre) nouve(?:au|l)|(?:ma|notre) nouvelle|(?:mi|nuestr[oa]) nuev[oa]|' +
  '(?:mi[oa]|nostr[oa]) nuov[oa]|(?:meu|minha|noss[oa]) nov[oa]|(?:mijn|onze?) nieuwe?'
/** Strong words of another place or time, not of another thing: only what says a place or a time changes by them. */
const moves = /^(?:moved|umgezogen|déménagée?|mudado|mudé|mudó|traslocato|verhuisd)$/iu
const unspacedStrong =
  '改成|换成|换了|改到|搬到|不再|取消|推迟|変更|変えた|変えました|やめ|延期|引っ越し|바꿨|변경|이사했|더 이상|취소|연기'
const unspacedWeak = '现在|其实|今は|実は|지금은|사실'

const strong = new RegExp(`${wordStart}(?:${strongMarkers})${wordEnd}|${unspacedStrong}`, 'iu')
const weak = new RegExp(`${wordStart}(?:${weakMarkers})${wordEnd}|${unspacedWeak}`, 'iu')

/** A change that is denied, wished or supposed. */
const unreal = new RegExp(
  `${wordStart}(?:never|hasn['’]t|haven['’]t|has not|have not|didn['’]t|did not|wasn['’]t|was not|if|whether|might|could|would|` +
    'should|will|maybe|perhaps|wish|want to|wants to|thinking|nie|nicht geändert|nicht gewechselt|wenn|falls|ob|vielleicht|würde|' +
    `si|peut-être|jamais|quizás?|tal vez|nunca|forse|mai|se|talvez|misschien|als)${wordEnd}|如果|也许|没有|もし|만약`,
  'iu',
)

/** Words that take a text back, and texts that are somebody else's words. */
const takenBack =
  /(?<!\p{L})(?:(?:just|only) (?:kidding|joking)|but no[,.!]?$|I (?:only )?(?:thought|dreamt|dreamed)|war nur (?:ein )?(?:Spaß|Scherz)|translate|übersetze|traduis|traduce)(?!\p{L})|["“”«»„]/iu

const clauseEnds = /[,;:，、]|\s[–—-]\s|\s(?:and|but|so|because|und|aber|et|mais|y|pero|e|ma|mas)\s/iu
const isQuestion = (text: string) => /[?？]["'”»)\]]*\s*$/.test(text.trim())

const termsOf = (text: string) => tokenize(segmentQuery(text))

/** The terms of `text` that say something: no common words, no light words. */
function contentTerms(text: string): Set<string> {
  const isLight = lightTermsOf(text)
  return new Set(
    contentWords(text)
      .flatMap(termsOf)
      .filter((term) => !stopWords.has(term) && !isLight(term)),
  )
}

/** Numbers and names of `text`: words with a digit, and words with a capital that don't begin a sentence. */
function valuesOf(text: string): { readonly numbers: Set<string>; readonly names: Set<string> } {
  const numbers = new Set<string>()
  const names = new Set<string>()
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/\d/.test(word)) numbers.add(word.toLowerCase())
    else if (index > 0 && word.length > 1 && /^\p{Lu}/u.test(word)) names.add(word.toLowerCase())
  }
  return { numbers, names }
}

const valuesIn = ({ numbers, names }: ReturnType<typeof valuesOf>) => [...numbers, ...names]

/** The numbers and names of `text` that `other` doesn't have. */
function newValues(text: string, other: string) {
  const lower = other.toLowerCase()
  const isNew = (value: string) => !lower.includes(value)
  const { numbers, names } = valuesOf(text)
  return { numbers: new Set([...numbers].filter(isNew)), names: new Set([...names].filter(isNew)) }
}

/** True when both have numbers, or names, that the other lacks. */
function valuesDiffer(earlier: string, later: string): boolean {
  const one = newValues(earlier, later)
  const other = newValues(later, earlier)
  return (one.numbers.size > 0 && other.numbers.size > 0) || (one.names.size > 0 && other.names.size > 0)
}

const insteadOf =
  /\s(?:from|instead of|no longer|rather than|statt|anstatt|von|nicht mehr|au lieu de|en vez de|invece di|em vez de|in plaats van)\s(.{1,30})/iu

/** True when `later` names a value of `earlier` as the one that ended, and another: "from 5 May to 9 May". */
function replacesNamed(earlier: string, later: string): boolean {
  const ended = valuesOf(` ${insteadOf.exec(later)?.[1] ?? ''}`)
  const has = valuesOf(earlier)
  const added = newValues(later, earlier)
  return (['numbers', 'names'] as const).some(
    (type) => added[type].size > 0 && [...ended[type]].some((value) => has[type].has(value)),
  )
}

/** Words before a new place, time or name: what follows them may be new. */
const towards =
  /\s(?:to|from|at|by|in|on|for|with|into|zu|zum|zur|auf|nach|von|bei|a|à|au|en|para|por|al|da|em|naar|op)\s/iu

/** Words before the place or the time of something. */
const atPlace = /\s(?:to|from|at|by|in|on|zu|zum|zur|auf|nach|bei|um|am|im|à|au|en|da|em|naar|op)\s/iu

/** Capital letters alone and numbers: names of one of several, as in _flat B_. */
const labelsOf = (text: string): readonly string[] =>
  text.match(/(?<=\s)(?:(?!I\b)\p{Lu}|\p{N}+)(?![\p{L}\p{N}])/gu) ?? []

/** A sentence about the subject of a question. Its terms are computed once, because a ranking compares it with many. */
class Sentence {
  readonly text: string
  /** Terms of the subject that it has. */
  readonly subjects: readonly string[]
  #content: ReadonlySet<string> | undefined

  constructor(text: string, subjectTerms: ReadonlySet<string>) {
    this.text = text
    this.subjects = [...new Set(termsOf(text))].filter((term) => subjectTerms.has(term))
  }

  get content(): ReadonlySet<string> {
    return (this.#content ??= contentTerms(this.text))
  }
}

/** A sentence with a word of change. */
interface Change {
  readonly sentence: Sentence
  readonly marker: RegExpExecArray
  readonly isStrong: boolean
}

/** The sentences of `text` that state something about the subject. */
const statementsIn = (text: string, subjectTerms: ReadonlySet<string>): Sentence[] =>
  sentencesOf(text)
    .filter((sentence) => !isQuestion(sentence))
    .map((sentence) => new Sentence(sentence, subjectTerms))
    .filter(({ subjects }) => subjects.length > 0)

/** The sentences of `text` that say that something about the subject changed. */
function changesIn(text: string, subjectTerms: ReadonlySet<string>): Change[] {
  if (!mayChange(text) || takenBack.test(text)) return []
  return sentencesOf(text).flatMap((one): Change[] => {
    const strongMarker = strong.exec(one)
    const marker = strongMarker ?? weak.exec(one)
    if (!marker || isQuestion(one) || unreal.test(one)) return []
    const sentence = new Sentence(one, subjectTerms)
    return sentence.subjects.length === 0 ? [] : [{ sentence, marker, isStrong: strongMarker !== null }]
  })
}

/**
 * True when the change `later` is one of the statement `earlier` about the subject of a question. `subjectTerms`: the
 * terms of the question that aren't light.
 */
function isChangeOf(
  statement: Sentence,
  { sentence, marker, isStrong }: Change,
  subjectTerms: ReadonlySet<string>,
): boolean {
  // Most sentences share no subject: compare it first, because content terms take longer.
  if (!statement.subjects.some((term) => sentence.subjects.includes(term))) return false
  const { text: earlier, content: earlierTerms } = statement
  const { text: later, content: laterTerms } = sentence
  const subject = [...subjectTerms].filter((term) => earlierTerms.has(term))
  if (subject.length === 0 || !subject.every((term) => laterTerms.has(term))) return false
  const isKnown = (term: string) => earlierTerms.has(term) || subjectTerms.has(term)
  const added = newValues(later, earlier)
  const newTerms = new Set(isStrong ? [] : valuesIn(added).flatMap(termsOf))
  // Another owner before the word of change: "my sister changed her job" says nothing about my job.
  const before = later.slice(0, marker.index).split(clauseEnds).at(-1) ?? ''
  const after = later.slice(marker.index + marker[0].length).split(clauseEnds)[0] ?? ''
  // A German verb is last: "Ich habe den Zahnarzt zu Dr. Brandt gewechselt".
  const isLast = isStrong && !/[\p{L}\p{N}]/u.test(after)
  const owner = isLast ? (before.split(towards)[0] ?? '') : before
  if (![...contentTerms(owner)].every((term) => isKnown(term) || newTerms.has(term))) return false
  // The part with the word of change says nothing of the earlier one: "I started Emma, gave up at page 90".
  const clause = `${before} ${after}`
  const clauseTerms = [...contentTerms(clause)]
  if (!clauseTerms.some((term) => earlierTerms.has(term))) return false
  if (!isStrong) {
    // Something else about the same thing: "my phone now has a crack", "flat B is now 950".
    const isOther = clauseTerms.some((term) => !isKnown(term) && !newTerms.has(term) && !weak.test(term))
    const isOtherLabel = labelsOf(before).some(
      (label) => !labelsOf(earlier).includes(label) && !newTerms.has(label),
    )
    return !isOther && !isOtherLabel && (valuesDiffer(earlier, clause) || replacesNamed(earlier, clause))
  }
  const isNamed = replacesNamed(earlier, later)
  if (moves.test(marker[0]) && !isNamed && !atPlace.test(earlier)) return false
  // Another object after it: "my dentist moved the appointment" changes no dentist.
  const isObject = (term: string) => !/\d/.test(term) && !hasUnspacedScript(term)
  if (![...contentTerms(after.split(towards)[0] ?? '')].filter(isObject).every(isKnown)) return false
  if (isNamed || valuesDiffer(earlier, later)) return true
  const shared = [...laterTerms].filter((term) => earlierTerms.has(term))
  // A number limits an end: "I no longer drink coffee after 16:00".
  return shared.length >= 2 && (isEnd(later) ? added.numbers.size === 0 : valuesIn(added).length > 0)
}

/** Words of an end: nothing else replaces what they end. */
const ends = new RegExp(
  `${wordStart}(?:no longer|any ?more|any longer|quit|stopped|gave up|cancell?ed|nicht mehr|keine?n? .{1,30} mehr|aufgehört|` +
    'abgesagt|ne .{1,30} plus|annulée?|arrêtée?|ya no|cancelé|canceló|non .{1,30} più|annullat[oa]|já não|não .{1,30} mais|' +
    `cancelad[oa]|niet meer)${wordEnd}|不再|取消|やめ|더 이상|취소`,
  'iu',
)
const isEnd = (text: string) => ends.test(text)

/** True when the text `later` contradicts the text `earlier` in what a question is about. See `isChangeOf`. */
export function contradicts(earlier: string, later: string, subjectTerms: ReadonlySet<string>): boolean {
  const statements = statementsIn(earlier, subjectTerms)
  return changesIn(later, subjectTerms).some((change) => hasChangeOf(statements, change, subjectTerms))
}

const hasChangeOf = (statements: readonly Sentence[], change: Change, subjectTerms: ReadonlySet<string>) =>
  statements.some((statement) => isChangeOf(statement, change, subjectTerms))

/** True when `text` has a word of change. */
const mayChange = (text: string): boolean => strong.test(text) || weak.test(text)

/** A ranked record, as far as statements need it. */
export interface RankedStatement {
  readonly seq: number
  readonly score: number
  readonly record: Stored<JsonObject>
}

/** A longer text is no statement. */
const maxStatementChars = 2000

/** The most that a superseded statement has of the score of the later one. */
const supersededFactor = 0.9

export interface StatementDeps {
  readonly kinds: Kinds
  /** When a record happened, in milliseconds since 1970 UTC. */
  readonly timeOf: (seq: number) => number
  /** The terms of the question. */
  readonly terms: readonly string[]
  readonly text: string
  /** Gets for each contradicted statement, by seq, the id of the last that contradicts it. */
  readonly later: Map<number, string>
}

/**
 * `ranked` in a new order, best first: a statement of a person that a later one of the same person contradicts is below
 * the later one, which takes its score.
 */
export function orderStatements<Ranked extends RankedStatement>(
  ranked: readonly Ranked[],
  { kinds, timeOf, terms, text, later }: StatementDeps,
): readonly Ranked[] {
  const statements = ranked.flatMap((one) => {
    const kind = kinds.get(one.record.kind)
    const content = statementOf(kind, one.record)
    if (!kind || content === undefined) return []
    return [{ ...one, content, person: personOf(kind, one.record), atMs: timeOf(one.seq) }]
  })
  const changing = statements.filter(({ content }) => mayChange(content))
  if (changing.length === 0) return ranked
  const isLight = lightTermsOf(text)
  const subject = new Set(terms.filter((term) => !isLight(term)))
  const scores = new Map(ranked.map(({ seq, score }) => [seq, score]))
  const changes = changing.flatMap((one) => {
    const found = changesIn(one.content, subject)
    return found.length === 0 ? [] : [{ ...one, found }]
  })
  for (const earlier of statements) {
    const after = changes.filter(({ person, atMs }) => person === earlier.person && atMs > earlier.atMs)
    const sentences = after.length === 0 ? [] : statementsIn(earlier.content, subject)
    const [last] = after
      .filter(({ found }) => found.some((change) => hasChangeOf(sentences, change, subject)))
      .toSorted((a, b) => b.atMs - a.atMs)
    if (!last) continue
    later.set(earlier.seq, last.record.id)
    const highest = Math.max(scores.get(last.seq) ?? 0, scores.get(earlier.seq) ?? 0)
    scores.set(last.seq, highest)
    scores.set(earlier.seq, Math.min(scores.get(earlier.seq) ?? 0, supersededFactor * highest))
  }
  if (later.size === 0) return ranked
  const scored = ranked.map((one) => ({ ...one, score: scores.get(one.seq) ?? one.score }))
  return scored.toSorted((a, b) => b.score - a.score || b.seq - a.seq)
}

/** The text of a record if it is a person's statement. */
function statementOf(kind: Kind | undefined, record: Stored<JsonObject>): string | undefined {
  if (kind?.roleOf?.(record) !== 'person') return undefined
  const content = statedTexts(kind, record).join('\n')
  return content.length > maxStatementChars ? undefined : content
}

/** True when one of the records has a word of change, so that `orderStatements` may change their order. */
export const hasChange = (ranked: readonly Pick<RankedStatement, 'record'>[], kinds: Kinds): boolean =>
  ranked.some(({ record }) => mayChange(statementOf(kinds.get(record.kind), record) ?? ''))

/** The speaker, and the agent that the record belongs to. */
const personOf = ({ facets }: Kind, record: Stored<JsonObject>): string =>
  JSON.stringify([
    record['agent'] ?? '',
    facets.actor ? (readPath(record, facets.actor) ?? '') : '',
    readPath(record, 'source.name') ?? '',
  ])
