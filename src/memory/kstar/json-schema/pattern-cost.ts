// Judges how long a regular expression may take on a text, before it runs: in a backtracking engine, the time can
// double with each character. Theory: A. Weideman et al., "Analyzing matching time behavior of backtracking regular
// expression matchers by using ambiguity of NFA" (2016).
// Invariant: in doubt, the estimate is too high, never too low.
import { parsePattern, type Pattern } from './pattern-parse.ts'

/** Most UTF-16 units of a pattern, and largest size of the automaton to judge. */
const limits = { source: 1000, positions: 300, edges: 3000, copies: 64, paths: 100_000 } as const
/**
 * Approximate number of steps that a match may take. A pattern that needs more on `leastText` characters gets a
 * fault.
 */
const steps = 25_000_000
const leastText = 50

type PatternCost =
  /** The time has no useful bound, or can't be judged. */
  | { readonly fault: string }
  /** Most UTF-16 units of a text on which the pattern is safe. */
  | { readonly textLimit: number }

/** Judges `source`, which must be a valid pattern with the flag u. */
export function patternCost(source: string): PatternCost {
  if (source.length > limits.source) return { fault: `It is longer than ${limits.source} characters.` }
  const pattern = parsePattern(source)
  if (!pattern) return { fault: 'References back and modifiers are not supported.' }
  const growth = growthOf(pattern, sampleOf(source), isAnchored(pattern))
  if (typeof growth === 'string') return { fault: growth }
  const textLimit = Math.floor((steps / growth.paths) ** (1 / Math.max(1, growth.degree)) / 2)
  return textLimit < leastText ? { fault: tooSlow } : { textLimit }
}

const tooSlow = 'It could take too long on some texts; avoid repeating what repeats the same characters.'
const tooLarge = 'It has too many parts to be judged.'

/**
 * Characters that distinguish sets: the first 256, those of the pattern, some from other scripts, and the
 * neighbours of all these.
 */
