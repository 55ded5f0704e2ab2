// Chooses by a question's own words whether recall gives the best hits, all of them, their order in time, or the
// records of a summary; in English, German, French, Spanish, Italian, Portuguese and Dutch. Pure.
// Invariant: a question for one thing stays `best`, also with a word of a whole in it ("order number", "list price").
import type { Want } from '../../core/capability/port/recall-port.ts'
import { fold } from '../../core/text/fold.ts'
import { listOfRule } from './list-of.ts'
import { whichListRules } from './which-list.ts'
import { maxQuestionLength } from './whole-word.ts'

/** Up to `most` units of the same sentence. */
const rest = (most: number) => `[^.?!]{0,${most}}`
export const anyOf = (...sources: readonly string[]) => `(?:${sources.join('|')})`

/** A request begins here: at the beginning of a sentence, or after "can you", "bitte" and the like. */
export const request =
  '(?:(?<=^|[.!?;:,] )|(?:please|kindly|(?:can|could|would|will) you|and|then|bitte|kannst du|konntest du|konnen sie|konnten sie|und|' +
  "peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|tu peux|veuillez|s'il te plait|et|puedes|podrias|puede|podria|por favor|y|" +
  'puoi|potresti|per favore|e|pode|podes|poderia|kun je|kan je|kunt u|wil je|graag|en) )' +
  '(?:please |also |bitte |mir |uns |me |mij |ons |nous |nos |alsjeblieft )*'

/** Words after `all` that make it a time of day, or no quantity at all. */
const notDays =
  '(?! days?| right| inclusive| the (?:time|way|best|same)| tage?| les jours| la journee| el dia| los dias| el tiempo| i giorni| il giorno| os dias| o dia| dagen| dag)'

/** Excludes questions about a habit or a rule: how often a day, how often must I. */
const notHabit =
  '(?! (?:a|an|per|each|every|do|does|should|must|can|am|pro|am tag|par|dois|doit|faut|al|a la|por|debo|debe|hay|tengo|puedo|alla|devo|deve|posso|bisogna|ao|tenho)(?![\\p{L}]))'

const determiner = anyOf(
  'all|every|each|everything|the|my|our|any|which|what|who|where|when|how|those|these|both|some|as many|\\d+',
)

/** _My_ or _our_ after _of_, in French, Spanish, Italian, Portuguese: the rest of a question is too short to show that it is no subject. */
export const maybeOwner =
  '(?: (?:mon|ma|mes|notre|nos|mi[soae]?|miei|n(?:uestr|ostr|oss)[oaie]s?|meus?|minhas?)(?![\\p{L}]))?'

/** "Timeline of" in languages other than English. */
export const timelines = [
  '(?:eine |die )?(?:zeitleiste|zeitstrahl|zeitachse|chronologie) (?:von|vom|der|des|uber|zum|zur|meine[rs]|unsere[rs])',
  '(?:een |de )?(?:tijdlijn|chronologie) (?:van|over)',
  `${anyOf(
    "(?:une |la )?(?:chronologie|frise chronologique) (?:de|du|des|d')",
    // Spanish, Italian and Portuguese
    "(?:una |la |uma |a )?(?:cronologia|lin(?:ea|ha) d(?:el?|o) ti?empo) (?:d(?:el?|i|[eo]gli|ei|ell[oae']|[oa]s?)|sobre)",
  )}${maybeOwner}`,
]

const orderRules = [
  'in (?:what|which) (?:chronological |exact |temporal )?order',
  '(?:the|an|what) order (?:in|that|of) (?:which|i|we|you|events)',
  '(?:chronological|temporal|time) order',
  'chronologically',
  '(?:sequence|order|chain|chronology|timeline) of events',
  `${request}(?:give|show|make|build|create|write|draw|get|provide)(?: me| us)? (?:a|the) (?:\\w+ )?(?:timeline|chronology)`,
  '^(?:a |the )?(?:timeline|chronology) of',
  ...timelines.map((timeline) => `^${timeline}`),
  `${request}(?:zeige?|gib|gebe?|mache?|schreibe?|erstelle?|geef|toon|maak|schrijf|fais|faire|donnez?|montrez?|dresse|haz|hazme|dame|muestrame|fammi|dammi|mostrami|faca|faz|mostre|de-me|da-me)(?: mir| uns| me| mij| ons|-moi|-nous|-me)?(?: bitte)? ${anyOf(...timelines)}`,
  `${request}(?:list|tell|name|walk|give|show|bring|put)(?=[^?!]{1,300} in order(?: ?[,;.?!]|$))`,
  // German and Dutch
  'in welcher reihenfolge',
  'der reihe nach',
  'reihenfolge,? in (?:der|welcher)',
  'zeitlicher reihenfolge',
  'chronologische?[mnrs]?',
  'in welke volgorde',
  'volgorde waarin',
  // French, Spanish, Italian and Portuguese
  'dans quel ordre',
  'ordre dans lequel',
  'ordre chronologique',
  'chronologiquement',
  'en que orden',
  'orden en (?:el )?que',
  'orden cronologico',
  'in (?:che|quale) ordine',
  'ordine in cui',
  'ordine cronologico',
  'em (?:que|qual) ordem',
  'ordem em que',
  'ordem cronologica',
  'cronologicamente',
]

