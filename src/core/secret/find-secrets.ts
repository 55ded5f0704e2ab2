// Finds secrets of known forms in a text, and masks them.
// Invariant: the time is linear in the length of the text, and a masked text contains no secret.
import { accountLength, isAccountNumber, isCardNumber } from './check-digit.ts'
import { type SecretRule, secretRules } from './secret-rule.ts'
import { isSeedWords, leastSeedLength } from './seed-phrase.ts'
import { leastWalletLength, walletKeysIn } from './base58-check.ts'
import { type WrittenRule, writtenRules } from './written-rule.ts'

// Search for many prefixes at once, with one table look-up per character: in a small table of pairs, which stays in the
// processor's cache, then in a table of three characters. A prefix has at least three characters.

const slots = 32_768
const slotOf = (a: number, b: number, c: number) => ((a << 10) ^ (a >> 3) ^ (b << 5) ^ c) & (slots - 1)
const pairs = 16_384
const pairOf = (a: number, b: number) => ((a << 7) ^ b) & (pairs - 1)

interface Beginning {
  readonly index: number
  readonly beginning: string
}

export class Beginnings {
  /** By the first two characters: 1 if a prefix may begin with them. */
  readonly #pairs = new Uint8Array(pairs)
  /** Index into `#lists`, by a hash of three characters. 0: no prefix. */
  readonly #table = new Uint16Array(slots)
  readonly #lists: string[][] = [[]]

  constructor(beginnings: Iterable<string>) {
    // Longest first: `next` returns the longest prefix at an index.
    for (const one of [...new Set(beginnings)].sort((a, b) => b.length - a.length)) {
      this.#pairs[pairOf(one.charCodeAt(0), one.charCodeAt(1))] = 1
      const slot = slotOf(one.charCodeAt(0), one.charCodeAt(1), one.charCodeAt(2))
      if (this.#table[slot] === 0) this.#table[slot] = this.#lists.push([]) - 1
      this.#lists[this.#table[slot] ?? 0]?.push(one)
    }
  }

  /** Returns the first prefix at or after `from`; if several begin at one index, the longest. */
  next(text: string, from: number): Beginning | undefined {
    const firsts = this.#pairs
    const last = text.length - 2
    let a = text.charCodeAt(from)
    for (let at = from; at < last; at += 1) {
      const b = text.charCodeAt(at + 1)
      if (firsts[pairOf(a, b)] === 1) {
        const list = this.#table[slotOf(a, b, text.charCodeAt(at + 2))] ?? 0
        const beginning = list === 0 ? undefined : this.#at(text, at, list)
        if (beginning !== undefined) return { index: at, beginning }
      }
      a = b
    }
    return undefined
  }

  /** A method of its own, because a closure in the loop would dominate the cost. */
  #at(text: string, index: number, list: number): string | undefined {
    return this.#lists[list]?.find((one) => text.startsWith(one, index))
  }
}

/** A found secret: its rule, and its half-open range of UTF-16 units. */
export interface SecretPlace {
  readonly rule: string
  readonly start: number
  readonly end: number
}

const beginnings = [...new Set([...secretRules, ...writtenRules].flatMap(({ begins }) => begins))]
/** Finds the indexes where a rule may apply. */
const anyBeginning = new Beginnings(beginnings)

/**
 * `at`: the rule's pattern `form`, sticky. `before`: pattern of text before the prefix that belongs to it. `holds`:
 * further condition on the secret. `isExact`: letters and digits may be adjacent.
 */
interface Finder extends SecretRule {
  readonly at: RegExp
}

/**
 * Rules to try at each prefix, in the order of the table. `Beginnings` returns only the longest prefix at an index, so
 * these include the rules of shorter prefixes that it begins with.
 */
const findersOf: ReadonlyMap<string, readonly Finder[]> = new Map(
  beginnings.map((beginning) => [
    beginning,
    secretRules
      .filter(({ begins }) => begins.some((one) => beginning.startsWith(one)))
      .map((rule) => ({ ...rule, at: new RegExp(rule.form.source, 'dy') })),
  ]),
)

/** The same for written rules, which detect a secret by the text around it. */
const writtenOf: ReadonlyMap<string, readonly WrittenRule[]> = new Map(
  beginnings.map((beginning) => [
    beginning,
    writtenRules.filter(({ begins }) => begins.some((one) => beginning.startsWith(one))),
  ]),
)

/** A key can't begin after one of these characters, so a run of them is tried once. */
const wordBefore = /[\w+-]$/
/** Escapes of JSON or URLs end with a letter or digit, but a key may follow them. */
const escapeBefore = /(?:\\[nrtbf]|%[0-9A-Fa-f]{2})$/
const wordAfter = /[A-Za-z0-9_]/

