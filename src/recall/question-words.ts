// Words of a question that don't find anything: stop words, and words that people ask with; and questions in the first
// person. For words that fit any subject see light-word.ts.

/** English words too common to find anything. Words that can carry meaning are not here. */
const commonWords =
  'a an and any are as at be been but by can could did do does for from had has have he her him his how i if in into is it ' +
  'its me might must my no not of on or our shall she should so some such than that the their them then there these they ' +
  'this those to too us was we were what when where which who whom whose why will with would you your am being just about ' +
  'also'

export const stopWords: ReadonlySet<string> = new Set(commonWords.split(' '))

/** Parts of contractions: `didn't` is indexed as `didn` and `t`. */
const contractionParts =
  'm s ve ll re d t don didn doesn isn wasn aren weren won wouldn couldn shouldn hasn haven hadn'
/** Words about the conversation itself. */
const conversationWords =
  'mention mentioned brought discuss discussed discussing talk talked talking conversation conversations said saying tell ' +
  'told ask asked asking summary summarize summarise comprehensive overview explain describe remind remember recall'
/** Left out only in a question about the conversation itself: in other questions, an order or a list is a subject. */
const listingWords =
  'list bring provide give show walk throughout across order aspect aspects different only item items'
/** Words of thinking aloud. */
const thinkingAloudWords =
  'ugh hey hi hello um uh umm hmm erm well actually basically really kinda sorta maybe guess think yeah yep nah ok okay ' +
  'thanks thank sorry lol anyway anyways btw please plz pls wondering wonder wondered like quick question honestly ' +
  'literally help helped thing things stuff again supposed totally ever forgot forgotten forget forgetting'

const setOf = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.join(' ').split(' '))
const conversationWordSet = setOf(conversationWords)
const askingWords = setOf(contractionParts, conversationWords, thinkingAloudWords)
const askingWordsOfConversation = setOf(contractionParts, conversationWords, thinkingAloudWords, listingWords)

/** `words` without the words that people ask with; all `words` if none would be left. */
export function withoutAskingWords(words: readonly string[]): readonly string[] {
  const asking = words.some((word) => conversationWordSet.has(word)) ? askingWordsOfConversation : askingWords
  const others = words.filter((word) => !asking.has(word))
  return others.length > 0 ? others : words
}

/** True for a word that people ask with: the word isn't misspelt, even if it resembles another word. */
export const isAskingWord = (word: string): boolean => askingWords.has(word)

const firstPerson =
  /(?<![\p{L}\p{N}])(?:i|my|mine|myself|ich|mein|meine|meinen|meinem|meiner|mir|mich|je|moi|mes|yo|mis|eu|meu|minha|meus|minhas|mio|mia|miei)(?![\p{L}\p{N}])|我|私|僕|俺|나는|내가|제가|저는/iu
/** Matches a question that asks for words of the assistant. */
const secondPerson =
  /(?<![\p{L}])(?:(?:did|have|had|were|was|what|which|how) you|you (?:said|suggest|recommend|told|mention|gave|show|explain)\w*|your (?:advice|suggestion|recommendation|answer|plan)s?|hast du|du hast|tu as|as-tu|has dicho|você)(?![\p{L}])/iu

/** Factor of an agent's record when a question asks for a person's words. */
export const agentFactor = 0.8

/**
 * True when a question asks for words or deeds of its asker ("when did I …", "my …"), in the most common languages.
 * The assistant's answers repeat such words at length, but are no evidence.
 */
export const asksInFirstPerson = (text: string): boolean => firstPerson.test(text) && !secondPerson.test(text)
