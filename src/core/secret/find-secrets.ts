// Finds secrets of known form in a text, and puts marks in their place.
// Invariants: time grows with the length of the text alone; a marked text has no secret in it any more.
import { isCardNumber } from './check-digit.ts'
import { type SecretRule, secretRules } from './secret-rule.ts'

/** A secret in a text: the half-open range of its UTF-16 units, and the rule that knows it. */
export interface SecretPlace {
  readonly rule: string
  readonly start: number
  readonly end: number
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

const beginnings = [...new Set(secretRules.flatMap(({ begins }) => begins))].sort(
  (a, b) => b.length - a.length,
)

/** Where any rule may apply: the longest beginning that stands there. */
const anyBeginning = new RegExp(beginnings.map(escaped).join('|'), 'g')

interface Finder extends SecretRule {
  readonly at: RegExp
}

/** The rules to try where a text of `beginnings` stands, in the order of the table. */
const findersOf: ReadonlyMap<string, readonly Finder[]> = new Map(
  beginnings.map((beginning) => [
    beginning,
    secretRules
      .filter(({ begins }) => begins.some((one) => beginning.startsWith(one)))
      .map((rule) => ({ ...rule, at: new RegExp(rule.form.source, 'dy') })),
  ]),
)

/** What a key may consist of itself: so a run of such characters is tried once, however often a key seems to begin in it. */
const wordBefore = /[\w+-]$/
/** What ends in a letter and still parts words: an escape of JSON text or of a URL. */
const escapeBefore = /(?:\\[nrtbf]|%[0-9A-Fa-f]{2})$/
const wordAfter = /[A-Za-z0-9_]/

/** How much of what stands before a beginning is looked at. */
const lookBack = 32

/**
 * 13 to 19 digits as card numbers are written: in one, or in groups of four (four, six and five). Not inside a longer
 * number, word or path.
 */
const digits =
  /(?<![\w.$/#:=-])(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5}|\d{13,19})(?![\w/-]|\.\d)/g

/** A number in one could be any id: it counts as a card where somebody says so nearby. */
const cardWord = /\b(?:card|credit|debit|visa|mastercard|amex|maestro|cvv|cvc|pan)\b/i
const cardWordReach = 60

/** The secrets in `text`, in order, none inside another. */
export function findSecrets(text: string): readonly SecretPlace[] {
  const keys = findKeys(text)
  const cards = findCards(text)
  if (cards.length === 0) return keys
  const isFree = (card: SecretPlace) => keys.every(({ start, end }) => card.end <= start || card.start >= end)
  return [...keys, ...cards.filter(isFree)].sort((a, b) => a.start - b.start)
}

function findKeys(text: string): SecretPlace[] {
  const found: SecretPlace[] = []
  anyBeginning.lastIndex = 0
  for (let hit = anyBeginning.exec(text); hit; hit = anyBeginning.exec(text)) {
    const key = keyAt(text, hit.index, hit[0], found.at(-1)?.end ?? 0)
    if (key) {
      found.push(key)
      anyBeginning.lastIndex = key.end
    } else {
      // A shorter beginning may stand inside this one.
      anyBeginning.lastIndex = hit.index + 1
    }
  }
  return found
}

function keyAt(text: string, index: number, beginning: string, from: number): SecretPlace | undefined {
  const before = text.slice(Math.max(from, index - lookBack), index)
  for (const { id, at, before: belongs, holds } of findersOf.get(beginning) ?? []) {
    const lead = belongs ? belongs.exec(before) : undefined
    if (belongs ? !lead : wordBefore.test(before) && !escapeBefore.test(before)) continue
    at.lastIndex = index
    const match = at.exec(text)
    if (!match) continue
    const [, end] = match.indices?.[0] ?? [0, 0]
    const [start, secretEnd] = match.indices?.groups?.['secret'] ?? [index - (lead?.[0].length ?? 0), end]
    if (wordAfter.test(text.charAt(secretEnd))) continue
    if (!holds || holds(text.slice(start, secretEnd))) return { rule: id, start, end: secretEnd }
  }
  return undefined
}

function findCards(text: string): SecretPlace[] {
  const found: SecretPlace[] = []
  digits.lastIndex = 0
  for (let hit = digits.exec(text); hit; hit = digits.exec(text)) {
    const start = hit.index
    const end = start + hit[0].length
    const isGrouped = (hit[1] ?? hit[2]) !== undefined
    const around = () => text.slice(Math.max(0, start - cardWordReach), end + cardWordReach)
    if (isCardNumber(hit[0].replaceAll(/[ -]/g, '')) && (isGrouped || cardWord.test(around())))
      found.push({ rule: 'card-number', start, end })
  }
  return found
}

/** A secret shorter than this would be told by its end. */
const leastForTail = 16

/** `text` with a mark in the place of each secret: `[secret: openai-key …a1b2]`. */
export function maskSecrets(text: string, places: readonly SecretPlace[]): string {
  let masked = ''
  let from = 0
  for (const { rule, start, end } of places) {
    masked += text.slice(from, start) + markOf(rule, text.slice(start, end))
    from = end
  }
  return masked + text.slice(from)
}

export function markOf(rule: string, secret: string): string {
  const tail = /[A-Za-z0-9]{4}$/.exec(secret)?.[0]
  const isTold = tail !== undefined && secret.length >= leastForTail && !untold.has(rule)
  return isTold ? `[secret: ${rule} …${tail}]` : `[secret: ${rule}]`
}

/** Of a password or a block nobody needs the end to know which it was. */
const untold: ReadonlySet<string> = new Set(['connection-password', 'private-key', 'jwt'])

/** The marks that `maskSecrets` leaves, to count them. */
export const secretMark = /\[secret: ([a-z][a-z-]{2,40})(?: …[A-Za-z0-9]{4})?\]/g
