// The beginning of a word in an index of stems. `relati` begins `relational`, whose stem is `relat`: the beginning is
// longer than what is indexed. So besides what begins with it, the words are looked for that its end may be growing into.
import { porterStem } from './porter.ts'

/** Endings that the stemmer takes off, alone and one on top of the other. */
const endings = (
  's es ies ed eed ing ings ingly edly y e er ers or ors al ally ally ly able ably ible ibly ant ants ance ances ancy ancies ' +
  'ent ents ence ences ency encies ement ements ment ments ion ions ional ionally ism isms ist ists ate ates ated ating ' +
  'ation ations ational ationally ator ators ative atively ity ities ous ously ousness ive ives ively iveness ivity ize ' +
  'izes ized izing izer izers ization izations ise alism ality alize icate icity ical ically ic ful fully fulness ness ' +
  'nesses tional tionally bility bilities ability abilities ibility ibilities logy logies logical logic'
).split(' ')
/** Longest ending that is looked for. */
const longest = Math.max(...endings.map((ending) => ending.length))
const ascii = /^[a-z]{3,40}$/

/** Words that begin with `word` and whose stems do not: one for each stem. */
export function grownWords(word: string): string[] {
  if (!ascii.test(word)) return []
  const begun = porterStem(word)
  const byStem = new Map<string, string>()
  for (let length = word.length; length >= Math.max(2, word.length - longest + 1); length--) {
    const start = word.slice(0, length)
    const rest = word.slice(length)
    for (const ending of endings) {
      if (!ending.startsWith(rest)) continue
      const stem = porterStem(start + ending)
      if (!stem.startsWith(begun) && !byStem.has(stem)) byStem.set(stem, start + ending)
    }
  }
  return [...byStem.values()]
}
