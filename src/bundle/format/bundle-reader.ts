// Reads a bundle that arrives in pieces, in any JSON spelling: any order of members, white space, escapes and
// numbers. `push` returns records early, but only `end` confirms that the bundle is complete and unchanged: apply
// no record before `end`.
// Invariant: this file holds one piece and the longest single value; `IncomingBundle` limits the rest.
import { DaybookError } from '../../core/errors.ts'
import type { Json } from '../../core/json/path.ts'
import { cutOffError, invalidBundle } from './bundle-shape.ts'
import {
  type BundleSummary,
  IncomingBundle,
  type IncomingBundleDeps,
  type BundleRecord,
} from './incoming-bundle.ts'

/** The longest record, in characters. */
const maxRecordLength = 8_000_000
/** The longest value of each member beside `memory`, in characters. Other members are refused before. */
const maxMemberLengths: Readonly<Record<string, number>> = {
  format: 200,
  version: 100,
  exported_at: 100,
  agent: 100_000,
  schemas_used: maxRecordLength,
  statistics: 100_000,
  integrity: 10_000,
}
/** The longest name of a member or list, in characters, with its quotes. */
const maxNameLength = 200
/** Most levels of nesting: more than a stored record may have, and few enough for every JavaScript engine. */
const maxDepth = 100

export class BundleReader {
  readonly #text = new JsonTextFeed()
  readonly #incoming: IncomingBundle
  readonly #parser: Parser<BundleSummary>
  /** Undefined until the end of the bundle. */
  #summary: BundleSummary | undefined
  #failure: unknown

  constructor(deps: IncomingBundleDeps) {
    this.#incoming = new IncomingBundle(deps)
    this.#parser = this.#readAll()
    this.#step()
  }

  /** Takes a piece; returns the records that are complete now. After an error, each call throws it again. */
  push(piece: string): BundleRecord[] {
    this.#text.push(piece)
    if (piece !== '') this.#step()
    return this.#incoming.takeReadyRecords()
  }

  /** Ends the bundle, and returns the last records. Throws `invalid-file` if its checksum is wrong. */
  end(): { readonly summary: BundleSummary; readonly records: BundleRecord[] } {
    this.#text.end()
    this.#step()
    if (!this.#summary) throw cutOffError('')
    return { summary: this.#summary, records: this.#incoming.takeReadyRecords() }
  }

  #step(): void {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#summary) return
    try {
      const step = this.#parser.next()
      if (step.done) this.#summary = step.value
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  *#readAll(): Parser<BundleSummary> {
    const feed = this.#text
    yield* feed.expect('{', 'format')
    if (!(yield* feed.tryTake('}'))) {
      do {
        const name = parseJsonString(yield* feed.value(maxNameLength, 'format'), 'format')
        this.#incoming.beginMember(name)
        yield* feed.expect(':', name)
        if (name === 'memory') yield* this.#readMemory()
        else
          this.#incoming.addMember(
            name,
            parseJson(yield* feed.value(maxMemberLengths[name] ?? 0, name), name),
          )
      } while (yield* feed.tryTake(','))
      yield* feed.expect('}', 'integrity')
    }
    yield* feed.finish('integrity')
    return this.#incoming.end()
  }

  *#readMemory(): Parser<void> {
    const feed = this.#text
    yield* feed.expect('{', 'memory')
    this.#incoming.openMemory()
    if (yield* feed.tryTake('}')) return
    do {
      const list = parseJsonString(yield* feed.value(maxNameLength, 'memory'), 'memory')
      const path = `memory.${list}`
      yield* feed.expect(':', path)
      yield* feed.expect('[', path)
      this.#incoming.openList(list, path)
      if (!(yield* feed.tryTake(']'))) {
        for (let index = 0; ; index++) {
          const recordPath = `${path}.${index}`
          this.#incoming.addRecord(
            parseJson(yield* feed.value(maxRecordLength, recordPath), recordPath),
            recordPath,
          )
          if (yield* feed.tryTake(']')) break
          yield* feed.expect(',', recordPath)
        }
      }
      this.#incoming.checksum.closeList()
    } while (yield* feed.tryTake(','))
    yield* feed.expect('}', 'memory')
  }
}

