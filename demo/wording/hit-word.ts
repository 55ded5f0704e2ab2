// What a hit says and why its score is what it is: its best passage, the part that each leg has in it, and what it is multiplied
// by, as the README's formulas have it.
import type { RecallHit } from '../../src/index.ts'
import { matchedWords } from './matched-word.ts'

const longestQuote = 320

/** Piece of a text; `met`: it is a word of the question. */
export interface QuotePiece {
  readonly text: string
  readonly met: boolean
}

/** The passage that answers best, else the longest text of the record that its `title` does not say, with its words marked. */
export function quoteOf(hit: RecallHit, title: string): QuotePiece[] {
  const { passage } = hit.because
  const whole = passage ? textAt(hit.record, passage.path) : longestOf(hit.record)
  if (whole === undefined || (!passage && title.startsWith(whole.slice(0, 60)))) return []
  const from = passage?.from ?? 0
  const to = Math.min(passage?.to ?? whole.length, from + longestQuote)
  const said = whole.slice(from, to).replaceAll(/\s+/g, ' ').trim()
  if (said === '') return []
  return withWords(`${from > 0 ? '… ' : ''}${said}${to < whole.length ? ' …' : ''}`, matchedWords(hit))
}

function textAt(record: object, path: string): string | undefined {
  let value: unknown = record
  for (const name of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : undefined
}

/** Heads of a record are no text of it. */
const heads = new Set(['id', 'kind', 'agent', 'session', 'created_at', 'updated_at', 'timestamp', 'schema'])

function longestOf(record: object): string | undefined {
  const texts = Object.entries(record).flatMap(([name, value]) => (heads.has(name) ? [] : textsIn(value)))
  return texts.sort((one, other) => other.length - one.length)[0]
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function withWords(text: string, words: readonly string[]): QuotePiece[] {
  if (words.length === 0) return [{ text, met: false }]
  const any = words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|')
  const pieces: QuotePiece[] = []
  let at = 0
  for (const found of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, 'giu'))) {
    if (found.index > at) pieces.push({ text: text.slice(at, found.index), met: false })
    pieces.push({ text: found[0], met: true })
    at = found.index + found[0].length
  }
  if (at < text.length) pieces.push({ text: text.slice(at), met: false })
  return pieces
}

/** Ranks count by their reciprocal, as fusion counts them; see `rankConstant` of the engine. */
const rankConstant = 20

/** What part of a score each leg has, by the rank that it gave; together 1. */
export function legShares(ranks: ReadonlyMap<string, number>): [leg: string, share: number][] {
  const parts = [...ranks].map(([leg, rank]) => [leg, 1 / (rankConstant + rank)] as const)
  const all = parts.reduce((sum, [, part]) => sum + part, 0)
  return parts.map(([leg, part]) => [leg, part / all])
}

/** What the ranks are multiplied by: each factor that changes the score, strongest first. */
export function multipliersOf({ because }: RecallHit): [name: string, by: number][] {
  const { recency, importance, confidence, use, pin } = because
  const all: [string, number][] = [
    ['recency', 0.9 + 0.1 * recency],
    ['importance', 0.9 + 0.2 * importance],
    ['confidence', 0.8 + 0.2 * confidence],
    ['use', 1 + 0.1 * use],
    ['pinned', 1 + 0.25 * pin],
  ]
  return all
    .filter(([, by]) => Math.abs(by - 1) >= 0.005)
    .sort(([, one], [, other]) => Math.abs(other - 1) - Math.abs(one - 1))
}

/** The call that asks the same. */
export function recallCode(asked: object): string {
  const fields = Object.entries(asked).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`)
  return `const { hits } = await book.recall({\n${fields.join('\n')}\n})\n`
}
