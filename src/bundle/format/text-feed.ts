// A JSON text that arrives in pieces, read by a parser that asks for more: each `yield` of these generators waits for a
// piece. White space between values is passed over. Invariant: what was taken is let go, so memory holds the longest single
// value and one piece.
import { DaybookError } from '../../core/errors.ts'
import { cutOff } from './bundle-fault.ts'

/** What a parser over a feed is: it yields where it needs more, and returns when it has all. */
export type Reading<Result> = Generator<undefined, Result, undefined>

export interface TextFeed {
  push(piece: string): void
  /** No more will come. */
  end(): void
  /** Takes exactly this character, or fails. */
  expect(mark: string, path: string): Reading<void>
  /** Takes the character if it comes next. */
  tryTake(mark: string): Reading<boolean>
  /** Takes one value as it is written, at most `limit` characters. */
  value(limit: number, path: string): Reading<string>
  /** Fails unless everything was taken. */
  finish(path: string): Reading<void>
}

/** Deeper than any call may nest what it stores, and no deeper than every engine can read. */
const depthLimit = 100

export function createTextFeed(): TextFeed {
  let text = ''
  let at = 0
  let ended = false
  /** Waits until there is something but white space, if ever. */
  function* skip(): Reading<boolean> {
    for (;;) {
      while (at < text.length && isSpace(text.charCodeAt(at))) at += 1
      if (at < text.length) return true
      if (ended) return false
      yield
    }
  }
  /** The length of the string, number or word, or of everything within the brackets, that begins here. */
  function* measure(limit: number, path: string): Reading<number> {
    let depth = 0
    let inString = false
    for (let i = 0; ;) {
      if (i > limit)
        throw new DaybookError('too-large', `\`${path}\` is too large.`, { details: { path, limit } })
      while (at + i >= text.length) {
        if (ended) {
          if (depth === 0 && i > 0 && !inString) return i
          throw unexpected(path)
        }
        yield
      }
      const unit = text.charCodeAt(at + i)
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
        if (depth > depthLimit) throw wrong(path, `It nests deeper than ${depthLimit}`)
      } else if (unit === closeBrace || unit === closeBracket) {
        depth -= 1
        if (depth < 0) throw unexpected(path, 'a value')
        if (depth === 0) return i
      } else if (depth === 0 && isMark(unit)) throw unexpected(path, 'a value')
    }
  }
  return {
    push(piece) {
      text = at === text.length ? piece : text.slice(at) + piece
      at = 0
    },
    end() {
      ended = true
    },
    *expect(mark, path) {
      if (!(yield* skip())) throw unexpected(path)
      if (text[at] !== mark) throw unexpected(path, `\`${mark}\``)
      at += 1
    },
    *tryTake(mark) {
      if (!(yield* skip()) || text[at] !== mark) return false
      at += 1
      return true
    },
    *value(limit, path) {
      if (!(yield* skip())) throw unexpected(path)
      const length = yield* measure(limit, path)
      const taken = text.slice(at, at + length)
      at += length
      return taken
    },
    *finish(path) {
      if (yield* skip()) throw unexpected(path, 'the end')
    },
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

/** What ends a number or a word. */
const isMark = (unit: number) =>
  unit === comma || unit === colon || unit === closeBrace || unit === closeBracket

function unexpected(path: string, wanted?: string): DaybookError {
  return wanted === undefined ? cutOff(path) : wrong(path, `${wanted} is wanted here; the bundle was altered`)
}

function wrong(path: string, message: string): DaybookError {
  return new DaybookError('invalid-file', `\`${path}\`: ${message}.`, { details: { path } })
}
