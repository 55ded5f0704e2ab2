// Recognises a person's standing request ("always give the status codes when I ask about errors", "I prefer short examples"), in
// English, German, French, Spanish, Italian, Portuguese and Dutch. Pure.
import { fold } from '../../core/text/fold.ts'

/** A standing request has its score times this: it says how to answer, and shares few words with the question. */
export const standingFactor = 2

/** Longer texts count by their beginning. UTF-16 units. */
const maxReadChars = 2000

/** The beginning of a sentence. */
const atBegin = '(?<=(?:^|[.!?\\n]\\s{0,9})(?:please |bitte |por favor |per favore |graag )?)'
const requests = [
  `${atBegin}(?:always|never(?! mind)|from now on)`,
  "i(?:'d| would)? (?:always |generally |usually )?prefer",
  `${atBegin}(?:immer(?! noch| wieder| mehr)|nie|niemals|ab jetzt)`,
  'ich bevorzuge',
  `${atBegin}(?:toujours(?! pas| rien)|jamais|desormais)`,
  'je prefere',
  `${atBegin}(?:siempre|nunca|a partir de ahora)`,
  'prefiero',
  `${atBegin}(?:sempre|d'ora in poi|da ora in poi)`,
  'preferisco',
  `${atBegin}(?:a partir de agora)`,
  'prefiro',
  `${atBegin}(?:altijd|nooit|vanaf nu)`,
  'ik heb liever',
]
const standing = new RegExp(`(?<![\\p{L}\\p{N}])(?:${requests.join('|')})(?![\\p{L}\\p{N}'])`, 'u')

/** True if one of a person's texts has a standing request. */
export const isStandingRequest = (texts: readonly string[]): boolean =>
  texts.some((text) => standing.test(fold(text.slice(0, maxReadChars))))
