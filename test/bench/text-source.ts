// Texts and questions as people write them, in the one respect that matters to an index: word frequencies follow
// Zipf's law over a vocabulary of 20,000, with the common English words at its head. Same seed, same texts.

const common =
  'the of and to a in is it that was for on are with as i his they be at one have this from or had by not but what ' +
  'all were when we there can an your which their said if do will each about how up out them then she many some so ' +
  'these would other into has more her two like him see time could no make than first been its who now people my ' +
  'made over did down only way find use may water long little very after words called just where most know get ' +
  'through back much before go good new write our used me man too any day same right look think also around another'
const vocabularySize = 20_000
const onsets = 'b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh sl st t th tr v w y z'.split(' ')
const vowels = 'a e i o u ai ea ou ie oo'.split(' ')
const codas = ' n r s t l m ck nd rt st ng'.split(' ')

export interface TextSource {
  /** A number in [0, 1). */
  random(): number
  pick<Item>(items: readonly Item[]): Item
  between(low: number, high: number): number
  /** `count` words, their frequencies as in a language. */
  words(count: number): string
  /** A text of 12 to 40 words. */
  text(): string
  /** A question of up to 12 words: two to four of `text`'s own, and the small words that come with a question. */
  question(text: string): string
}

/** A stream of texts; `seed` decides every one of them. */
export function createTextSource(seed: number): TextSource {
  const random = createRandom(seed)
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1))
  const word = () => vocabulary[firstAbove(random() * totalWeight)] ?? 'the'
  const words = (count: number) => Array.from({ length: count }, word).join(' ')
  return {
    random,
    pick,
    between,
    words,
    text: () => words(between(12, 40)),
    question(text) {
      const telling = text.split(' ').filter((each) => !commonWords.has(each))
      const own = Array.from({ length: Math.min(between(2, 4), telling.length) }, () => pick(telling))
      const small = Array.from({ length: between(5, 12) - own.length - 1 }, () => pick(smallWords))
      return [...new Set([pick(askingWords), ...small, ...own])].join(' ')
    },
  }
}

/** Mulberry32: 32 bits of state are plenty here, and every engine computes it alike. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const commonList = common.split(' ')
const commonWords = new Set(commonList)
const smallWords = commonList.slice(0, 60)
const askingWords = ['what', 'when', 'who', 'how', 'where']
const vocabulary = makeVocabulary()
const weights = cumulativeWeights()
const totalWeight = weights[weights.length - 1] ?? 1

function makeVocabulary(): string[] {
  const random = createRandom(7)
  const part = (parts: readonly string[]) => parts[Math.floor(random() * parts.length)] ?? ''
  const made = new Set(commonList)
  while (made.size < vocabularySize) {
    const syllables = 1 + Math.floor(random() * 3)
    let word = ''
    for (let i = 0; i < syllables; i++) word += part(onsets) + part(vowels) + part(codas)
    made.add(word)
  }
  return [...made]
}

/** Weight of rank r is 1 / (r + 2.7), Zipf's law as Mandelbrot corrected it for the head. */
function cumulativeWeights(): Float64Array {
  let sum = 0
  return Float64Array.from(vocabulary, (_, rank) => (sum += 1 / (rank + 1 + 2.7)))
}

function firstAbove(value: number): number {
  let [low, high] = [0, weights.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((weights[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}
