// Porter's stemmer, exactly as FTS5 has it. Where its authors and FTS5 differ, FTS5 is right, for its index is what is asked.
// Words are byte strings: UTF-8 with one code unit for each byte, lower case. Only ASCII suffixes ever change.

type Condition = (stem: string) => boolean
/** A suffix, what must hold for the rest of the word, and what takes the suffix's place. */
type Rule = readonly [suffix: string, holds: Condition, replacement: string]

/** One letter for each of the stem's: v for a vowel, c for a consonant. y is a vowel after a consonant. */
function shapeOf(stem: string): string {
  let shape = ''
  for (const letter of stem) {
    const vowel = 'aeiou'.includes(letter) || (letter === 'y' && shape.endsWith('c'))
    shape += vowel ? 'v' : 'c'
  }
  return shape
}

/** How many times a vowel is followed by a consonant: Porter's m. */
const measure = (stem: string): number => shapeOf(stem).split('vc').length - 1
const some: Condition = (stem) => measure(stem) > 0
const several: Condition = (stem) => measure(stem) > 1
const severalAfterST: Condition = (stem) => /[st]$/.test(stem) && several(stem)
const hasVowel: Condition = (stem) => /[aeiou]|[^]y/.test(stem)
const always: Condition = () => true
/** Porter's *o: consonant, vowel, consonant other than w, x and y. */
const isShort: Condition = (stem) => /[^wxy]$/.test(stem) && shapeOf(stem).endsWith('cvc')

const rules = (holds: Condition, table: string): Rule[] =>
  table.split(' ').map((entry) => {
    const [suffix = '', replacement = ''] = entry.split(':')
    return [suffix, holds, replacement]
  })

const pastRules: Rule[] = [['eed', some, 'ee'], ...rules(hasVowel, 'ed ing')]
const mendRules = rules(always, 'at:ate bl:ble iz:ize')
const step2 = rules(
  some,
  'ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e ousli:ous ' +
    'ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble',
)
const step3 = rules(some, 'ical:ic ness icate:ic iciti:ic ful ative alize:al')
const step4 = [
  ...rules(several, 'al ance ence er ic able ible ant ement ment ent'),
  ...rules(severalAfterST, 'ion'),
  ...rules(several, 'ou ism ate iti ous ive ize'),
]

/** The word after the first rule whose suffix it ends in and is longer than; undefined when nothing is to change. */
function apply(table: readonly Rule[], word: string): string | undefined {
  for (const [suffix, holds, replacement] of table) {
    if (word.length <= suffix.length || !word.endsWith(suffix)) continue
    const stem = word.slice(0, -suffix.length)
    return holds(stem) ? stem + replacement : undefined
  }
  return undefined
}

function withoutPlural(word: string): string {
  if (!/[^s]s$/.test(word)) return word
  return /[^]sses$|[^]ies$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

function withoutPast(word: string): string {
  const stem = apply(pastRules, word)
  if (stem === undefined) return word
  if (stem.endsWith('ee')) return stem
  const mended = apply(mendRules, stem)
  if (mended !== undefined) return mended
  if (/([^aeioulsz])\1$/.test(stem)) return stem.slice(0, -1)
  return measure(stem) === 1 && isShort(stem) ? `${stem}e` : stem
}

function withoutFinal(word: string): string {
  const stem = word.slice(0, -1)
  if (word.endsWith('e')) {
    const dropped = several(stem) || (measure(stem) === 1 && !isShort(stem))
    return dropped ? withoutDoubleL(stem) : word
  }
  return withoutDoubleL(word)
}

function withoutDoubleL(word: string): string {
  return word.endsWith('ll') && several(word.slice(0, -1)) ? word.slice(0, -1) : word
}

/** The stem of `word`. Words of fewer than 3 or more than 64 bytes are their own stems. */
export function porterStem(word: string): string {
  if (word.length < 3 || word.length > 64) return word
  let stem = withoutPast(withoutPlural(word))
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  for (const step of [step2, step3, step4]) stem = apply(step, stem) ?? stem
  return withoutFinal(stem)
}
