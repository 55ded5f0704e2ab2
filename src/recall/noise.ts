// Texts of a talk that say little by themselves: acknowledgements and greetings, and output of machines (bare JSON,
// stack traces, progress). They weigh less, and answer only a question that is about their own words.
// Invariant: a text with any other phrase is no small talk; so is a yes or a no, which may be an answer. Pure.
import { fold } from '../core/text/fold.ts'

/** `small-talk`: an acknowledgement or a greeting. `output`: written by a machine. */
export type Noise = 'small-talk' | 'output'

/**
 * Factor of the score of such a record. `coverage`: the share of the question, by weight, that its own words have. 0: it
 * answers nothing. A question about the words of an output has it in full.
 */
export function noiseFactor(noise: Noise, coverage: number): number {
  if (noise === 'output') return coverage >= fullCoverage ? 1 : coverage >= leastCoverage ? weakFactor : 0
  return coverage >= fullCoverage ? weakFactor : 0
}

const fullCoverage = 0.8
const leastCoverage = 0.5
const weakFactor = 0.5

/** Phrases of small talk in English, German, French and Spanish, folded, as parts of a regular expression. */
const phrases = [
  'ok(?:ay)?|k|sure(?: thing)?|fine|great|good|perfect|nice|cool|awesome|excellent|amazing|wow|lol|haha+|hmm+|oh|ah',
  'thanks?(?: you)?(?: so much| very much| a lot| again| for (?:that|this|your help))?|thx|ty|cheers|please',
  '(?:that |it |this )?(?:sounds?|looks?) (?:good|great|perfect|fine|nice|like a plan)(?: to me)?|got it|i see|understood|al(?:l )?right',
  'exactly|(?:i )?agreed?|done|makes sense|of course|absolutely|definitely|certainly|indeed|my pleasure|never mind|good (?:idea|point|job|work)',
  'hello|hi|hey|there|good (?:morning|afternoon|evening|night|day)|bye(?: bye)?|goodbye|see you(?: later| soon| tomorrow)?|take care',
  "(?:you are|you're|youre) (?:very |most )?welcome|welcome|no problem|no worries|not at all|don't mention it|glad (?:to hear (?:that|it)|i could help)|happy to help",
  '(?:is there )?anything else(?: (?:you need|i can (?:do|help)(?: (?:you )?with)?(?: for you)?))?|let me know(?: if you need anything(?: else)?| if i can help| what you think)?',
  "how (?:can|may) i (?:help|assist)(?: you)?(?: today)?|how are you(?: doing)?(?: today)?|what(?:'s| is) up",
  '(?:please )?(?:go (?:ahead|on)|continue|proceed|carry on|keep going|send it|do it|do that|do so)(?: please| then| now)?',
  "(?:would|do) you (?:like|want) me to continue|(?:shall|should) i (?:continue|go (?:ahead|on)|proceed)|(?:let me|i(?:'ll| will)) think about (?:it|that)",
  "(?:hold|hang) on|(?:just )?(?:wait )?(?:a|one) (?:moment|second|sec|minute)|wait|sorry|excuse me|my bad|oops|(?:that(?:'s| is| was) )?(?:all|it)(?: for (?:today|now))?",
  'danke(?: schon| dir| ihnen| sehr| euch)?|dankeschon|vielen dank|bitte(?: schon| sehr)?|gern(?:e)?(?: geschehen)?|alles klar|gut|super|prima|toll|verstanden|genau|einverstanden|erledigt|passt(?: so)?',
  "hallo|guten (?:morgen|tag|abend)|gute nacht|tschuss|bis (?:spater|bald|morgen|dann)|willkommen|kein problem|mach (?:das|weiter)|weiter(?: so)?|warte(?: kurz)?|moment|entschuldigung|klingt gut|das war(?:'s| es)?(?: fur heute)?",
  "noch (?:et)?was|sonst noch (?:et)?was|kann ich sonst noch (?:et)?was fur (?:dich|sie) tun|wie kann ich (?:dir|ihnen|euch)? ?helfen|wie geht(?:'s| es)?(?: dir| ihnen)?",
  "merci(?: beaucoup| bien)?|d'accord|parfait|tres bien|bien|compris|exactement|c'est fait|bonjour|bonsoir|bonne (?:nuit|journee|soiree)|salut|au revoir|a (?:bientot|plus(?: tard)?|demain)|de rien|je (?:vous|t')(?: )?en prie",
  "(?:continue[zs]?|vas-y|allez-y|attend[sz]?|un instant|desole[e]?|pardon|autre chose|c'est (?:tout|bon|parfait|super)(?: pour aujourd'hui)?|comment (?:puis-je|je peux) (?:vous |t')?aider|s'il (?:te|vous) plait|avec plaisir|pas de (?:probleme|souci))",
  '(?:muchas )?gracias|por favor|vale|perfecto|bueno|(?:muy )?bien|genial|entendido|exacto|hecho|hola|buenos dias|buenas (?:tardes|noches)|adios|hasta (?:luego|pronto|manana)|de nada|continua|sigue|adelante',
  'espera(?: un momento)?|un momento|perdon|lo siento|algo mas|eso es todo(?: por hoy)?|en que puedo ayudarte|como puedo ayudarte|no hay problema|con gusto|de acuerdo|claro(?: que si)?',
].join('|')
const between = '[\\s\\p{P}\\p{S}]'
const smallTalk = new RegExp(`^${between}*(?:${phrases})(?:${between}+(?:${phrases}))*${between}*$`, 'u')
const maxSmallTalkLength = 120