function sampleOf(source: string): string[] {
  const points = new Set(Array.from({ length: 256 }, (_, i) => i))
  for (const char of `${source}ĀαЖאع٣अ中あ한🙂\u2028\u00a0\ufeff\u{10ffff}`)
    points.add(char.codePointAt(0) ?? 0)
  for (const [, code = ''] of source.matchAll(/\\[ux]\{?([0-9A-Fa-f]{2,6})/g))
    points.add(Number.parseInt(code, 16))
  const near = [...points].flatMap((point) => [point - 1, point, point + 1])
  return [...new Set(near)]
    .filter((point) => point >= 0 && point <= 0x10ffff)
    .map((one) => String.fromCodePoint(one))
}

/** True if the pattern matches only at the beginning of a text. */
function isAnchored(pattern: Pattern): boolean {
  if (pattern.is === 'start') return true
  if (pattern.is === 'choice') return pattern.of.every(isAnchored)
  return pattern.is === 'sequence' && pattern.of[0] !== undefined && isAnchored(pattern.of[0])
}

interface Part {
  /** True if the part can match the empty text. */
  readonly empty: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

/**
 * Glushkov's automaton: one position for each character of the pattern. `sets`: characters that a position matches,
 * as bits.
 */
interface Automaton {
  readonly sets: bigint[]
  /** For each position: the positions that may follow it, with the number of ways. */
  readonly follow: Map<number, number>[]
  /** Greatest degree of growth of the lookaheads and lookbehinds. */
  looks: number
  lookPaths: number
  fault: string | undefined
}

/** The time grows at most as `paths` (in visited positions) × (length of the text) to the power of `degree`. */
interface Growth {
  readonly degree: number
  readonly paths: number
}

/** Growth of the time, or the reason why it can't be judged or has no useful bound. */
function growthOf(pattern: Pattern, sample: readonly string[], anchored: boolean): Growth | string {
  const automaton: Automaton = { sets: [], follow: [], looks: 0, lookPaths: 1, fault: undefined }
  const whole = build(pattern, automaton, sample)
  const edges = automaton.follow.reduce((sum, after) => sum + after.size, 0)
  if (automaton.fault !== undefined) return automaton.fault
  if (edges > limits.edges) return tooLarge
  const loops = loopsOf(automaton)
  if (loops.some((loop) => isExponential(loop, automaton))) return tooSlow
  const paths = pathsFrom(whole.first, loops, automaton) * automaton.lookPaths
  if (paths > limits.paths) return tooSlow
  return { degree: chainOf(whole.first, loops, automaton, anchored) + automaton.looks, paths }
}

const nothing: Part = { empty: true, first: [], last: [] }
const optional = (part: Part): Part => ({ ...part, empty: true })

/** Lets each position of `into` follow each position of `from`. */
function join(from: readonly number[], into: readonly number[], { follow }: Automaton): void {
  for (const one of from)
    for (const other of into) {
      const after = follow[one]
      after?.set(other, (after.get(other) ?? 0) + 1)
    }
}

function then(a: Part, b: Part, to: Automaton): Part {
  join(a.last, b.first, to)
  return {
    empty: a.empty && b.empty,
    first: a.empty ? [...a.first, ...b.first] : a.first,
    last: b.empty ? [...a.last, ...b.last] : b.last,
  }
}

function again(part: Part, to: Automaton): Part {
  join(part.last, part.first, to)
  return part
}

/** Adds `pattern` to the automaton, and returns it as a part. */
function build(pattern: Pattern, to: Automaton, sample: readonly string[]): Part {
  if (to.fault !== undefined) return nothing
  switch (pattern.is) {
    case 'start':
    case 'nothing':
      return nothing
    case 'look': {
      const growth = growthOf(pattern.of, sample, true)
      if (typeof growth === 'string') {
        to.fault = growth
        return nothing
      }
      to.looks = Math.max(to.looks, growth.degree)
      to.lookPaths *= growth.paths
      return nothing
    }
    case 'atom': {
      if (to.sets.length >= limits.positions) to.fault = tooLarge
      const expression = new RegExp(`^(?:${pattern.source})$`, 'u')
      const bits = sample.map((char) => (expression.test(char) ? '1' : '0')).join('')
      to.follow.push(new Map())
      const position = to.sets.push(BigInt(`0b${bits}`)) - 1
      return { empty: false, first: [position], last: [position] }
    }
    case 'sequence':
      return pattern.of.reduce((before, one) => then(before, build(one, to, sample), to), nothing)
    case 'choice': {
      const parts = pattern.of.map((one) => build(one, to, sample))
      // Two alternatives that match the empty text are two ways at every place where the choice is tried.
      if (parts.filter((part) => part.empty).length > 1) to.fault = tooSlow
      return {
        empty: parts.some((part) => part.empty),
        first: parts.flatMap((part) => part.first),
        last: parts.flatMap((part) => part.last),
      }
    }
    case 'repeat':
      return buildRepeat(pattern, to, sample)
  }
}

type Repeat = Extract<Pattern, { readonly is: 'repeat' }>

function buildRepeat({ of, min, max }: Repeat, to: Automaton, sample: readonly string[]): Part {
  const copy = () => build(of, to, sample)
  if (max === 0) return nothing
  const before = to.sets.length
  const one = copy()
  const size = Math.max(1, to.sets.length - before)
  const most = max === Infinity ? min : max
  if (one.empty && most > 1) to.fault = tooSlow
  // Too many copies: treat them as an endless repetition, which is the stricter case.
  if (most * size > limits.copies) return min === 0 ? optional(again(one, to)) : again(one, to)
  if (max === Infinity) {
    let part = one
    for (let i = 1; i < min; i++) part = then(part, copy(), to)
    return min === 0 ? optional(again(one, to)) : then(part, optional(again(copy(), to)), to)
  }
  // Nest the copies as x(x(x)?)?, so that a text matches in one way only.
  let rest: Part = nothing
  const copies = [one, ...Array.from({ length: max - 1 }, copy)]
  for (let i = max - 1; i >= 0; i--) {
    const part = then(copies[i] ?? nothing, rest, to)
    rest = i >= min ? optional(part) : part
  }
  return rest
}

/** Groups of positions that reach each other, and so return to themselves. */
function loopsOf({ follow }: Automaton): ReadonlySet<number>[] {
  const reach = follow.map((_, from) => reachable([from], (position) => follow[position]?.keys() ?? []))
  const seen = new Set<number>()
  const loops: Set<number>[] = []
  reach.forEach((after, position) => {
    if (seen.has(position) || !after.has(position)) return
    const loop = new Set([...after].filter((other) => reach[other]?.has(position)))
    for (const one of loop) seen.add(one)
    loops.push(loop)
  })
  return loops
}

/** Nodes that can be reached from `start` in one step or more. */
function reachable<Node>(start: Iterable<Node>, next: (node: Node) => Iterable<Node>): Set<Node> {
  const found = new Set<Node>()
  const waiting = [...start]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const one of next(node)) {
      if (found.has(one)) continue
      found.add(one)
      waiting.push(one)
    }
  }
  return found
}