const summaryRules = [
  `${request}(?:summari[sz]e|recap|sum up)`,
  `${request}(?:give|write|provide|make|get|create|show|draft|prepare)(?: me| us)?(?: with)?(?: a| an| the)?(?: [\\w-]+){0,3} (?:summary|overview|recap|rundown)(?! page| slide| table)`,
  'i (?:need|want|would like)(?: a| an| the)?(?: [\\w-]+){0,2} (?:summary|overview|recap) (?:of|about|on)',
  '^(?:a |an )?(?:[\\w-]+ ){0,2}(?:summary|overview|recap) (?:of|about)',
  `${request}tl;?dr(?! (?:is|was|are|were|page|section|file|field|app))`,
  `${request}(?:give|write|provide|make|get|create|show|draft|prepare)(?: me| us)?(?: with)?(?: a| an| the) tl;?dr`,
  '(?:the|a) whole story',
  `${request}sum (?:it|that|this|all that) (?:all )?up`,
  `how did ${rest(80)}go overall`,
  `what (?:have|did|had) (?:we|i) ${rest(60)} so far`,
  'what have we (?:done|covered|discussed|learned|learnt|achieved)',
  // German and Dutch
  `${request}(?:fass|fasse|fassen sie) ${rest(250)}zusammen`,
  `(?:kannst|konntest|konnen|konnten|bitte) ${rest(250)}zusammenfassen`,
  `${request}(?:gib|mach|schreib|schreibe|erstell|erstelle|gebe)(?: mir| uns)?(?: bitte)?(?: eine?n?| den| die)?(?: \\w+){0,2} (?:zusammenfassung|uberblick|ubersicht)`,
  `${request}vat ${rest(250)}samen`,
  `(?:kun|kan|kunt|wil|graag) ${rest(250)}samenvatten`,
  `${request}(?:geef|maak|schrijf)(?: me| mij| ons)?(?: een| het)?(?: \\w+){0,2} (?:samenvatting|overzicht)`,
  '^(?:eine? )?(?:kurze |kurzer |ganze )?(?:zusammenfassung|ubersicht|uberblick) (?:von|vom|der|des|uber|zum|zur|meine[rs]|unsere[rs])',
  '^(?:een )?(?:korte )?(?:samenvatting|overzicht) (?:van|over)',
  // French, Spanish, Italian and Portuguese
  "^(?:un |une )?(?:court |bref |petit |breve )?(?:resume|recapitulatif|synthese|vue d'ensemble) (?:de|du|des|sur|d')",
  '^(?:un |una )?(?:breve |corto )?(?:resumen|sintesis) (?:de|del|sobre)',
  "^(?:un |una )?(?:breve )?(?:riassunto|riepilogo|sintesi) (?:di|del|dello|della|dei|degli|delle|dell'|su|sul|sulla)",
  '^(?:um |uma )?(?:breve )?(?:resumo|sintese) (?:de|do|da|dos|das|sobre)',
  `${request}resume[rz]?(?:-moi|-nous)? (?:ce|tout|toute|tous|le|la|les|nos|notre|mon|ma|mes|comment)`,
  `${request}(?:fais|faire|faites|donne|donner|donnez)(?:-moi|-nous)? (?:un|une|le|la)(?: \\w+)? (?:resume|recapitulatif|synthese|vue d'ensemble|apercu|bilan)`,
  `${request}(?:resume|resumeme|resumir|resumirme) (?:lo|todo|toda|el|la|los|las|mi|mis|nuestr[oa]s?|que|como|o|a|os|as)`,
  `${request}(?:haz|hazme|dame|hacer|hacerme|darme|dar|escribe|prepara) (?:un|una)(?: \\w+)? (?:resumen|sintesis|vision general)`,
  `${request}(?:riassumi|riassumimi|riassumere|riassumermi|riepiloga)`,
  `${request}(?:fammi|dammi|fai|scrivi|preparami|farmi|darmi) (?:un|una|il|la)(?: \\w+)? (?:riassunto|riepilogo|panoramica|sintesi)`,
  `${request}resum[ai]r?(?:-me)? (?:o|a|os|as|tudo|meus?|minhas?|noss[oa]s?|como)`,
  `${request}(?:faca|faz|fazer|de-me|da-me|escreva|prepare)(?:-me)? (?:um|uma)(?: \\w+)? (?:resumo|sintese|visao geral|panorama)`,
]

