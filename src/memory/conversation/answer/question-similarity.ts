// Compares two questions, by words and by vectors. The measures prefer a cache miss to a wrong answer.
import { fold } from '../../../core/text/fold.ts'
import { commonWords, contentWords } from '../../../core/text/content-word.ts'
import type { SpaceVector } from '../../../core/capability/port/recall-port.ts'
import { fromBase64, toBase64 } from '../../../shape/encoded-bytes.ts'
import { isGuardedWord, namingWords } from './guarded-word.ts'

/** A word with its marks: vowel signs of Hindi and Thai distinguish words, as accents do. */
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*/gu

/** Characters without a meaning of their own. Joiners are not here: they distinguish emoji and Persian words. */
const invisiblePattern = /[\u00ad\u200b\u200e\u200f\u2060\ufeff]|[\ufe0e\ufe0f]/gu

/** Matches text without superscripts, subscripts and fractions: a compatible form would make 22 of 2². */
const compatiblePattern = /[^\p{No}ªº\u1d2c-\u1d6a\u2070-\u209f]+/gu

/** A word, or a sign that is not the punctuation after a word. */
const tokenPattern = new RegExp(
  `${wordPattern.source}|(?!(?<=\\p{L}{2})[.?!,;:]\\s)[^\\s\\p{L}\\p{M}\\p{N}]`,
  'gu',
)

/** A capital after the first letter. */
const innerCapitalPattern = /[\p{L}\p{M}]\p{Lu}/u

/** Words that are common, and in capitals an abbreviation: in a question in capitals they may mean both. */
const abbreviationWords = new Set('aid aids arm cat gap ice mit pet pin ram sat sim us'.split(' '))

