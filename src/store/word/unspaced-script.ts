// Scripts without spaces are indexed as overlapping pairs of letters, so that a search finds any part of a sentence.
// `我们去东京` is indexed as `我们 们去 去东 东京` and, because a single Han character often is a word, also as single
// characters. (The bigrams of Lucene's CJK analysis.)
// Invariant: the form of a question is part of the indexed form of the same text, in the same order.
import { isSeparator } from './unicode-words.ts'

/** Thai, Lao, Myanmar, Khmer, kana, Han and, because its endings are written onto the word, Hangul. */
const letters =
  '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff' +
  '\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\u{20000}-\u{323af}'
const unspaced = new RegExp(`[${letters}]`, 'u')
const runs = new RegExp(`[${letters}]+`, 'gu')
const parts = new RegExp(`[${letters}]+|[^${letters}]+`, 'gu')
const han = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{323af}]/u

/** True when `text` has letters of such a script. */
export const hasUnspacedScript = (text: string): boolean => unspaced.test(text)

/** Splits `text` where such letters meet others: `see東京` is two words. */
export const splitScripts = (text: string): readonly string[] =>
  unspaced.test(text) ? (text.match(parts) ?? []) : [text]

/** The indexed form of `text`. */
export function segmentText(text: string): string {
  if (!unspaced.test(text)) return text
  return text.replace(runs, (run) => {
    const pairs = pairsOf(run)
    return ` ${[...pairs, ...(pairs.length > 1 || [...run].length > 1 ? singles(run) : [])].join(' ')} `
  })
}

/** The form of a question: without the single characters, which say less than their pairs. */
export function segmentQuery(text: string): string {
  if (!unspaced.test(text)) return text
  return text.replace(runs, (run) => ` ${pairsOf(run).join(' ')} `)
}

function pairsOf(run: string): string[] {
  const all = [...run].filter((letter) => !isSeparator(letter.codePointAt(0) ?? 0))
  if (all.length < 2) return all
  return all.slice(1).map((letter, i) => `${all[i] ?? ''}${letter}`)
}

const singles = (run: string): string[] =>
  [...run].filter((letter) => han.test(letter) && !isSeparator(letter.codePointAt(0) ?? 0))