/** Up to three words between a verb and `first`. */
const between = "(?: [\\p{L}'-]+){0,3}"
/** "Which was first, A or B" in languages other than English. */
const firsts = [
  `(?:was|wer|welche[rs]?${between}) (?:war|kam|geschah|passierte|begann|habe?|haben|hatten?|bin|sind|ist)${between} (?:zuerst|als erste[rs]?)[:,]? ${rest(100)} oder`,
  `(?:wat|wie|welke?${between}) (?:was|waren|kwam|gebeurde|begon|heb|hebben|had|ben|zijn|is)${between} (?:eerst|het eerste?|als eerste?)[:,]? ${rest(100)} of`,
  `(?:qui|que|quoi|lequel|laquelle|quel(?:le)?s?${between}) (?:est|etait|a|fut|j'ai|ai-je|nous avons|s'est)${between} (?:d'abord|en premier|le premier|la premiere)[:,]? ${rest(100)} ou`,
  `(?:que|quien|cual) (?:fue|era|paso|ocurrio|vino|sucedio|llego|empezo|he|hemos|hice|hicimos)${between} primer[oa]?[:,]? ${rest(100)} [ou]`,
  `(?:cosa|chi|quale|che) (?:e|era|fu|venne|successe|accadde|ho|abbiamo)${between} (?:prima(?! d)|per prim[oa])[:,]? ${rest(100)} o`,
  `(?:que|quem|qual) (?:foi|era|veio|aconteceu|ocorreu|chegou|comecou|fiz|fizemos)${between} primeir[oa][:,]? ${rest(100)} ou`,
]

/** The words of `firsts` that are no words of a record. */
export const firstFrames = [
  "(?:zuerst|als erste[rs]?|eerst|als eerste?|d'abord|en premier|primer[oa]|prima|per prim[oa]|primeir[oa])(?=[,:])",
  '(?<=^(?:was|wer|wat|wie|[¿ ]*(?:que|quien)|o que|cosa|chi) (?:war|kam|geschah|passierte|was|kwam|gebeurde|fue|paso|ocurrio|vino|foi|veio|aconteceu|fu|venne|accadde) )(?:zuerst|eerst|primero|prima|primeiro)',
]

/** Weaker signs of an order: a summary may have them too. */
const laterOrderRules = [
  'over time',
  `from the (?:first|beginning|start|very first) ${rest(40)}to the (?:last|latest|end|newest)`,
  `(?:what|which|who) (?:[\\w-]+ ){1,4}first[:,]? ${rest(100)} or`,
  `first ${rest(80)}and (?:what|then)(?! else)`,
  // The past of the others: "was soll ich zuerst bezahlen, A oder B" asks for advice.
  ...firsts,
]

/** A plural, as far as its letters say. */
const plural = '(?![\\w-]*(?:ss|us|is) )[\\w-]{2,}s'

