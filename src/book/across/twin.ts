// Twins: records of two books that say the same, so that an answer from both shows it once.
import { duplicateShare } from '../../core/capability/hit-rule.ts'
import { bodyOf } from '../../core/record.ts'
import { textValues } from '../../core/json/path.ts'
import { fold } from '../../core/text/fold.ts'
import { oppositionOf } from '../../core/text/opposition.ts'
import { canonicalTime } from '../../core/time.ts'

/** The content of a record: its words without times and head, as a set; its numbers, negations and signs in order. */
export interface Saying {
  readonly kind: string
  readonly words: ReadonlySet<string>
  readonly numbers: string
  readonly opposition: string
}

/** A longer text counts by its beginning only. UTF-16 units. */
const maxReadChars = 100_000

export function sayingOf(record: object & { readonly kind: string }): Saying {
  const texts = textValues(bodyOf(record)).filter((text) => canonicalTime(text) === undefined)
  const whole = texts.join(' ').slice(0, maxReadChars)
  const words = fold(whole).match(/[\p{L}\p{N}]+/gu) ?? []
  return {
    kind: record.kind,
    words: new Set(words),
    numbers: words.filter((word) => /\d/.test(word)).join(' '),
    opposition: oppositionOf(whole),
  }
}

/** True for records of one kind with the same numbers, negations and signs, and 85 % of their words in common. */
export function areTwins(one: Saying, other: Saying): boolean {
  if (one.kind !== other.kind || one.words.size === 0) return false
  if (one.numbers !== other.numbers || one.opposition !== other.opposition) return false
  let common = 0
  for (const word of one.words) if (other.words.has(word)) common += 1
  return common / (one.words.size + other.words.size - common) >= duplicateShare
}