/** Number of characters that a rule may examine before a prefix. */
const lookBack = 32

/**
 * Social security numbers: nine digits, plain or in groups of three, two and four. Card numbers: 13 to 19 digits,
 * plain, in groups of four, or in groups of four, six and five, separated by a space, dash or dot. Not inside a
 * longer number, word or path.
 */
const digits =
  /(?=\d{3})(?<![\w.$/#:-]|[^n]=)(?:\d{4}([ .-])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ .-])\d{6}\2\d{4,5}|\d{13,19}|\d{3}([ -]?)\d{2}\3\d{4})(?![\w/-]|\.\d)/g

/** Words near a card number. A number without groups may be any id, so it needs one of these words. */
const cardWord = /\b(?:card|credit|debit|visa|mastercard|amex|maestro|cvv|cvc|pan)\b/i
const cardWordReach = 60

/**
 * Returns the secrets in `text`, in order, without overlaps. If two overlap, the earlier one stays; unless it has a
 * known form, it extends to the end of both.
 */
export function findSecrets(text: string): readonly SecretPlace[] {
  const first = anyBeginning.next(text, 0)
  const hasDigits = text.length >= leastDigits && twoDigits.test(text)
  if (first === undefined && !hasDigits && text.length < leastUnmarked) return none
  const { forms, written } = findKeys(text, first)
  const withoutForm = written
  if (hasDigits) withoutForm.push(...findCounted(text))
  for (const [start, end] of walletKeysIn(text)) withoutForm.push({ rule: 'wallet-key', start, end })
  if (isSeedWords(text)) withoutForm.push({ rule: 'seed-phrase', start: 0, end: text.length })
  if (withoutForm.length === 0) return forms
  const isForm = new Set(forms)
  const found: SecretPlace[] = []
  for (const one of [...forms, ...withoutForm].sort((a, b) => a.start - b.start)) {
    const last = found.at(-1)
    if (last === undefined || one.start >= last.end) found.push(one)
    else if (!isForm.has(last) && one.end > last.end) found[found.length - 1] = { ...last, end: one.end }
  }
  return found
}

/** Every card, account and social security number has two adjacent digits; most texts have none. */
const twoDigits = /\d\d/
/** Digits of a social security number, the shortest of them. */
const leastDigits = 9
/** A shorter text without a prefix or digits contains no secret, because seed phrases and wallet keys are longer. */
const leastUnmarked = Math.min(leastSeedLength, leastWalletLength)
const none: readonly SecretPlace[] = []
const findCounted = (text: string) => [...findNumbers(text), ...findAccounts(text)]

/** Maximum of characters examined after a sign. The limit bounds the cost of a long name with many signs. */
const nameReach = 8192

/** Returns the rule of a secret in a name or id. The secret may follow any sign, and signs may be escaped. */
export function secretInName(name: string): string | undefined {
  if (name.length < 8) return undefined
  const plain = name.replaceAll(/:([0-9a-f]{1,5}):/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )
  const starts = [0, ...[...plain.slice(0, 512).matchAll(/[-_:/.@|+=]/g)].map(({ index }) => index + 1)]
  for (const start of starts) {
    const [found] = findSecrets(start === 0 ? plain : plain.slice(start, start + nameReach))
    if (found) return found.rule
  }
  return undefined
}

function findKeys(
  text: string,
  first: Beginning | undefined,
): { forms: SecretPlace[]; written: SecretPlace[] } {
  const forms: SecretPlace[] = []
  const written: SecretPlace[] = []
  let from = 0
  for (let hit = first; hit; hit = anyBeginning.next(text, from)) {
    const { index, beginning } = hit
    const key = keyAt(text, index, beginning, forms.at(-1)?.end ?? 0)
    if (key) forms.push(key)
    else written.push(...writtenAt(text, index, beginning, written.at(-1)?.end ?? 0))
    // A shorter prefix may begin inside this prefix.
    from = key ? key.end : index + 1
  }
  return { forms, written }
}

/** Returns the secret that a written rule finds at `index`. `from`: end of the previous secret. */
function writtenAt(text: string, index: number, beginning: string, from: number): SecretPlace[] {
  if (index < from) return []
  for (const rule of writtenOf.get(beginning) ?? []) {
    const span = rule.find(text, index)
    if (span && span[0] >= from) return [{ rule: rule.id, start: span[0], end: span[1] }]
  }
  return []
}

/** Returns the secret of a known form at `index`. `from`: end of the previous secret. */
function keyAt(text: string, index: number, beginning: string, from: number): SecretPlace | undefined {
  const before = text.slice(Math.max(from, index - lookBack), index)
  for (const { id, at, before: belongs, holds, isExact = false } of findersOf.get(beginning) ?? []) {
    const lead = belongs ? belongs.exec(before) : undefined
    if (belongs ? !lead : !isExact && wordBefore.test(before) && !escapeBefore.test(before)) continue
    at.lastIndex = index
    const match = at.exec(text)
    if (!match) continue
    const [, end] = match.indices?.[0] ?? [0, 0]
    const [start, secretEnd] = match.indices?.groups?.['secret'] ?? [index - (lead?.[0].length ?? 0), end]
    if (!isExact && wordAfter.test(text.charAt(secretEnd))) continue
    if (!holds || holds(text.slice(start, secretEnd))) return { rule: id, start, end: secretEnd }
  }
  return undefined
}

function findNumbers(text: string): SecretPlace[] {
  const found: SecretPlace[] = []
  digits.lastIndex = 0
  for (let hit = digits.exec(text); hit; hit = digits.exec(text)) {
    const start = hit.index
    const end = start + hit[0].length
    const isGrouped = (hit[1] ?? hit[2]) !== undefined
    const around = () => text.slice(Math.max(0, start - cardWordReach), end + cardWordReach)
    const number = hit[0].replaceAll(/[ .-]/g, '')
    if (number.length === 9) {
      if (isSocial(number, text.slice(Math.max(0, start - cardWordReach), start), hit[3] === '-'))
        found.push({ rule: 'social-security-number', start, end })
    } else if (isCardNumber(number) && (isGrouped ? !isVersion(hit) : cardWord.test(around())))
      found.push({ rule: 'card-number', start, end })
  }
  return found
}

const versionWord = /\b(?:version|build|release|revision|firmware|driver|ver|rev)\b[^\n]{0,12}$/i

/** True if the number is a version: versions contain dots like cards. */
const isVersion = ({ 0: number, index, input }: RegExpExecArray) =>
  number.includes('.') && versionWord.test(input.slice(Math.max(0, index - cardWordReach), index))

const socialWord = /\b(?:ssn|social(?: security)?)\b[^\n]{0,40}$/i
const otherWord = /\b(?:part|order|item|sku|model|serial|invoice|case|ticket|ref|no|number|id)\b[^\n]{0,12}$/i
const socialExamples: ReadonlySet<string> = new Set(['123456789', '078051120', '219099999'])

/** True for a social security number of the United States. A group of zeros is never issued. */
function isSocial(number: string, before: string, isDashed: boolean): boolean {
  if (!/^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(number) || socialExamples.has(number)) return false
  return socialWord.test(before) || (isDashed && !otherWord.test(before))
}

const account = /(?=[A-Z])(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?= ?[A-Z0-9]{4})/g

function findAccounts(text: string): SecretPlace[] {
  const found: SecretPlace[] = []
  account.lastIndex = 0
  for (let hit = account.exec(text); hit; hit = account.exec(text)) {
    const length = accountLength(hit[0].slice(0, 2))
    if (length === undefined) continue
    const start = hit.index
    // All characters, with a space after every fourth.
    const stretch = text.slice(start, start + length + Math.ceil(length / 4) - 1)
    const isSpaced = stretch.charAt(4) === ' '
    const end = start + (isSpaced ? stretch.length : length)
    const number = text.slice(start, end)
    if (
      /^[A-Z0-9 ]+$/.test(number) &&
      isAccountNumber(number.replaceAll(' ', '')) &&
      !/^[A-Za-z0-9]/.test(text.charAt(end))
    )
      found.push({ rule: 'iban', start, end })
  }
  return found
}

/** A mark shows the last four characters only of a secret with at least this length. */
const leastWithEnding = 16

/** Returns `text` with a mark in place of each secret: `[secret: openai-key …a1b2]`. */
export function maskSecrets(text: string, places: readonly SecretPlace[]): string {
  let masked = ''
  let from = 0
  for (const { rule, start, end } of places) {
    masked += text.slice(from, start) + markOf(rule, text.slice(start, end))
    from = end
  }
  return masked + text.slice(from)
}

/** Returns the mark that replaces `secret`. */
export function markOf(rule: string, secret: string): string {
  const ending = /[A-Za-z0-9]{4}$/.exec(secret)?.[0]
  const showsEnd = ending !== undefined && secret.length >= leastWithEnding && !neverWithEnding.has(rule)
  return showsEnd ? `[secret: ${rule} …${ending}]` : `[secret: ${rule}]`
}

/** Rules whose marks never show the last characters: they identify nothing, or reveal too much. */
const neverWithEnding: ReadonlySet<string> = new Set([
  'connection-password',
  'private-key',
  'jwt',
  'password',
  'basic-auth',
  'seed-phrase',
])

/** Matches the marks of `maskSecrets`. */
export const secretMark = /\[secret: ([a-z][a-z-]{2,40})(?: …[A-Za-z0-9]{4})?\]/g
