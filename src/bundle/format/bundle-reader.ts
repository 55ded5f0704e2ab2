// Reads a bundle that arrives in pieces, in any JSON spelling: any order of members, white space, escapes and
// numbers. `push` returns records early, but only `end` confirms that the bundle is complete and unchanged: apply
// no record before `end`.
// Invariant: memory holds one piece and the longest single value.
import { DaybookError } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import { cutOff, wrong } from './bundle-shape.ts'
import { type BundleSummary, ReadBundle, type ReadBundleParts, type ReadRecord } from './read-bundle.ts'

/** The longest record, in characters. */
const recordLimit = 8_000_000
/** The longest member beside the lists, in characters. */
const memberLimits: Readonly<Record<string, number>> = {
  format: 200,
  version: 100,
  exported_at: 100,
  agent: 100_000,
  schemas_used: recordLimit,
  statistics: 100_000,
  integrity: 10_000,
}
/** Most levels of nesting: more than a stored record may have, and few enough for every JavaScript engine. */
const depthLimit = 100

export class BundleReader {
  readonly #feed = new TextFeed()
  readonly #bundle: ReadBundle
  readonly #reading: Reading<BundleSummary>
  #done: BundleSummary | undefined

  constructor(parts: ReadBundleParts) {
    this.#bundle = new ReadBundle(parts)
    this.#reading = this.#readAll()
    this.#step()
  }

  /** Takes a piece; returns the records that are complete now. */
  push(piece: string): ReadRecord[] {
    this.#feed.push(piece)
    if (piece !== '') this.#step()
    return this.#bundle.take()
  }

  /** Ends the bundle, and returns the last records. Throws `invalid-file` if its checksum is wrong. */
  end(): { readonly summary: BundleSummary; readonly records: ReadRecord[] } {
    this.#feed.end()
    this.#step()
    if (!this.#done) throw cutOff('')
    return { summary: this.#done, records: this.#bundle.take() }
  }

  #step(): void {
    if (this.#done) return
    const step = this.#reading.next()
    if (step.done) this.#done = step.value
  }

  *#readAll(): Reading<BundleSummary> {
    const feed = this.#feed
    yield* feed.expect('{', 'format')
    if (!(yield* feed.tryTake('}'))) {
      do {
        const name = parseText(yield* feed.value(200, 'format'), 'format')
        this.#bundle.begin(name)
        yield* feed.expect(':', name)
        if (name === 'memory') yield* this.#readMemory()
        else this.#bundle.member(name, parseJson(yield* feed.value(memberLimits[name] ?? 0, name), name))
      } while (yield* feed.tryTake(','))
      yield* feed.expect('}', 'integrity')
    }
    yield* feed.finish('integrity')
    return this.#bundle.end()
  }

  *#readMemory(): Reading<void> {
    const feed = this.#feed
    yield* feed.expect('{', 'memory')
    this.#bundle.openMemory()
    if (yield* feed.tryTake('}')) return
    do {
      const list = parseText(yield* feed.value(200, 'memory'), 'memory')
      const path = `memory.${list}`
      yield* feed.expect(':', path)
      yield* feed.expect('[', path)
      this.#bundle.openList(list, path)
      if (!(yield* feed.tryTake(']'))) {
        for (let n = 0; ; n++) {
          const place = `${path}.${n}`
          this.#bundle.record(parseJson(yield* feed.value(recordLimit, place), place), place)
          if (yield* feed.tryTake(']')) break
          yield* feed.expect(',', place)
        }
      }
      this.#bundle.sum.closeList()
    } while (yield* feed.tryTake(','))
    yield* feed.expect('}', 'memory')
  }
}

function parseText(raw: string, path: string): string {
  const value = parseJson(raw, path)
  if (typeof value !== 'string') throw wrong(path, 'Must be a text')
  return value
}

function parseJson(raw: string, path: string): Json {
  try {
    return JSON.parse(raw) as Json
  } catch (cause) {
    throw wrong(path, 'This is not JSON', cause)
  }
}

/** A parser over a `TextFeed`. It yields when it needs more text. */
type Reading<Result> = Generator<undefined, Result, undefined>

/** A JSON text that arrives in pieces. White space between values is skipped. */
class TextFeed {
  #text = ''
  #at = 0
  #ended = false

  push(piece: string): void {
    this.#text = this.#at === this.#text.length ? piece : this.#text.slice(this.#at) + piece
    this.#at = 0
  }

  /** Call it after the last piece. */
  end(): void {
    this.#ended = true
  }

  /** Takes this character. Throws if another one is next. */
  *expect(mark: string, path: string): Reading<void> {
    if (!(yield* this.#skip())) throw unexpected(path)
    if (this.#text[this.#at] !== mark) throw unexpected(path, `\`${mark}\``)
    this.#at += 1
  }

  /** Takes the character if it is the next one. */
  *tryTake(mark: string): Reading<boolean> {
    if (!(yield* this.#skip()) || this.#text[this.#at] !== mark) return false
    this.#at += 1
    return true
  }

  /** Takes the text of one value. Throws `too-large` above `limit` characters. */
  *value(limit: number, path: string): Reading<string> {
    if (!(yield* this.#skip())) throw unexpected(path)
    const length = yield* this.#measure(limit, path)
    const taken = this.#text.slice(this.#at, this.#at + length)
    this.#at += length
    return taken
  }

  /** Throws unless only white space is left. */
  *finish(path: string): Reading<void> {
    if (yield* this.#skip()) throw unexpected(path, 'the end')
  }

  /** Skips white space. True before another character, false at the end. */
  *#skip(): Reading<boolean> {
    for (;;) {
      while (this.#at < this.#text.length && isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
      if (this.#at < this.#text.length) return true
      if (this.#ended) return false
      yield
    }
  }

  /** The length of the string, number, word or bracketed value that begins here. */
  *#measure(limit: number, path: string): Reading<number> {
    let depth = 0
    let inString = false
    for (let i = 0; ;) {
      if (i > limit)
        throw new DaybookError('too-large', `\`${path}\` is too large.`, { details: { path, limit } })
      while (this.#at + i >= this.#text.length) {
        if (this.#ended) {
          if (depth === 0 && i > 0 && !inString) return i
          throw unexpected(path)
        }
        yield
      }
      const unit = this.#text.charCodeAt(this.#at + i)
      if (inString) {
        if (unit === backslash) i += 1
        else if (unit === quote) inString = false
        i += 1
        if (!inString && depth === 0) return i
        continue
      }
      if (depth === 0 && i > 0 && (isSpace(unit) || isMark(unit))) return i
      i += 1
      if (unit === quote) inString = true
      else if (unit === openBrace || unit === openBracket) {
        depth += 1
        if (depth > depthLimit) throw wrong(path, `It is nested deeper than ${depthLimit} levels`)
      } else if (unit === closeBrace || unit === closeBracket) {
        depth -= 1
        if (depth < 0) throw unexpected(path, 'a value')
        if (depth === 0) return i
      } else if (depth === 0 && isMark(unit)) throw unexpected(path, 'a value')
    }
  }
}

const quote = 34
const comma = 44
const colon = 58
const backslash = 92
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

const isSpace = (unit: number) => unit === 32 || unit === 10 || unit === 13 || unit === 9

/** A character that ends a number or a word. */
const isMark = (unit: number) =>
  unit === comma || unit === colon || unit === closeBrace || unit === closeBracket

function unexpected(path: string, wanted?: string): DaybookError {
  return wanted === undefined ? cutOff(path) : wrong(path, `Expected ${wanted}; the bundle was changed`)
}
