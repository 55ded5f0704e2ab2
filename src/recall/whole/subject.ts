// The subject of a question for a whole: its text without the words that only ask for a list, an order or a summary.
// They are no words of an answer, and records about lists or orders would match them. Pure.
// Invariant: a question without another word stays as it is, and so does one of more than 1,000 characters.
import { fold } from '../../core/text/fold.ts'
import { listOfFrame } from './list-of.ts'
import { whichListFrames } from './which-list.ts'
import { anyOf, firstFrames, maybeOwner, request, timelines } from './want.ts'
import { maxQuestionLength } from './whole-word.ts'

const conversations = '(?:conversations?|discussions?|chats?)'
const saying =
  '(?:brought up|bring up|mentioned|mention|discussed|discuss|talked about|talk about|raised|covered)'
const quantity =
  '(?: (?:alle[smnr]?|samtliche[nrs]?|jede[nrs]?|elke|iedere|tous|toutes|tout|chaque|tod[oa]s?|cada|tutt[aeio]|ogni|tudo))?'
const briefness = '(?:(?:clear|short|brief|quick|good|detailed|comprehensive|complete|full|whole) )'

/** By language as in want.ts, folded. */
const frames = [
  listOfFrame(request),
  // English: a wish about the answer itself ("mention only five items").
  `${request}(?:mention|name|list|give|show|include)[^.?!]{0,40} (?:only|exactly|at most)[^.?!]{0,40} (?:items?|things|points|entries|steps)`,
  `${request}(?:list|enumerate|name|tell|give|show|walk|bring|find|get|fetch|return|collect|gather|write|make|provide|draft|prepare|create|take)(?: me| us)?(?: out| down| up| through)?(?: with)?`,
  'in (?:what|which) (?:chronological |exact |temporal )?(?:order|sequence)',
  '(?:the|an|what) order (?:in|that|of) (?:which|i|we|you|events)',
  '(?:in )?(?:the )?(?:chronological|temporal|time) order',
  'in order(?! to)',
  'chronologically',
  '(?:a |the )?(?:sequence|order|chain|chronology|timeline) of(?: events)?',
  'summari[sz]e',
  'recap',
  'sum (?:it |that |this |all that )?(?:all )?up',
  `(?:an? |the )?${briefness}{0,2}(?:summary|overview|recap|rundown|list)(?: of| about| on)`,
  `(?:the|an?) ${briefness}{0,2}(?:summary|overview|recap|rundown|story|list)`,
  '(?:an? |the )?tl;?dr(?: of| about| on)?',
  'the history of',
  ...timelines,
  'everything',
  'all(?: of)?',
  'every',
  'each(?: time)?',
  'how (?:many times|often|many)',
  '(?:different|distinct|separate|unique|various|several)(?: (?:aspects|parts|points|topics|things)(?: of| related to)?)?',
  'in (?:total|all)',
  'altogether',
  '(?:and|but) when(?=[?.!]|$)',
  `(?:did|have|had|do) (?:i|we|you) (?:say|${saying})(?: (?:that|wanting))?`,
  `(?:i|we|you)(?:'ve| have)? ${saying}`,
  `(?:throughout|across|during|over|in)(?: all)?(?: of)?(?: our| my| the| these)? ${conversations}`,
  '(?:throughout|across)(?: all)?(?: of)?(?: our| my| the| these)?(?: (?:sessions|requests|questions|messages))?',
  'so far',
  'overall',
  'over time',
  'until now',
  'from the (?:very )?(?:beginning|start)',
  'from the first [^.?!]{0,12}to the (?:last|latest|newest)',
  'start to finish',
  'step by step',
  'one after the other',
  'and (?:what|then) after (?:that|it)',
  'and what was done',
  '(?:came|happened|broke|was|is|what|which|who) first',
  '(?<= (?:did|have|had) (?:i|we) (?:\\p{L}+ ){1,3})first',
  'first(?=[,:?])',
  // German
  'in welcher reihenfolge',
  'der reihe nach',
  '(?:in )?(?:zeitlicher|chronologischer) reihenfolge',
  'chronologisch',
  `${request}(?:liste|zahle?|zeige?|nenne?|gib|sage?|suche?|finde|erzahle?|fasse?|mache?|schreibe?|erstelle?)(?: mir| uns| me| mij| ons|-moi|-nous|-me)?(?: bitte)?${quantity}`,
  'zusammen(?=,)',
  '(?:zusammen|zusammenfassen|auflisten|aufzahlen|auf)(?=[?.!]|$)',
  '(?:eine?n? |die |den )?(?:kurze |ganze )?(?:zusammenfassung|uberblick|ubersicht|liste)(?: von| vom| uber| zu| zum| zur| der| des)',
  'wie oft',
  'wie viele(?: verschiedenen?| unterschiedlichen?| male)?',
  'insgesamt',
  // Dutch
  'in welke volgorde',
  'volgorde waarin',
  'in chronologische volgorde',
  `${request}(?:noem|geef|toon|vind|zoek|vertel|vat|som|lijst|maak|schrijf)(?: me| mij| ons)?${quantity}`,
  'samen(?=,? wat)',
  '(?:samen|samenvatten|op)(?=[?.!]|$)',
  '(?:een |het )?(?:samenvatting|overzicht)(?: van| over)',
  'hoe vaak',
  'in totaal',
  // French
  `(?:un |une |le |la )?(?:resume|recapitulatif|synthese|vue d'ensemble|apercu|bilan) (?:de|du|des|sur|d')${maybeOwner}`,
  'dans quel ordre',
  "(?:par |l')?ordre (?:dans lequel|chronologique)",
  `${request}(?:listez?r?|enumere[rz]?|donnez?r?|montrez?r?|dis|dites|citez?r?|trouvez?r?|resume[rz]?|fais|faire|faites)(?:-moi|-nous)?${quantity}`,
  'combien de(?: fois)?',
  '(?:au total|en tout)',
  // Spanish
  'en que orden',
  '(?:en )?orden (?:en (?:el )?que|cronologico)',
  `${request}(?:enumera(?:r|me)?|lista(?:r|me)?|dame|muestrame|dime|ensename|encuentra|busca|resume(?:me)?|resumir|haz(?:me)?)${quantity}`,
  `(?:un |una )?(?:resumen|sintesis|vision general) (?:de|del|sobre)${maybeOwner}`,
  'cuantas veces',
  // Italian
  'in (?:che|quale) ordine',
  '(?:in )?ordine (?:in cui|cronologico)',
  `${request}(?:elenca(?:re|mi)?|dammi|mostrami|dimmi|trova(?:mi)?|mostra|riassumi(?:mi)?|riepiloga|fammi|fai)${quantity}`,
  `(?:un |una )?(?:riassunto|riepilogo|panoramica|sintesi) (?:di|del|dello|della|dei|degli|delle|su|sul|sulla)${maybeOwner}`,
  'quante volte',
  'in totale',
  // Portuguese
  'em (?:que|qual) ordem',
  '(?:em )?ordem (?:em que|cronologica)',
  `${request}(?:liste|listar|enumere|mostre|mostra|diga|encontre|de-me|resum[ai]r?|faca|faz)(?:-me)?${quantity}`,
  `(?:um |uma )?(?:resumo|sintese|visao geral|panorama) (?:de|do|da|dos|das|sobre)${maybeOwner}`,
  'quantas vezes',
  // The last: "em que ordem" is more than "em que".
  ...whichListFrames,
  ...firstFrames,
]

const frame = new RegExp(`(?<![\\p{L}\\p{N}-])${anyOf(...frames)}(?:(?<=')|(?![\\p{L}\\p{N}-]))`, 'gu')

/** `text` without the words that ask for a whole: "Can you list every yacht we chartered?" → "yacht we chartered?". */
export function subjectOf(text: string): string {
  if (text.length > maxQuestionLength) return text
  const written = text.normalize('NFC')
  const folded = fold(written)
  // The places of folded words are those of the written ones.
  if (folded.length !== written.length) return text
  let rest = ''
  let from = 0
  for (const { index, 0: found } of folded.matchAll(frame)) {
    rest += `${written.slice(from, index)} `
    from = index + found.length
  }
  rest = (rest + written.slice(from)).replace(/\s+/gu, ' ').trim()
  return /\p{L}{2}/u.test(rest) ? rest : text
}
