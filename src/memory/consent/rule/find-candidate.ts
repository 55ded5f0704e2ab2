// Finds sentences in which a user gives the assistant a standing rule, in English, German, Spanish and French. Pure.
// A sentence is a candidate only if it begins as an instruction: what somebody does always, what another person said, a
// question and a wish for this moment are no rules.
import { ruleCues } from './rule-cue.ts'

/** Longer sentences explain something; longer texts are files. */
const maxSentenceLength = 400
const maxTextLength = 20_000

const politeWords =
  "please|just|bitte|por favor|merci de|s['’]il (?:te|vous) pla[iî]t|and|but|also|so|then|ok(?:ay)?|thanks|thank you|und|aber|also|danke|y|pero|gracias|et|mais|merci"
const opening = new RegExp(`^(?:(?:${politeWords})(?!\\p{L})[\\s,:!–-]*)+`, 'iu')
const courtesy = /(?<!\p{L})(?:please|bitte|por favor|s['’]il (?:te|vous) pla[iî]t)(?!\p{L})/iu
/** Words of a wish for this moment, or of comfort. */
const forNow =
  /(?<!\p{L})(?:yet|now|today|tonight|tomorrow|this time|until|for a (?:moment|minute)|worry|forget|bother|hesitate|panic|noch|jetzt|heute|morgen|gleich|diesmal|bis|vergiss|vergessen|sorge|todavía|aún|ahora|hoy|mañana|hasta|olvides|preocupes|molestes|encore|maintenant|aujourd['’]hui|demain|oublie|oubliez|inquiète|inquiétez)(?!\p{L})/iu

/** The sentences of `text` that are candidates, in order, without repeats, each as the user wrote it. */
export function findRuleCandidates(text: string): string[] {
  const prose = text.slice(0, maxTextLength).replaceAll(/```[^]*?(?:```|$)/g, '\n')
  const sentences = prose
    .split(/\n+|(?<=[.!?…])\s+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length <= maxSentenceLength && isRule(sentence))
  return [...new Set(sentences)]
}

function isRule(sentence: string): boolean {
  // A question, or a quotation of another person.
  if (/[?]\W*$|^[¿>"„“«»|#]/u.test(sentence)) return false
  const words = sentence.replace(opening, '')
  const isCourteous = courtesy.test(sentence)
  return ruleCues.some(({ begins, needs }) => {
    const cue = begins.exec(words)
    if (!cue) return false
    if (needs === 'courtesy') return isCourteous && !forNow.test(words)
    return needs !== 'name' || /^\p{Lu}[\p{L}'’-]*(?=[\s,.!]|$)/u.test(words.slice(cue[0].length))
  })
}
