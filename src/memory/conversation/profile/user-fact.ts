// Finds facts that users state about themselves and people close to them, by patterns, without a model: in English, German,
// French and Spanish, and in simple forms of Japanese and Chinese. A text that matches no pattern states nothing: a profile
// is silent rather than wrong.
import { type HistoryLine, isUser } from '../message/history.ts'
import { sentencesOf } from '../../../core/text/content-word.ts'
import { fold } from '../../../core/text/fold.ts'
import { eastAsian } from './pattern/east-asian.ts'
import { english } from './pattern/english.ts'
import { french } from './pattern/french.ts'
import { german } from './pattern/german.ts'
import { asRelative, findNames } from './pattern/person.ts'
import type { FactPattern } from './pattern/fact-pattern.ts'
import { spanish } from './pattern/spanish.ts'
import { valuesOf } from './pattern/value.ts'
import { isSingleValued, opposites, type Statement } from './statement.ts'

/** Patterns of each language, tried on sentences with a word of it that speaks of its speaker. */
const languages: readonly { readonly cue: RegExp; readonly patterns: readonly FactPattern[] }[] = [
  {
    cue: /(?<![\p{L}])(?:i|i['’]m|i['’]ve|im|we|we['’]re|my|me|remember|note|keep|rather|no)(?![\p{L}])/iu,
    patterns: english,
  },
  { cue: /(?<![\p{L}])(?:ich|wir|meine?|mir|mich|merke?)(?![\p{L}])/iu, patterns: german },
  { cue: /(?<![\p{L}])(?:je|j['’]|nous|on|mon|ma|m['’]|moi)/iu, patterns: french },
  {
    cue: /(?<![\p{L}])(?:vivo|soy|trabajo|tengo|tenemos|me|mi|nací|vengo|hablo|como|bebo|nos|cumplo|odio|detesto|padezco|sufro|escríb|llámame|viaj|vuelo|volamos|voy|vamos|empiezo|visit)/iu,
    patterns: spanish,
  },
  { cue: /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hiragana}]/u, patterns: eastAsian },
]

/** Quoted text is not of the speaker. An apostrophe within a word opens no quote. */
const quoted = /"[^"]*"?|“[^”]*”?|„[^“”]*[“”]?|«[^»]*»?|(?<=[\s:(])['‘][^\n]*?['’](?=$|[\s.,;!?)])/gu
/** Words after which somebody else speaks, or after which nothing is a fact. */
const reported =
  /(?<![\p{L}])(?<!(?:i|ich|we|wir|yo|je|j['’]ai) )(?:said|says|told|tells|wrote|writes|claims?|claimed|sagte?|sagt|schrieb|meinte|meint|dijo|dice|escribió|a dit|a écrit|dit que)(?![\p{L}])/iu
const unreal =
  /(?<![\p{L}])(?:i wish|dream(?:t|ed)|imagine|suppose|pretend|as if|if|ich wünschte|träumte|wenn|falls|würde|ojalá|soñé|si|j['’]ai rêvé|imaginons)(?![\p{L}])/iu

/** The part of a sentence in which its speaker states something as true. */
function statedPart(sentence: string): string {
  if (/[?？]\s*["'”’]?$/.test(sentence)) return ''
  // The limit bounds the time that the patterns take.
  let text = sentence.replaceAll(/\s+/g, ' ').slice(0, 1000).replaceAll(quoted, '…')
  for (const end of [reported, unreal]) text = text.slice(0, end.exec(text)?.index ?? text.length)
  return text
}

/** Statements of a sentence about its speaker, and about people close to the speaker. */
export function findInSentence(sentence: string): Statement[] {
  const text = statedPart(sentence)
  if (text === '') return []
  const named = findNames(text).map(({ relation, name }) => ({
    attribute: `name of ${relation}`,
    value: name,
    denied: false,
  }))
  const relative = asRelative(text)
  const ofRelative = relative
    ? matchPatterns(relative.sentence)
        .filter(({ attribute }) => attribute !== 'name')
        .map((statement) => ({ ...statement, attribute: `${statement.attribute} (${relative.relation})` }))
    : []
  return [...matchPatterns(text), ...named, ...ofRelative]
}

/** Statements that the patterns find in `text`, in its order. */
function matchPatterns(text: string): Statement[] {
  const found: { stated: Statement; index: number }[] = []
  const patterns = languages.flatMap(({ cue, patterns: ofLanguage }) => (cue.test(text) ? ofLanguage : []))
  for (const { attribute, pattern, denied = false } of patterns) {
    const { groups, index = 0 } = pattern.exec(text) ?? {}
    if (!groups) continue
    const key = groups['k'] === undefined ? attribute : `${attribute} ${fold(groups['k'].trim())}`
    const values = attribute === 'note' ? [groups['v']?.trim() ?? ''] : valuesOf(key, groups['v'] ?? '')
    for (const value of values) {
      const stated = { attribute: key, value, denied }
      if (!found.some((earlier) => precedes(earlier.stated, stated))) found.push({ stated, index })
    }
  }
  return found.toSorted((a, b) => a.index - b.index).map(({ stated }) => stated)
}

/** True if the earlier statement of a sentence excludes the later: an earlier pattern has precedence. */
function precedes(earlier: Statement, later: Statement): boolean {
  const isSameValue = fold(earlier.value) === fold(later.value)
  if (earlier.attribute === later.attribute) return isSameValue || isSingleValued(later.attribute)
  return isSameValue && opposites[earlier.attribute] === later.attribute
}

/** Statements in the lines of persons, in order, each with its line. */
export function findStatements(lines: readonly HistoryLine[]): { statement: Statement; line: HistoryLine }[] {
  return lines
    .filter(isUser)
    .flatMap((line) =>
      wholeSentences(line.content).flatMap((sentence) =>
        findInSentence(sentence).map((statement) => ({ statement, line })),
      ),
    )
}

/** Sentences of a text; the period of `St.`, of an initial or of a day ends none. */
function wholeSentences(text: string): string[] {
  const sentences: string[] = []
  for (const sentence of sentencesOf(text)) {
    const before = sentences.at(-1)
    if (before !== undefined && /(?<![\p{L}\p{N}])(?:\p{Lu}|St|Mt|Dr|Mr|Mrs|Ms|\d{1,2})\.$/u.test(before))
      sentences[sentences.length - 1] = `${before} ${sentence}`
    else sentences.push(sentence)
  }
  return sentences
}
