// Words that people ask with rather than for: what is left of a contraction (`didn't` is indexed as `didn` and `t`), words
// about the talk itself (mention, discuss, list in order), and those of thinking aloud (ugh, wondering, basically).
// Invariant: a question is never left with fewer than `leastWords` because of them: then they are what it is about.

import { tokenize } from '../../store/word/tokenize.ts'

const contracted =
  'm s ve ll re d t don didn doesn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn'
const talking =
  'mention mentioned brought discuss discussed discussing talk talked talking conversation conversations said saying tell ' +
  'told ask asked asking summary summarize summarise comprehensive overview explain describe remind remember recall'
/** Only of a question about the talk itself: elsewhere an order or a list is something. */
const arranging =
  'list bring provide give show walk throughout across order aspect aspects different only item items'
const aloud =
  'ugh hey hi hello um uh umm hmm erm well actually basically really kinda sorta maybe guess think yeah yep nah ok okay ' +
  'thanks thank sorry lol anyway anyways btw please plz pls wondering wonder wondered like quick question honestly ' +
  'literally help helped thing things stuff again supposed totally ever forgot forgotten forget forgetting'

/** What one wants, knows, does and has at any time: they go with every subject, and are none. */
const light =
  'want wants wanted need needs needed know knows knew known go goes going gone went come comes coming came get gets getting ' +
  'got gotten never always still'

const setOf = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.join(' ').split(' '))
const aboutTalk = setOf(talking)
const askingWords = setOf(contracted, talking, aloud)
const askingOfTalk = setOf(contracted, talking, aloud, arranging)

/** A question keeps at least so many words. */
const leastWords = 1

/** `words` without those that people ask with, if enough are left. */
export function withoutAskingWords(words: readonly string[]): readonly string[] {
  const asking = words.some((word) => aboutTalk.has(word)) ? askingOfTalk : askingWords
  const left = words.filter((word) => !asking.has(word))
  return left.length >= leastWords ? left : words
}

const lightTerms: ReadonlySet<string> = new Set(light.split(' ').flatMap((word) => tokenize(word)))

/** True for a word, as the index spells it, that goes with every subject. */
export const isLightTerm = (term: string): boolean => lightTerms.has(term)

/** True for a word that people ask with: it is a word, however it may look like another. */
export const isAskingWord = (word: string): boolean => askingWords.has(word)