function parseJsonString(raw: string, path: string): string {
  const value = parseJson(raw, path)
  if (typeof value !== 'string') throw invalidBundle(path, 'Must be a text')
  return value
}

function parseJson(raw: string, path: string): Json {
  try {
    return JSON.parse(raw) as Json
  } catch (cause) {
    throw invalidBundle(path, 'This is not JSON', cause)
  }
}

/** A parser over a `JsonTextFeed`. It yields when it needs more text, so a piece may end anywhere. */
type Parser<Result> = Generator<undefined, Result, undefined>

/**
 * A JSON text that arrives in pieces. White space between values is skipped. `path` in its methods: the place
 * that an error names.
 */
class JsonTextFeed {
  #text = ''
  #position = 0
  #isComplete = false

  push(piece: string): void {
    this.#text = this.#position === this.#text.length ? piece : this.#text.slice(this.#position) + piece
    this.#position = 0
  }

  /** Call it after the last piece. */
  end(): void {
    this.#isComplete = true
  }

  /** Takes this character. Throws if another one is next. */
  *expect(char: string, path: string): Parser<void> {
    if (!(yield* this.#skip())) throw unexpected(path)
    if (this.#text[this.#position] !== char) throw unexpected(path, `\`${char}\``)
    this.#position += 1
  }

  /** Takes the character if it is the next one. */
  *tryTake(char: string): Parser<boolean> {
    if (!(yield* this.#skip()) || this.#text[this.#position] !== char) return false
    this.#position += 1
    return true
  }

  /** Takes the text of one value. Throws `too-large` above `maxLength` characters. */
  *value(maxLength: number, path: string): Parser<string> {
    if (!(yield* this.#skip())) throw unexpected(path)
    const length = yield* this.#measure(maxLength, path)
    const valueText = this.#text.slice(this.#position, this.#position + length)
    this.#position += length
    return valueText
  }

  /** Throws unless only white space is left. */
  *finish(path: string): Parser<void> {
    if (yield* this.#skip()) throw unexpected(path, 'the end')
  }

  /** Skips white space. True before another character, false at the end. */
  *#skip(): Parser<boolean> {
    for (;;) {
      while (this.#position < this.#text.length && isSpace(this.#text.charCodeAt(this.#position)))
        this.#position += 1
      if (this.#position < this.#text.length) return true
      if (this.#isComplete) return false
      yield
    }
  }

  /**
   * The length of the string, number, word or bracketed value that begins here. `i` counts from its
   * beginning.
   */
  *#measure(maxLength: number, path: string): Parser<number> {
    let depth = 0
    let isInString = false
    for (let i = 0; ;) {
      if (i > maxLength)
        throw new DaybookError('too-large', `\`${path}\` has more than ${maxLength} characters.`, {
          details: { path, limitCharacters: maxLength },
        })
      while (this.#position + i >= this.#text.length) {
        if (this.#isComplete) {
          if (depth === 0 && i > 0 && !isInString) return i
          throw unexpected(path)
        }
        yield
      }
      const charCode = this.#text.charCodeAt(this.#position + i)
      if (isInString) {
        // Skip the escaped character.
        if (charCode === backslash) i += 1
        else if (charCode === quote) isInString = false
        i += 1
        if (!isInString && depth === 0) return i
        continue
      }
      if (depth === 0 && i > 0 && (isSpace(charCode) || isDelimiter(charCode))) return i
      i += 1
      if (charCode === quote) isInString = true
      else if (charCode === openBrace || charCode === openBracket) {
        depth += 1
        if (depth > maxDepth) throw invalidBundle(path, `It is nested deeper than ${maxDepth} levels`)
      } else if (charCode === closeBrace || charCode === closeBracket) {
        depth -= 1
        if (depth < 0) throw unexpected(path, 'a value')
        if (depth === 0) return i
      } else if (depth === 0 && isDelimiter(charCode)) throw unexpected(path, 'a value')
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
const isDelimiter = (unit: number) =>
  unit === comma || unit === colon || unit === closeBrace || unit === closeBracket

function unexpected(path: string, expected?: string): DaybookError {
  return expected === undefined
    ? cutOffError(path)
    : invalidBundle(path, `Expected ${expected}: the file is not valid JSON here`)
}
