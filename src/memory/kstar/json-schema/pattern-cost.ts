// Judges how long a regular expression may take on a text, before it runs: in a backtracking engine, the time can
// double with each character. Theory: A. Weideman et al., "Analyzing matching time behavior of backtracking regular
// expression matchers by using ambiguity of NFA" (2016).
// Invariant: in doubt, the estimate is too high, never too low.
import { parsePattern, type Pattern } from './pattern-parse.ts'

/**
 * Most UTF-16 units of a pattern; and largest size of the automaton to judge. `copies`: most positions for the copies
 * of a counted repetition. `paths`: see `Growth`.
 */
const limits = { source: 1000, positions: 300, edges: 3000, copies: 64, paths: 100_000 } as const
/**
 * Approximate number of steps that a match may take. A pattern that needs more on `minSafeLength` characters gets a
 * fault.
 */
const maxSteps = 25_000_000
const minSafeLength = 50

type PatternCost =
  /** The time has no useful bound, or can't be judged. */
  | { readonly fault: string }
  /** Most UTF-16 units of a text on which the pattern is safe. */
  | { readonly maxTextLength: number }

/** Judges `source`, which must be a valid pattern with the flag u. */
export function patternCost(source: string): PatternCost {
  if (source.length > limits.source) return { fault: `It is longer than ${limits.source} characters.` }
  const pattern = parsePattern(source)
  if (!pattern) return { fault: 'References back and modifiers are not supported.' }
  const growth = estimateGrowth(pattern, sampleCharacters(source), isAnchored(pattern))
  if (typeof growth === 'string') return { fault: growth }
  // `Growth` as an equation for the length; half of the result, as a margin.
  const maxTextLength = Math.floor((maxSteps / growth.paths) ** (1 / Math.max(1, growth.degree)) / 2)
  return maxTextLength < minSafeLength ? { fault: tooSlow } : { maxTextLength }
}

const tooSlow = 'It could take too long on some texts; avoid repeating what repeats the same characters.'
const tooLarge = 'It has too many parts to be judged.'

/**
 * Characters that distinguish sets: the first 256, those of the pattern, some from other scripts, and the
 * neighbours of all these.
 */