const allRules = [
  `${request}(?:list(?: me| us| out| down)*|enumerate(?: for (?:me|us))?) ${determiner}`,
  `${request}(?:give|show|tell|get|find|name|fetch|return|collect|gather)(?: me| us)? (?:all|every|each|everything)${notDays}`,
  `(?:what|which|who) (?:are|were) (?:all|every)${notDays}`,
  '(?:what|which) (?:are|were) (?:some(?: of)? (?:the|my|our)?|(?:the|my|our) (?:different|various|several|other))(?= )',
  `^all (?:of )?(?:the|my|our)${notDays}`,
  '^everything (?:i|we|you|he|she|they|about|on|that)',
  `how many times${notHabit}`,
  'how often (?:did|have|had|has|was|were)',
  'how many (?:different|distinct|separate|unique|total)',
  `how many ${rest(60)},? and (?:when|what|which|where|who)`,
  `${request}(?:give|show|tell|get|write|make|provide)(?: me| us)? (?:a|the) (?:whole|complete|full) list`,
  `which (?:[\\w-]+ ){0,2}${plural} (?:and ${plural} )?(?:did|have|had) (?:i|we)`,
  `what (?:[\\w-]+ ){0,2}${plural} have (?:i|we)`,
  `how many ${rest(120)}(?:in total|altogether|overall|in all|across (?:my|our|all|the)|throughout)`,
  ...whichListRules,
  listOfRule(request),
  // German and Dutch
  `${request}(?:liste|zahl|zahle) ${rest(250)}auf(?: |,|$|[.?!])`,
  `${request}(?:zeig|zeige|nenn|nenne|gib|sag|such|finde|erzahl|erzahle)(?: mir| uns)?(?: bitte)? (?:alle[smnr]?|samtliche[nrs]?|jede[nrs]?)${notDays}`,
  `(?:kannst|konntest|konnen|konnten) (?:du|sie) ${rest(20)}(?:alle[smnr]?|samtliche[nrs]?) ${rest(250)}(?:zeigen|nennen|geben|auflisten|aufzahlen|suchen)`,
  '(?:^|mir |uns )alles,? (?:was|uber)',
  'wie oft (?:habe?|haben|hatten?|hast|bin|sind|ist|war(?:en|st)?|wurden?|kam|ging)',
  'wie viele (?:verschiedenen?|unterschiedlichen?|male)',
  `wie viele ${rest(120)}insgesamt`,
  `${request}(?:noem|geef|toon|vind|zoek|vertel)(?: me| mij| ons)? (?:alle|elke|iedere|alles)${notDays}`,
  `${request}(?:som|lijst) ${rest(250)}op(?: |$|[.?!])`,
  '^alles (?:wat|over)',
  'hoe vaak (?:heb|hebben|had|hadden|ben|zijn|is|was|waren|ging|deed|werd)',
  'hoeveel (?:verschillende|keer(?! per))',
  `hoeveel ${rest(120)}in totaal`,
  // French
  `${request}(?:liste|listez|lister|enumere|enumerez|enumerer)(?:-moi|-nous)? (?:les|le|la|mes|nos|tous|toutes|tout|ce|chaque)`,
  `${request}(?:donne|donnez|montre|montrez|dis|dites|cite|citez|trouve|trouvez|donner|montrer)(?:-moi|-nous)? (?:tous|toutes|tout|chaque)${notDays}`,
  "^tout ce (?:que|qu')",
  `combien de fois${notHabit}`,
  `combien de ${rest(80)}(?:differente?s|au total|en tout)`,
  // Spanish
  `${request}(?:enumera|enumerar|enumerame|lista|listame|listar) (?:tod[oa]s?|los|las|mis|nuestr[oa]s|cada)`,
  `${request}(?:dame|muestrame|dime|ensename|encuentra|busca|mostrarme|darme) (?:tod[oa]s?|cada)${notDays}`,
  '^todo lo que',
  `cuantas veces${notHabit}`,
  `cuant[oa]s ${rest(80)}(?:diferentes|distint[oa]s|en total)`,
  // Italian
  `${request}(?:elenca|elencami|elencare|elencarmi)`,
  `${request}(?:dammi|mostrami|dimmi|trovami|trova|mostra|mostrarmi|darmi|dirmi) (?:tutt[aeio]|ogni)${notDays}`,
  '^tutto (?:quello|cio) che',
  `quante volte${notHabit}`,
  `quant[ei] ${rest(80)}(?:divers[ei]|differenti|in totale)`,
  // Portuguese
  `${request}(?:liste|lista|listar|enumere|enumera|enumerar)(?:-me)? (?:tod[oa]s|tudo|os|as|meus|minhas|cada)`,
  `${request}(?:mostre|mostra|diga|diz|encontre|de-me|da-me|mostrar|mostre-me|diga-me)(?:-me)? (?:tod[oa]s?|tudo|cada)${notDays}`,
  '^tudo o que',
  `quantas vezes${notHabit}`,
  `quant[oa]s ${rest(80)}(?:diferentes|no total|ao todo)`,
]

/** A rule matches whole words only; after an apostrophe the next word begins (`chronologie d'Athenes`). */
const compile = (rules: readonly string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}-])${anyOf(...rules)}(?:(?<=')|(?![\\p{L}\\p{N}]))`, 'u')

/** The first that matches decides: "list the order in which" asks for an order. */
const wants: readonly (readonly [Want, RegExp])[] = [
  ['order', compile(orderRules)],
  ['summary', compile(summaryRules)],
  ['order', compile(laterOrderRules)],
  ['all', compile(allRules)],
]

/** Returns what the words of `text` ask for; `best` if they ask for no whole, and for a text of more than 1,000 units. */
export function wantOf(text: string): Want {
  if (text.length > maxQuestionLength) return 'best'
  const plain = fold(text)
    .replace(/[’‘]/g, "'")
    .replace(/[\s¿¡"“”«»]+/g, ' ')
    .trim()
  return wants.find(([, rule]) => rule.test(plain))?.[0] ?? 'best'
}