/** A line of a stack trace: of JavaScript, Java or C#, of Python, of Rust or Go. */
const traceLine = /^\s*(?:at\s+\S.*[:(]\S*\d|File "[^"]+", line \d+|\d+:\s+0x[0-9a-f]+|\S+\.(?:go|rs|py):\d+)/
/** From this share of lines on, a text is a stack trace. */
const traceShare = 0.4
const pythonTrace = /^Traceback \(most recent call last\):/
/** A line of progress: some words and a percentage behind dots or after a verb of work, a step of several, or a bar. */
const progressLine = new RegExp(
  '^(?:\\S+\\s+){0,4}\\S*(?:\\.{2,}|…)\\s*\\(?\\d{1,3}(?:\\.\\d+)?\\s?%\\)?\\.?$|' +
    '^(?:(?:down|up)?loading|installing|building|compiling|indexing|processing|progress)\\b.{0,60}\\d\\s?%.{0,20}$|' +
    '^\\[?(?:step|schritt|étape|paso)\\s+\\d+\\s?/\\s?\\d+\\]?(?:[:\\s].{0,60})?$|^\\[\\d+/\\d+\\].{0,60}$|[█▓▒]{3,}|={5,}>',
  'iu',
)
/** Every text that is output has one of these; most prose has none. */
const mayBeOutput = /^[{[]|^Traceback|[(:]\d|0x|line \d|\d\s?[%/]|[█▓▒]|={5}>/
/** A longer text is judged by its beginning. */
const judgedLength = 20_000

/** Returns what sort of noise a text is; undefined for a text that says something. */
export function noiseOf(text: string): Noise | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (isSmallTalk(trimmed)) return 'small-talk'
  if (!mayBeOutput.test(trimmed)) return undefined
  const lines = trimmed
    .slice(0, judgedLength)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return isBareJson(trimmed) || isStackTrace(lines) || isProgress(lines) ? 'output' : undefined
}

const isSmallTalk = (text: string): boolean =>
  text.length <= maxSmallTalkLength && (smallTalk.test(fold(text)) || !/[\p{L}\p{N}█▓▒=]/u.test(text))

function isBareJson(text: string): boolean {
  if (text.length > judgedLength || !/^[{[]/.test(text) || !/[}\]]$/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isStackTrace(lines: readonly string[]): boolean {
  const count = lines.filter((line) => traceLine.test(line)).length
  return pythonTrace.test(lines[0] ?? '') || (count > 0 && count >= traceShare * lines.length)
}

const isProgress = (lines: readonly string[]): boolean =>
  lines.length > 0 && lines.every((line) => progressLine.test(line.trim()))
