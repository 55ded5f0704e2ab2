// Keywords without a language model.
import type { Line } from '../message/history.ts'
import { fold } from '../../../core/text/fold.ts'
import { commonWords, isUnspaced, wordsOf } from '../../../core/text/content-word.ts'

export const keywordLimit = 10
const longest = 3

/**
 * The keywords of a history, those that say most first, as they are first written.
 *
 * After rapid automatic keyword extraction (Rose, Engel, Cramer, Cowley: "Automatic keyword extraction from individual
 * documents", 2010): candidates are the runs of words between common words and punctuation, parted into threes; a word's
 * degree is how many words stand with it in candidates, itself included, over all of them. Talk is short and repeats
 * itself, so a candidate scores the mean degree of its words, not the sum, times 1 + ln(how often it stands there), and
 * one that contains a better one, or is contained in it, is left out.
 */
export function keywordsOf(lines: readonly Line[], limit: number = keywordLimit): string[] {
  const written = new Map<string, string>()
  const times = new Map<string, number>()
  const degree = new Map<string, number>()
  for (const phrase of lines.flatMap(({ content }) => candidatesOf(content))) {
    const words = phrase.map(fold)
    const key = words.join(' ')
    if (!written.has(key)) written.set(key, phrase.join(' '))
    times.set(key, (times.get(key) ?? 0) + 1)
    for (const word of words) degree.set(word, (degree.get(word) ?? 0) + words.length)
  }
  const ranked = [...times]
    .map(([key, n]) => {
      const words = key.split(' ')
      const mean = words.reduce((sum, word) => sum + (degree.get(word) ?? 0), 0) / words.length
      return { key, score: mean * (1 + Math.log(n)) }
    })
    .toSorted((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1))
  const chosen: string[] = []
  for (const { key } of ranked) {
    if (chosen.length >= limit) break
    if (!chosen.some((one) => holds(one, key) || holds(key, one))) chosen.push(key)
  }
  return chosen.map((key) => (written.get(key) ?? key).slice(0, 200).toWellFormed())
}

const holds = (whole: string, part: string) => ` ${whole} `.includes(` ${part} `)

function candidatesOf(text: string): string[][] {
  return text.split(/[^\p{L}\p{N}\p{M}\s'’-]+/u).flatMap((clause) => {
    const phrases: string[][] = []
    let phrase: string[] = []
    const end = () => {
      for (let from = 0; from < phrase.length; from += longest)
        phrases.push(phrase.slice(from, from + longest))
      phrase = []
    }
    for (const word of wordsOf(clause)) {
      if (isUnspaced(word)) {
        end()
        phrases.push(...unspacedCandidates(word).map((one) => [one]))
      } else if (isTelling(word)) phrase.push(word)
      else end()
    }
    end()
    return phrases
  })
}

function isTelling(word: string): boolean {
  const folded = fold(word).replaceAll('’', "'")
  if (folded.length < 3 || /^\d+$/.test(folded)) return false
  return !commonWords.has(folded) && !commonWords.has(folded.split("'")[0] ?? '')
}

/** In Japanese, runs of Han or katakana between the hiragana are mostly nouns; long runs stand for too much. */
function unspacedCandidates(word: string): string[] {
  return (
    word.match(
      /\p{Script=Han}+|[\p{Script=Katakana}ー]+|[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu,
    ) ?? []
  ).filter((one) => [...one].length >= 2 && [...one].length <= 8)
}
