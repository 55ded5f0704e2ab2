// Scripts without spaces are indexed as overlapping pairs of letters (the bigrams of Lucene's CJK analysis), so that
// a search finds any part of a sentence: `我们去东京` is indexed as `我们 们去 去东 东京`. Han characters are also indexed one by
// one, because a single one often is a word.
// Invariant: the question form of a text is part of its indexed form, in the same order.
import { isSeparator } from './unicode-words.ts'

/** Thai, Lao, Myanmar, Khmer, kana and Han; and Hangul, because it writes endings onto the word. */
const letters =
  '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff' +
  '\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{323af}'
const unspacedLetter = new RegExp(`[${letters}]`, 'u')
const unspacedRuns = new RegExp(`[${letters}]+`, 'gu')
const scriptRuns = new RegExp(`[${letters}]+|[^${letters}]+`, 'gu')
const hanLetter = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{323af}]/u

/** True when `text` has letters of a script without spaces. */
export const hasUnspacedScript = (text: string): boolean => unspacedLetter.test(text)

/** Splits `text` between letters of such scripts and other letters: `see東京` becomes two words. */
export const splitScripts = (text: string): readonly string[] =>
  unspacedLetter.test(text) ? (text.match(scriptRuns) ?? []) : [text]

/** The indexed form of `text`: pairs of letters, and single Han characters. */
export function segmentText(text: string): string {
  if (!unspacedLetter.test(text)) return text
  return text.replace(unspacedRuns, (run) => {
    // The pairs of a single letter are this letter.
    const singles = [...run].length > 1 ? hanCharacters(run) : []
    return ` ${[...pairsOf(run), ...singles].join(' ')} `
  })
}

/** The question form of `text`: without the single characters, which match too many texts. */
export function segmentQuery(text: string): string {
  if (!unspacedLetter.test(text)) return text
  return text.replace(unspacedRuns, (run) => ` ${pairsOf(run).join(' ')} `)
}

/** The overlapping pairs of the letters of `run`; the letter itself if there is only one. */
function pairsOf(run: string): string[] {
  const all = [...run].filter((letter) => !isSeparator(letter.codePointAt(0) ?? 0))
  if (all.length < 2) return all
  return all.slice(1).map((letter, i) => `${all[i] ?? ''}${letter}`)
}

const hanCharacters = (run: string): string[] =>
  [...run].filter((letter) => hanLetter.test(letter) && !isSeparator(letter.codePointAt(0) ?? 0))