/**
 * True if one text can pass through the loop and return in two ways: the number of ways then doubles with each
 * round.
 */
function isExponential(loop: ReadonlySet<number>, { sets, follow }: Automaton): boolean {
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
  for (const one of inside)
    for (const other of inside) {
      for (const [a] of one.after)
        for (const [b] of other.after) {
          if (((sets[a] ?? 0n) & (sets[b] ?? 0n)) === 0n) continue
          add(forth, one.from * size + other.from, a * size + b)
          add(back, a * size + b, one.from * size + other.from)
        }
    }
  const together = [...loop].map((position) => position * size + position)
  const apart = reachable(together, (pair) => forth.get(pair) ?? [])
  const returning = reachable(together, (pair) => back.get(pair) ?? [])
  return [...apart].some((pair) => Math.floor(pair / size) !== pair % size && returning.has(pair))
}

/** Most positions visited on all ways of one text from `first`, with each loop counted as one position. */
function pathsFrom(
  first: readonly number[],
  loops: readonly ReadonlySet<number>[],
  { sets, follow }: Automaton,
): number {
  const counts = new Map<number, number>()
  const loopOf = (position: number) => loops.find((loop) => loop.has(position))
  const most = (positions: readonly number[]): number => {
    // The next character of a text leads to all positions that match it, so add up positions that share a character.
    const sums = positions.map((one) =>
      positions
        .filter((other) => ((sets[one] ?? 0n) & (sets[other] ?? 0n)) !== 0n)
        .reduce((sum, other) => sum + from(other), 0),
    )
    return Math.max(1, ...sums)
  }
  const from = (position: number): number => {
    const found = counts.get(position)
    if (found !== undefined) return found
    const loop = loopOf(position)
    const own = loop ?? new Set([position])
    const after = new Set([...own].flatMap((one) => [...(follow[one]?.keys() ?? [])]))
    const count = Math.min(1 + most([...after].filter((one) => !own.has(one))), limits.paths + 1)
    for (const one of own) counts.set(one, count)
    return count
  }
  return most(first)
}

/**
 * Length of the longest chain of loops between which one text may be divided in many ways. If the pattern is not
 * anchored, the search for its start counts as one more loop.
 */
function chainOf(
  first: readonly number[],
  loops: readonly ReadonlySet<number>[],
  { sets, follow }: Automaton,
  anchored: boolean,
): number {
  const letters = loops.map((loop) => [...loop].reduce((all, one) => all | (sets[one] ?? 0n), 0n))
  /**
   * Indexes of loops that `start` reaches through positions that match a character of `shared` and of that loop.
   */
  const nextLoops = (start: Iterable<number>, shared: bigint, self: number | undefined) =>
    loops.flatMap((loop, i) => {
      const common = shared & (letters[i] ?? 0n)
      if (i === self || common === 0n) return []
      const takes = (position: number) => ((sets[position] ?? 0n) & common) !== 0n
      const begin = [...start].filter(takes)
      const found = reachable(begin, (position) => [...(follow[position]?.keys() ?? [])].filter(takes))
      return [...begin, ...found].some((position) => loop.has(position)) ? [i] : []
    })
  const counts = new Map<number, number>()
  const chain = (i: number): number => {
    const before = counts.get(i)
    if (before !== undefined) return before
    counts.set(i, 1)
    const next = nextLoops(loops[i] ?? [], letters[i] ?? 0n, i)
    const length = 1 + Math.max(0, ...next.map(chain))
    counts.set(i, length)
    return length
  }
  const longest = Math.max(0, ...loops.map((_, i) => chain(i)))
  if (anchored) return longest
  const everything = sets.reduce((all, one) => all | one, 0n)
  return Math.max(longest, 1 + Math.max(0, ...nextLoops(first, everything, undefined).map(chain)))
}

/** Most results in the cache. */
const cacheLimit = 500
const cache = new Map<string, PatternCost>()

/** Cost of `source` as a pattern with the flag u, from the cache if present. A fault if `source` is no pattern. */
export function judgePattern(source: string): PatternCost {
  const before = cache.get(source)
  if (before) return before
  const cost = isPattern(source)
    ? patternCost(source)
    : { fault: 'It is not a regular expression (ECMAScript, with the flag u).' }
  const [oldest] = cache.keys()
  if (cache.size >= cacheLimit && oldest !== undefined) cache.delete(oldest)
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