/** The text before a word that begins a sentence. */
const beforeSentencePattern = /^[^\p{L}\p{M}\p{N}]*$|[.?!…]["')\]]* ["'([]*$/u

/** The text before a word that begins with a dot, as in ".NET". */
const beforeDotWordPattern = /(?:^|[\s"'(])\.$/u

/** Matches a letter, or letters that may be a symbol of a unit: Mb. */
const symbolPattern = /^(?!I$)(?:\p{L}|[bcdfghjklmnpqrstvwxz]{2,3})$/iu

/**
 * True if the word has a capital with a meaning: it may be a name (Polish, Turkey) or a symbol (Mb). Not so: the first
 * word of a sentence, "I", C++ and C#. `before` and `after`: the text around the word.
 */
const hasNameCapital = (word: string, before: string, after: string): boolean =>
  /^\p{Lu}/u.test(word) &&
  (symbolPattern.test(word) || namingWords.has(fold(word).replace(/'s$/, ''))) &&
  !beforeSentencePattern.test(before) &&
  !beforeDotWordPattern.test(before) &&
  !(word.length === 1 && /^(?:\+\+|#)/.test(after))

/** True if the word is the unit of the number before it. */
const isUnit = (word: string, before: string): boolean =>
  word.length <= 2 && /\p{N} ?$/u.test(before.slice(-3))

/** True if the question is written in capitals, so that their case has no meaning. */
const isInCapitals = (text: string): boolean =>
  (text.match(/(?<!\p{L})\p{Lu}/gu) ?? []).length > 2 && !/[\p{Ll}\p{Lo}]/u.test(text)

/**
 * Returns `word` in lower case, unless its case may have a meaning: with a capital after the first letter (US, mW, pH),
 * with a digit, or after a number (5 Mb). `before`: the text before the word.
 */
function caseForm(word: string, before: string, inCapitals: boolean): string {
  if (/\p{N}/u.test(word) || isUnit(word, before)) return word
  const lower = word.toLowerCase()
  if (inCapitals) return abbreviationWords.has(lower) ? `^${lower}` : lower
  if (word.length > 1 && beforeDotWordPattern.test(before)) return lower
  return innerCapitalPattern.test(word) ? word : lower
}

/** Removes the punctuation at the end. An exclamation mark after a number or a letter may be a factorial. */
function withoutEnd(text: string): string {
  const [marks = ''] = /(?<=\S)[.?!,;:。؟।]+$| \?+$/u.exec(text) ?? []
  const rest = text.slice(0, text.length - marks.length)
  const [factorial = ''] = /(?:[\p{N})]|(?<![\p{L}\p{M}\p{N}])\p{L})$/u.test(rest)
    ? (/^!+/.exec(marks) ?? [])
    : []
  return `${rest}${factorial}`
}

/** Removes the quotes around a whole question of several words. */
function withoutQuotes(text: string): string {
  const [, mark = '', quoted = ''] = /^(["'])(.+ .+)\1[.?!…]*$/u.exec(text) ?? []
  return mark === '' || quoted.includes(mark) ? text : quoted.trim()
}

/** The question as written, with one form of each space, dash, quote and compatible character. */
function plainQuestion(question: string): string {
  const plain = question
    .normalize('NFC')
    .replaceAll(compatiblePattern, (part) => part.normalize('NFKC'))
    .replaceAll(invisiblePattern, '')
    .replaceAll(/[‐‒–—―−]/gu, '-')
    .replaceAll(/[‘’‛ʼ]/gu, "'")
    .replaceAll(/[“”„«»]/gu, '"')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  const text = withoutQuotes(plain)
    .replace(/^[¿¡]+ ?/u, '')
    .replaceAll(/(?<=\p{N}) ?([+×÷=<>]) ?(?=\p{N})/gu, ' $1 ')
  return withoutEnd(text)
}

/**
 * The form that all spellings of a question share. Ignores the case of ordinary words, white space, the punctuation and
 * quotes around the question, and the contraction of "what is". Every other sign counts: operators, currencies, accents,
 * emoji.
 */
export function questionForm(question: string): string {
  const text = plainQuestion(question)
  const inCapitals = isInCapitals(text)
  const caseText = text.replaceAll(wordPattern, (word, offset: number) => {
    const before = text.slice(0, offset)
    if (!inCapitals && hasNameCapital(word, before, text.slice(offset + word.length))) return word
    return caseForm(word, before, inCapitals)
  })
  return caseText.replaceAll(
    /(?<![\p{L}\p{M}\p{N}'])(what|who|where|when|how|that|there|it)'s(?![\p{L}\p{M}\p{N}'])/gu,
    '$1 is',
  )
}

/** Matches a folded word that negates or limits a question. */
const negationPattern =
  /n't$|^(?:not?|non|nor|neither|none|nobody|nothing|never|cannot|without|except|unless|nicht|kein\p{L}{0,2}|nie|ohne|ne|pas|sans|jamais|aucune?|sin|ni|nunca|jamas|senza|mai|nao|sem|niet|geen|zonder|nooit|ikke|inte|utan|bez|не|нет|ни|без|ні)$|^(?:un|non|dis|il(?=l)|im(?=[mp])|ir(?=r))\p{L}{3}|less$/u

/**
 * Words and signs that embedders neglect and questions depend on: numbers, negations, guarded words (`isGuardedWord`),
 * names (words with a capital letter; the first word only if it is a content word), words without letter case, and every
 * sign that is not punctuation around the question. In order, as one text. Questions that differ in one of them, or in their
 * order, are different, however similar their vectors.
 */
export function distinguishingWords(question: string): string {
  const text = plainQuestion(question)
  const inCapitals = isInCapitals(text)
  return [...text.matchAll(tokenPattern)]
    .filter(({ 0: token, index }) => {
      if (!/^[\p{L}\p{M}\p{N}]/u.test(token)) return true
      const folded = fold(token)
      if (/[\p{N}\p{Lo}]/u.test(token) || negationPattern.test(folded) || isGuardedWord(folded)) return true
      if (isUnit(token, text.slice(0, index))) return token.length === 1 || !commonWords.has(folded)
      if (innerCapitalPattern.test(token)) return true
      return /^\p{Lu}/u.test(token) && (index > 0 || contentWords(token).length > 0)
    })
    .map(({ 0: token, index }) => {
      const isSymbol = token.length <= 3 && index > 0 && !inCapitals && isGuardedWord(fold(token))
      // The case of a unit counts: Mb, MB.
      return isSymbol ? token : caseForm(token, text.slice(0, index), inCapitals)
    })
    .join(' ')
}

interface Direction {
  /** Only vectors of one space can be compared: `provider|model|dimensions|normalised`. */
  readonly space: string
  /** Signed bytes in base64. The vector is scaled: its length does not matter for a cosine. */
  readonly bytes: string
}

/**
 * Matches the name of a space whose vectors express the subject only, in whatever order its words stand: "JSON to YAML"
 * and "YAML to JSON" look the same.
 */
const topicSpacePattern = /^(?:lsa|meaning)\|/

/**
 * Direction of a vector, one byte for each dimension. Undefined without a vector, or if its space can't distinguish
 * questions.
 */
export function toDirection(embedding: SpaceVector | undefined): Direction | undefined {
  if (!embedding || topicSpacePattern.test(embedding.space)) return undefined
  const maxAbs = embedding.vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  if (maxAbs === 0) return undefined
  const bytes = Int8Array.from(embedding.vector, (value) => Math.round((value / maxAbs) * 127))
  return { space: embedding.space, bytes: toBase64(new Uint8Array(bytes.buffer)) }
}

/** Cosine of two directions, −1 to 1; 0 if their spaces differ. The error from the bytes is below 0.01. */
export function cosineOf(first: Direction, second: Direction): number {
  if (first.space !== second.space) return 0
  const a = fromBase64(first.bytes)
  const b = fromBase64(second.bytes)
  if (!a || a.length !== b?.length) return 0
  const x = new Int8Array(a.buffer)
  const y = new Int8Array(b.buffer)
  let dot = 0
  let xx = 0
  let yy = 0
  for (let i = 0; i < x.length; i++) {
    const p = x[i] ?? 0
    const q = y[i] ?? 0
    dot += p * q
    xx += p * p
    yy += q * q
  }
  return xx > 0 && yy > 0 ? dot / Math.sqrt(xx * yy) : 0
}
