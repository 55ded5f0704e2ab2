// The Porter stemmer of FTS5, with its differences from the paper; and prefix search over stems. A word is a byte
// string in lower case: UTF-8, one UTF-16 unit for each byte. Only ASCII suffixes change.

type Condition = (stem: string) => boolean
/** A word with the suffix gets the replacement, if the rest (the stem) satisfies the condition. */
type Rule = readonly [suffix: string, condition: Condition, replacement: string]

/** The pattern of a stem: `v` for each vowel, `c` for each consonant. A `y` after a consonant is a vowel. */
function shapeOf(stem: string): string {
  let shape = ''
  for (const letter of stem) {
    const vowel = 'aeiou'.includes(letter) || (letter === 'y' && shape.endsWith('c'))
    shape += vowel ? 'v' : 'c'
  }
  return shape
}

/** How often a consonant follows a vowel: m in the paper. */
const measure = (stem: string): number => shapeOf(stem).split('vc').length - 1
const measureAbove0: Condition = (stem) => measure(stem) > 0
const measureAbove1: Condition = (stem) => measure(stem) > 1
const measureAbove1AfterST: Condition = (stem) => /[st]$/.test(stem) && measureAbove1(stem)
const hasVowel: Condition = (stem) => /[aeiou]|[^]y/.test(stem)
const always: Condition = () => true
/** The stem ends with consonant, vowel, and a consonant other than w, x and y: *o in the paper. */
const endsWithCvc: Condition = (stem) => /[^wxy]$/.test(stem) && shapeOf(stem).endsWith('cvc')

/** Parses entries `suffix:replacement`, separated by spaces; without a replacement the suffix is removed. */
const rules = (condition: Condition, table: string): Rule[] =>
  table.split(' ').map((entry) => {
    const [suffix = '', replacement = ''] = entry.split(':')
    return [suffix, condition, replacement]
  })

const pastRules: Rule[] = [['eed', measureAbove0, 'ee'], ...rules(hasVowel, 'ed ing')]
const restoreRules = rules(always, 'at:ate bl:ble iz:ize')
const step2 = rules(
  measureAbove0,
  'ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e ousli:ous ' +
    'ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble',
)
const step3 = rules(measureAbove0, 'ical:ic ness icate:ic iciti:ic ful ative alize:al')
const step4 = [
  ...rules(measureAbove1, 'al ance ence er ic able ible ant ement ment ent'),
  ...rules(measureAbove1AfterST, 'ion'),
  ...rules(measureAbove1, 'ou ism ate iti ous ive ize'),
]

/** Applies the first rule with a matching suffix. Undefined when no suffix matches or the rule's condition fails. */
function applyFirstMatch(table: readonly Rule[], word: string): string | undefined {
  for (const [suffix, condition, replacement] of table) {
    if (word.length <= suffix.length || !word.endsWith(suffix)) continue
    const stem = word.slice(0, -suffix.length)
    return condition(stem) ? stem + replacement : undefined
  }
  return undefined
}

/** Step 1a of the paper. */
function withoutPlural(word: string): string {
  if (!/[^s]s$/.test(word)) return word
  return /[^]sses$|[^]ies$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

/** Step 1b of the paper: removes `ed` and `ing`. */
function withoutPast(word: string): string {
  const stem = applyFirstMatch(pastRules, word)
  if (stem === undefined) return word
  if (stem.endsWith('ee')) return stem
  const restored = applyFirstMatch(restoreRules, stem)
  if (restored !== undefined) return restored
  if (/([^aeioulsz])\1$/.test(stem)) return stem.slice(0, -1)
  return measure(stem) === 1 && endsWithCvc(stem) ? `${stem}e` : stem
}

/** Step 5 of the paper: removes a final `e`, and one of two final `l`. */
function withoutFinal(word: string): string {
  const stem = word.slice(0, -1)
  if (word.endsWith('e')) {
    const dropped = measureAbove1(stem) || (measure(stem) === 1 && !endsWithCvc(stem))
    return dropped ? withoutDoubleL(stem) : word
  }
  return withoutDoubleL(word)
}

function withoutDoubleL(word: string): string {
  return word.endsWith('ll') && measureAbove1(word.slice(0, -1)) ? word.slice(0, -1) : word
}

/** The stem of `word`. A word of fewer than 3 or more than 64 bytes stays as it is. */
export function porterStem(word: string): string {
  if (word.length < 3 || word.length > 64) return word
  let stem = withoutPast(withoutPlural(word))
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  for (const step of [step2, step3, step4]) stem = applyFirstMatch(step, stem) ?? stem
  return withoutFinal(stem)
}

/** Endings that the stemmer removes, alone and in combination. */
const endings = (
  's es ies ed eed ing ings ingly edly y e er ers or ors al ally ally ly able ably ible ibly ant ants ance ances ancy ancies ' +
  'ent ents ence ences ency encies ement ements ment ments ion ions ional ionally ism isms ist ists ate ates ated ating ' +
  'ation ations ational ationally ator ators ative atively ity ities ous ously ousness ive ives ively iveness ivity ize ' +
  'izes ized izing izer izers ization izations ise alism ality alize icate icity ical ically ic ful fully fulness ness ' +
  'nesses tional tionally bility bilities ability abilities ibility ibilities logy logies logical logic'
).split(' ')
const longestEnding = Math.max(...endings.map((ending) => ending.length))
const asciiWord = /^[a-z]{3,40}$/

/**
 * Words that begin with `word` although their indexed stems do not begin with its stem, one for each stem. Example:
 * `relati` is a prefix of `relational`, but not of the stem `relat`. Empty for words that are not 3 to 40 ASCII
 * letters.
 */
export function expandPrefix(word: string): string[] {
  if (!asciiWord.test(word)) return []
  const prefix = porterStem(word)
  const byStem = new Map<string, string>()
  for (let length = word.length; length >= Math.max(2, word.length - longestEnding + 1); length--) {
    const start = word.slice(0, length)
    const rest = word.slice(length)
    for (const ending of endings) {
      if (!ending.startsWith(rest)) continue
      const stem = porterStem(start + ending)
      if (!stem.startsWith(prefix) && !byStem.has(stem)) byStem.set(stem, start + ending)
    }
  }
  return [...byStem.values()]
}