function sampleCharacters(source: string): string[] {
  const points = new Set(Array.from({ length: 256 }, (_, i) => i))
  for (const char of `${source}ĀαЖאع٣अ中あ한🙂\u2028\u00a0\ufeff\u{10ffff}`)
    points.add(char.codePointAt(0) ?? 0)
  for (const [, code = ''] of source.matchAll(/\\[ux]\{?([0-9A-Fa-f]{2,6})/g))
    points.add(Number.parseInt(code, 16))
  const neighbours = [...points].flatMap((point) => [point - 1, point, point + 1])
  return [...new Set(neighbours)]
    .filter((point) => point >= 0 && point <= 0x10ffff)
    .map((point) => String.fromCodePoint(point))
}

/** True if the pattern matches only at the beginning of a text. */
function isAnchored(pattern: Pattern): boolean {
  if (pattern.type === 'start') return true
  if (pattern.type === 'choice') return pattern.items.every(isAnchored)
  return pattern.type === 'sequence' && pattern.items[0] !== undefined && isAnchored(pattern.items[0])
}

/** A part of the pattern. `first` and `last`: positions at which a match of the part may begin and end. */
interface Fragment {
  /** True if the part can match the empty text. */
  readonly matchesEmpty: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

/**
 * Glushkov's automaton: one position for each character of the pattern. `sets`: for each position, the
 * characters that it matches: one bit for each character of the sample.
 */
interface Automaton {
  readonly sets: bigint[]
  /** For each position: the positions that may follow it, with the number of ways. */
  readonly follow: Map<number, number>[]
  /**
   * Greatest degree of growth of the lookaheads and lookbehinds, and the product of their paths; 0 and 1
   * without any.
   */
  lookDegree: number
  lookPaths: number
  /** Reason why the pattern is refused. */
  fault: string | undefined
}

/** A bound: time ≤ `paths` × length^`degree`. `paths`: positions visited. */
interface Growth {
  readonly degree: number
  readonly paths: number
}

/**
 * Growth of the time, or the reason why it can't be judged or has no useful bound. `sample`: see
 * `sampleCharacters`. `anchored`: the pattern is tried at one place of the text only.
 */
function estimateGrowth(pattern: Pattern, sample: readonly string[], anchored: boolean): Growth | string {
  const automaton: Automaton = { sets: [], follow: [], lookDegree: 0, lookPaths: 1, fault: undefined }
  const fragment = addPattern(pattern, automaton, sample)
  const edges = automaton.follow.reduce((sum, after) => sum + after.size, 0)
  if (automaton.fault !== undefined) return automaton.fault
  if (edges > limits.edges) return tooLarge
  const loops = findLoops(automaton)
  if (loops.some((loop) => isExponential(loop, automaton))) return tooSlow
  const paths = countPaths(fragment.first, loops, automaton) * automaton.lookPaths
  if (paths > limits.paths) return tooSlow
  return { degree: longestChain(fragment.first, loops, automaton, anchored) + automaton.lookDegree, paths }
}

const emptyFragment: Fragment = { matchesEmpty: true, first: [], last: [] }
/** The part, or nothing. */
const optional = (fragment: Fragment): Fragment => ({ ...fragment, matchesEmpty: true })

/** Lets each position of `into` follow each position of `from`. */
function connect(from: readonly number[], into: readonly number[], { follow }: Automaton): void {
  for (const lastPosition of from)
    for (const firstPosition of into) {
      const after = follow[lastPosition]
      after?.set(firstPosition, (after.get(firstPosition) ?? 0) + 1)
    }
}

/** Part `a`, then part `b`. */
function concatenate(a: Fragment, b: Fragment, automaton: Automaton): Fragment {
  connect(a.last, b.first, automaton)
  return {
    matchesEmpty: a.matchesEmpty && b.matchesEmpty,
    first: a.matchesEmpty ? [...a.first, ...b.first] : a.first,
    last: b.matchesEmpty ? [...a.last, ...b.last] : b.last,
  }
}

/** The part once or more. */
function repeat(fragment: Fragment, automaton: Automaton): Fragment {
  connect(fragment.last, fragment.first, automaton)
  return fragment
}

/** Adds `pattern` to the automaton, and returns it as a part. */
function addPattern(pattern: Pattern, automaton: Automaton, sample: readonly string[]): Fragment {
  if (automaton.fault !== undefined) return emptyFragment
  switch (pattern.type) {
    case 'start':
    case 'empty':
      return emptyFragment
    case 'look': {
      // Anchored: the look is tried at one place.
      const growth = estimateGrowth(pattern.body, sample, true)
      if (typeof growth === 'string') {
        automaton.fault = growth
        return emptyFragment
      }
      automaton.lookDegree = Math.max(automaton.lookDegree, growth.degree)
      automaton.lookPaths *= growth.paths
      return emptyFragment
    }
    case 'character': {
      if (automaton.sets.length >= limits.positions) automaton.fault = tooLarge
      const expression = new RegExp(`^(?:${pattern.source})$`, 'u')
      const bits = sample.map((char) => (expression.test(char) ? '1' : '0')).join('')
      // A set without a sampled character may share characters with any other: it counts as all of them.
      const set = bits.includes('1') ? bits : bits.replaceAll('0', '1')
      automaton.follow.push(new Map())
      const position = automaton.sets.push(BigInt(`0b${set}`)) - 1
      return { matchesEmpty: false, first: [position], last: [position] }
    }
    case 'sequence':
      return pattern.items.reduce(
        (joined, child) => concatenate(joined, addPattern(child, automaton, sample), automaton),
        emptyFragment,
      )
    case 'choice': {
      const alternatives = pattern.items.map((child) => addPattern(child, automaton, sample))
      // Two alternatives that match the empty text are two ways at every place where the choice is tried.
      if (alternatives.filter((alternative) => alternative.matchesEmpty).length > 1) automaton.fault = tooSlow
      return {
        matchesEmpty: alternatives.some((alternative) => alternative.matchesEmpty),
        first: alternatives.flatMap((alternative) => alternative.first),
        last: alternatives.flatMap((alternative) => alternative.last),
      }
    }
    case 'repeat':
      return addRepeat(pattern, automaton, sample)
  }
}

type Repeat = Extract<Pattern, { readonly type: 'repeat' }>

/** Adds a repetition: a copy of its body for each repeat, or a loop. */
function addRepeat({ body, min, max }: Repeat, automaton: Automaton, sample: readonly string[]): Fragment {
  const copy = () => addPattern(body, automaton, sample)
  if (max === 0) return emptyFragment
  const setCount = automaton.sets.length
  const fragment = copy()
  const size = Math.max(1, automaton.sets.length - setCount)
  const copyCount = max === Infinity ? min : max
  if (fragment.matchesEmpty && copyCount > 1) automaton.fault = tooSlow
  // Too many copies: treat them as an endless repetition, which is the stricter case.
  if (copyCount * size > limits.copies)
    return min === 0 ? optional(repeat(fragment, automaton)) : repeat(fragment, automaton)
  if (max === Infinity) {
    let repeated = fragment
    for (let i = 1; i < min; i++) repeated = concatenate(repeated, copy(), automaton)
    return min === 0
      ? optional(repeat(fragment, automaton))
      : concatenate(repeated, optional(repeat(copy(), automaton)), automaton)
  }
  // Nest the copies as x(x(x)?)?, so that a text matches in one way only.
  let rest: Fragment = emptyFragment
  const copies = [fragment, ...Array.from({ length: max - 1 }, copy)]
  for (let i = max - 1; i >= 0; i--) {
    const nested = concatenate(copies[i] ?? emptyFragment, rest, automaton)
    rest = i >= min ? optional(nested) : nested
  }
  return rest
}

/** Groups of positions that reach each other, and so return to themselves. */
function findLoops({ follow }: Automaton): ReadonlySet<number>[] {
  const reach = follow.map((_, from) => reachable([from], (position) => follow[position]?.keys() ?? []))
  const seen = new Set<number>()
  const loops: Set<number>[] = []
  reach.forEach((after, position) => {
    if (seen.has(position) || !after.has(position)) return
    const loop = new Set([...after].filter((other) => reach[other]?.has(position)))
    for (const member of loop) seen.add(member)
    loops.push(loop)
  })
  return loops
}

/** Nodes that can be reached from `start` in one step or more. */
function reachable<Node>(start: Iterable<Node>, next: (node: Node) => Iterable<Node>): Set<Node> {
  const reached = new Set<Node>()
  const queue = [...start]
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    for (const nextNode of next(node)) {
      if (reached.has(nextNode)) continue
      reached.add(nextNode)
      queue.push(nextNode)
    }
  }
  return reached
}

/**
 * True if one text can pass through the loop and return in two ways: the number of ways then doubles with each
 * round.
 */
function isExponential(loop: ReadonlySet<number>, { sets, follow }: Automaton): boolean {
  // Follows two ways of one text through the loop. A pair of positions is one number: `first * size +
  // second`. A step leads both over the same character; `forth` has the steps by their start, `back` by their
  // end.
  const size = sets.length
  const forth = new Map<number, number[]>()
  const back = new Map<number, number[]>()
  const add = (edges: Map<number, number[]>, from: number, to: number) => {
    const list = edges.get(from)
    if (list) list.push(to)
    else edges.set(from, [to])
  }
  const inside = [...loop].map((from) => {
    const after = [...(follow[from] ?? [])].filter(([to]) => loop.has(to))
    return { from, after }
  })
  if (inside.some(({ after }) => after.some(([, ways]) => ways > 1))) return true
  for (const firstEdge of inside)
    for (const secondEdge of inside) {
      for (const [a] of firstEdge.after)
        for (const [b] of secondEdge.after) {
          if (((sets[a] ?? 0n) & (sets[b] ?? 0n)) === 0n) continue
          add(forth, firstEdge.from * size + secondEdge.from, a * size + b)
          add(back, a * size + b, firstEdge.from * size + secondEdge.from)
        }
    }
  // Pairs of equal positions. From there, the ways may part, and later meet again: then there are two ways.
  const together = [...loop].map((position) => position * size + position)
  const apart = reachable(together, (pair) => forth.get(pair) ?? [])
  const returning = reachable(together, (pair) => back.get(pair) ?? [])
  return [...apart].some((pair) => Math.floor(pair / size) !== pair % size && returning.has(pair))
}

/** Most positions visited on all ways of one text from `first`, with each loop counted as one position. */
function countPaths(
  first: readonly number[],
  loops: readonly ReadonlySet<number>[],
  { sets, follow }: Automaton,
): number {
  const counts = new Map<number, number>()
  const loopOf = (position: number) => loops.find((loop) => loop.has(position))
  const maxPaths = (positions: readonly number[]): number => {
    // The next character of a text leads to all positions that match it, so add up positions that share a character.
    const sums = positions.map((position) =>
      positions
        .filter((sibling) => ((sets[position] ?? 0n) & (sets[sibling] ?? 0n)) !== 0n)
        .reduce((sum, sibling) => sum + pathsFrom(sibling), 0),
    )
    return Math.max(1, ...sums)
  }
  const pathsFrom = (position: number): number => {
    const cached = counts.get(position)
    if (cached !== undefined) return cached
    const loop = loopOf(position)
    const loopPositions = loop ?? new Set([position])
    const after = new Set([...loopPositions].flatMap((member) => [...(follow[member]?.keys() ?? [])]))
    const count = Math.min(
      1 + maxPaths([...after].filter((successor) => !loopPositions.has(successor))),
      limits.paths + 1,
    )
    for (const member of loopPositions) counts.set(member, count)
    return count
  }
  return maxPaths(first)
}

/**
 * Length of the longest chain of loops that can share one text: each border between two of them can be at
 * many places. If the pattern is not anchored, the search for its start counts as one more loop.
 */
function longestChain(
  first: readonly number[],
  loops: readonly ReadonlySet<number>[],
  { sets, follow }: Automaton,
  anchored: boolean,
): number {
  const loopCharacters = loops.map((loop) =>
    [...loop].reduce((union, position) => union | (sets[position] ?? 0n), 0n),
  )
  /**
   * Indexes of loops that `start` reaches through positions that match a character of `shared` and of that loop.
   */
  const nextLoops = (start: Iterable<number>, shared: bigint, self: number | undefined) =>
    loops.flatMap((loop, i) => {
      const common = shared & (loopCharacters[i] ?? 0n)
      if (i === self || common === 0n) return []
      const takes = (position: number) => ((sets[position] ?? 0n) & common) !== 0n
      const begin = [...start].filter(takes)
      const reached = reachable(begin, (position) => [...(follow[position]?.keys() ?? [])].filter(takes))
      return [...begin, ...reached].some((position) => loop.has(position)) ? [i] : []
    })
  const counts = new Map<number, number>()
  const chain = (i: number): number => {
    const cachedLength = counts.get(i)
    if (cachedLength !== undefined) return cachedLength
    // Ends the recursion: the loop is on the chain already.
    counts.set(i, 1)
    const next = nextLoops(loops[i] ?? [], loopCharacters[i] ?? 0n, i)
    const length = 1 + Math.max(0, ...next.map(chain))
    counts.set(i, length)
    return length
  }
  const longest = Math.max(0, ...loops.map((_, i) => chain(i)))
  if (anchored) return longest
  const everything = sets.reduce((union, characters) => union | characters, 0n)
  return Math.max(longest, 1 + Math.max(0, ...nextLoops(first, everything, undefined).map(chain)))
}

/** Most results in the cache. */
const maxCacheEntries = 500
const cache = new Map<string, PatternCost>()

/** Cost of `source` as a pattern with the flag u, from the cache if present. A fault if `source` is no pattern. */
export function cachedPatternCost(source: string): PatternCost {
  const cached = cache.get(source)
  if (cached) return cached
  const cost = isPattern(source)
    ? patternCost(source)
    : { fault: 'It is not a regular expression (ECMAScript, with the flag u).' }
  const [oldest] = cache.keys()
  if (cache.size >= maxCacheEntries && oldest !== undefined) cache.delete(oldest)
  cache.set(source, cost)
  return cost
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').source !== ''
  } catch {
    return false
  }
}
