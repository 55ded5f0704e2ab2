// A text that arrives in pieces, read by a parser that asks for more: each `yield` of these generators waits for a piece.
// Invariant: what was taken is let go, so memory holds the longest single value and one piece.
import { DaybookError } from '../../core/errors.ts'

/** What a parser over a feed is: it yields where it needs more, and returns when it has all. */
export type Reading<Result> = Generator<undefined, Result, undefined>

export interface TextFeed {
  push(piece: string): void
  /** No more will come. */
  end(): void
  /** Takes exactly this text, or fails. */
  expect(text: string, path: string): Reading<void>
  /** Takes the text if it comes next. */
  tryTake(text: string): Reading<boolean>
  /** Takes one string, object or array as it is written, at most `limit` characters. */
  value(limit: number, path: string): Reading<string>
  /** Fails unless everything was taken. */
  finish(path: string): Reading<void>
}

export function createTextFeed(): TextFeed {
  let text = ''
  let at = 0
  let ended = false
  /** Waits until there are `length` characters, if ever. */
  function* fill(length: number): Reading<boolean> {
    while (text.length - at < length) {
      if (ended) return false
      yield
    }
    return true
  }
  const taken = (length: number) => {
    const part = text.slice(at, at + length)
    at += length
    return part
  }
  return {
    push(piece) {
      text = at === text.length ? piece : text.slice(at) + piece
      at = 0
    },
    end() {
      ended = true
    },
    *expect(wanted, path) {
      if ((yield* fill(wanted.length)) && text.startsWith(wanted, at)) at += wanted.length
      else throw unexpected(path, ended && wanted.startsWith(text.slice(at)) ? undefined : wanted)
    },
    *tryTake(wanted) {
      if (!(yield* fill(wanted.length)) || !text.startsWith(wanted, at)) return false
      at += wanted.length
      return true
    },
    *value(limit, path) {
      let depth = 0
      let inString = false
      let i = 0
      for (;;) {
        if (i > limit)
          throw new DaybookError('too-large', `\`${path}\` is too large.`, { details: { path, limit } })
        if (at + i >= text.length && !(yield* fill(i + 1))) throw unexpected(path)
        const unit = text.charCodeAt(at + i)
        i += 1
        if (inString) {
          if (unit === backslash) {
            i += 1
          } else if (unit === quote) {
            inString = false
            if (depth === 0) break
          }
        } else if (unit === quote) inString = true
        else if (unit === openBrace || unit === openBracket) depth += 1
        else if (unit === closeBrace || unit === closeBracket) {
          depth -= 1
          if (depth <= 0) break
        } else if (depth === 0) throw unexpected(path, 'a value')
      }
      return taken(i)
    },
    *finish(path) {
      if (yield* fill(1)) throw unexpected(path, 'the end')
    },
  }
}

const quote = 34
const backslash = 92
const openBrace = 123
const closeBrace = 125
const openBracket = 91
const closeBracket = 93

function unexpected(path: string, wanted?: string): DaybookError {
  const message =
    wanted === undefined
      ? `\`${path}\`: The bundle was cut off here`
      : `\`${path}\`: ${wanted} is wanted here, in canonical JSON; the bundle was altered or written anew`
  return new DaybookError('invalid-file', `${message}.`, { details: { path } })
}
