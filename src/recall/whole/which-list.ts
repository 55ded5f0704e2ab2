// The rules for "which books have I read" in languages other than English: a question for several things that its asker
// did. Pure. Sources of regular expressions over folded text.
// Invariant: the noun is plural, or the question word is. A form that is singular too ("welche Farbe") is no list.

const letters = "[\\p{L}'-]"
const word = `${letters}+ `
const begin = '(?<=^|[.!?;:] |¿)'

/** German feminine singulars end like these plurals; plurals in -e are listed, because most feminine singulars have that end. */
const germanPlural =
  `(?!(?:\\p{L}*(?:nummer|mutter|tochter|schwester|feder|steuer|mauer|leiter|feier|kammer|oper|basis|praxis|maus|gans|butter|jeans)) )` +
  `(?:\\p{L}{2,}(?:en|ern|eln|er|s)|\\p{L}*(?:orte|filme|stadte|spiele|rezepte|gerichte|weine|projekte|termine|plane|programme|` +
  'probleme|geschenke|konzerte|berge|freunde|arzte|tiere|ausfluge|fluge|kurse|gerate|vertrage|werke|ereignisse|ergebnisse))'

/** Dutch nouns with `de` are singular after `welke` too: some end in -en, `koers` like a plural in -s. */
const dutchPlural =
  '(?!\\p{L}*(?:keuken|haven|oven|wagen|molen|deken|reden|regen|toren|koers) )' +
  "(?:\\p{L}+(?:en|'s|ies|jes|pps|ilms|ants|ents|eams|ongs)|\\p{L}{3,}(?:els|ers|ens|ems))"

/** Spanish and Portuguese have `que` before singulars too. */
const iberianPlural =
  '(?!(?:mas|mais|menos|pais|interes|ingles|frances|estres|martes|jueves|seis|tres|dois|antes|depois) )' +
  `${letters}{2,}(?:[oae]s|ns|[aou]is)`

/** Folded, `compré` is `compre`, which is another form: only common verbs count in this tense. */
const spanishVerbs =
  'he|hemos|habia|habiamos|lei|leimos|vi|vimos|visite|visitamos|hice|hicimos|compre|compramos|comi|comimos|probe|probamos|' +
  'conoci|conocimos|tuve|tuvimos|escribi|escribimos|mencione|mencionamos|escuche|escuchamos'
const portugueseVerbs =
  '(?:eu |nos |ja )*(?:\\p{L}{2,}ei|\\p{L}{2,}(?:amos|emos|imos)|li|vi|fui|fiz|tive|comi|bebi|escrevi|assisti|conheci|ouvi|recebi|' +
  'pedi|vendi|perdi|aprendi|descobri|tenho|tinha)'

export const whichListRules = [
  // German and Dutch. An adjective in -en shows the plural.
  `welche (?:${letters}+en \\p{L}+|${germanPlural})(?: und ${letters}+)? (?:habe?|haben|hatten?|bin|sind|war|waren) (?:ich|wir)`,
  // After these prepositions, and for a place where someone was, a singular is "welchem" or "welcher".
  `(?:mit|bei|von|zu|aus|nach) welchen (?:${word}){1,2}(?:habe?|haben|hatten?|bin|sind|war|waren) (?:ich|wir)`,
  `(?:in|auf|an) welchen (?:${word}){1,2}(?:war|waren) (?:ich|wir)`,
  `welke (?:${letters}+e )?${dutchPlural}(?: en ${letters}+)? (?:heb|hebben|had|hadden|ben|zijn|was|waren) (?:ik|we|wij)`,
  // French and Italian: the question word is plural.
  `quel(?:le)?s (?:${word}){1,4}(?:ai-je|avais-je|avons-nous|avions-nous|suis-je|sommes-nous|est-ce que (?:j'ai|je suis|nous avons|nous sommes|on a)|j'ai|nous avons|on a)`,
  `quali (?:${word}){1,4}(?:ho|abbiamo|avevo|avevamo|sono (?:stat|andat)[oaie]|siamo)`,
  // Spanish and Portuguese
  `(?:${begin}(?:(?:en|em|a|de|con|com|por|para) )?que (?:(?:outr|otr)[oa]s )?${iberianPlural}|cuales ${letters}+|quais ${letters}+) (?:${word}){0,3}(?:${spanishVerbs}|${portugueseVerbs})`,
]

/** The question word, and the verb with its person. */
export const whichListFrames = [
  `${begin}(?:(?:en|em|a|de|con|com|por|para|in|mit|bei|von|zu|aus|nach|auf|an|dans) )?(?:welchen?|welke|quelles|quels|quali|que|cuales|quais)(?= )`,
  '(?:habe?|haben|hatten?) (?:ich|wir)',
  '(?:heb|hebben|had|hadden) (?:ik|we|wij)',
  "(?:ai-je|avais-je|avons-nous|avions-nous|est-ce que (?:j'ai|nous avons|on a))",
]
