// Words with a slip in their ending. The index keeps stems: where the ending of a word is misspelt the stemmer takes nothing
// off, so that the word is far from the stem of what it means (`indentaton` from `indent`). Pure.
import { editDistance } from '../../store/word/edit-distance.ts'

/** Endings that the stemmer takes off, alone or with others. Shorter ones are near anything. */
const endings =
  'ation ition ution ction ssion ization isation ification ' +
  'ment ness ance ence ancy ency ability ibility ivity ality ologist ology ' +
  'able ible ical ically ional ative ously fully ingly ively ' +
  'izing ising ating izer ator ated ized ised'
const all = endings.split(' ').flatMap((ending) => [ending, `${ending}s`])
/** Less of a word before its ending tells nothing. */
const leastStem = 4

/** What `word` may have been meant as: with an ending in place of its last letters, which differ from that by one slip. */
export function withMendedEnding(word: string): string[] {
  const mended = new Set<string>()
  for (const ending of all) {
    for (const length of [ending.length - 1, ending.length, ending.length + 1]) {
      const stem = word.slice(0, -length)
      if (stem.length < leastStem) continue
      if (editDistance(word.slice(-length), ending, 1) === 1) mended.add(stem + ending)
    }
  }
  return [...mended]
}
