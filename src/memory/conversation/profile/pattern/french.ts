// Patterns of French sentences about their speaker.
import {
  createNamePattern,
  createPattern,
  placeName,
  properName,
  type FactPattern,
  value,
  valueList,
} from './fact-pattern.ts'

const month = '(?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre)'
const date = String.raw`(?:1er|\d{1,2}) ${month}(?: \d{4})?`
const condition =
  'diabète(?: de type [12])?|asthme|épilepsie|migraines?|arthrite|arthrose|tdah|autisme|dépression|hypertension|maladie cœliaque|parkinson|alzheimer|démence|cancer(?: [^.!?;,]{1,20})?|eczéma|psoriasis|sclérose en plaques|apnée du sommeil'
const job = String.raw`(?!(?:optimiste|pessimiste|féministe|réaliste|triste|meilleure?|majeure?|mineure?|supérieure?|inférieure?)(?![\p{L}]))(?<v>[\p{L}-]+(?:eur|euse|iste|trice|logue)|musicien(?:ne)?|informaticien(?:ne)?|électricien(?:ne)?|pharmacien(?:ne)?|mécanicien(?:ne)?|technicien(?:ne)?|chirurgien(?:ne)?|gardien(?:ne)?|comédien(?:ne)?|historien(?:ne)?|opticien(?:ne)?|médecin|avocate?|architecte|infirmi(?:er|ère)|boulang(?:er|ère)|cuisini(?:er|ère)|étudiante?|enseignante?|assistante?|comptable|pilote|notaire|vétérinaire)(?![\p{L}])`
const language =
  '(?:anglais|français|allemand|espagnol|italien|portugais|breton|basque|catalan|occitan|corse|russe|polonais|tchèque|arabe|hébreu|chinois|mandarin|japonais|coréen|hindi|ourdou|turc|grec|latin|néerlandais|flamand|suédois|norvégien|danois|finnois|roumain|hongrois|ukrainien|persan|vietnamien|thaï|wolof|irlandais|gallois)'
const article = String.raw`(?:le |la |les |l['’]|du |de la |des )?`
const atAllergen = String.raw`(?:à la|à l['’]|aux|au|à) ?`

export const french: readonly FactPattern[] = [
  createNamePattern('home', String.raw`je n['’]habite (?:plus|pas) (?:à|en|au|aux|dans) `, placeName, true),
  createNamePattern('home', String.raw`je ne vis (?:plus|pas) (?:à|en|au|aux|dans) `, placeName, true),
  createNamePattern(
    'home',
    String.raw`(?:j['’]habite|je vis|nous habitons|on habite)(?: maintenant)? (?:à|en|au|aux|dans) `,
    placeName,
  ),
  createNamePattern(
    'home',
    String.raw`(?:j['’]ai déménagé|je viens de déménager|nous avons déménagé) (?:de [^.!?;,]{1,40}? )?(?:à|en|au|aux) `,
    placeName,
  ),
  createNamePattern(
    'origin',
    String.raw`je (?:suis originaire de |suis originaire d['’]|viens de |viens d['’])`,
    placeName,
  ),
  createNamePattern('origin', String.raw`je suis née? (?:le [^.!?;,]{1,30}? )?(?:à|en|au) `, placeName),
  createPattern('birthday', String.raw`(?:mon anniversaire est le|je suis née? le) (?<v>${date})`),
  createPattern('birthday', String.raw`je suis née? en (?<v>\d{4})`),
  createPattern('age', String.raw`j['’]ai (?<v>\d{1,3}) ans`),

  createNamePattern('employer', String.raw`je ne travaille (?:plus|pas) (?:chez|pour) `, properName, true),
  createNamePattern(
    'employer',
    String.raw`je travaille (?:comme [^.!?;,]{1,40}? )?(?:chez|pour) `,
    properName,
  ),
  createPattern(
    'job',
    String.raw`je travaille (?:chez [^.!?;,]{1,40}? |à [^.!?;,]{1,40}? )?(?:comme|en tant que) (?:une? )?(?<v>[\p{L}-]+)(?![\p{L}])`,
  ),
  createPattern('job', String.raw`je suis (?:une? )?${job}`),
  createPattern('diet', String.raw`je ne suis (?:pas|plus) (?<v>végétarien(?:ne)?|végane?|vegan)`, true),
  createPattern(
    'diet',
    String.raw`je suis (?:maintenant |devenue? )?(?<v>végétarien(?:ne)?|végane?|vegan)(?![\p{L}])`,
  ),
  createPattern('avoids', String.raw`je ne (?:mange|bois) (?:pas|plus|jamais) (?:de |d['’])${valueList}`),
  createPattern(
    'allergic to',
    String.raw`je ne suis (?:pas|plus) allergique ${atAllergen}${valueList}`,
    true,
  ),
  createPattern(
    'allergic to',
    String.raw`je suis (?:très |aussi )?allergique ${atAllergen}(?!rien)${valueList}`,
  ),
  createPattern('health', String.raw`j['’]ai ${article}(?:une |un )?(?<v>${condition})(?![\p{L}])`),
  createPattern('health', String.raw`je souffre (?:de |d['’])${article}${value}`),

  createNamePattern('name', String.raw`(?:je m['’]appelle|mon nom est|appelle-moi|appelez-moi) `, properName),
  createPattern('contact', String.raw`ne m['’](?<v>appelle|appelez)(?: pas| jamais)(?=$|[.!?;,])`, true),
  createPattern(
    'contact',
    String.raw`(?:écris|écrivez)-moi (?:plutôt )?(?:un |par )?(?<v>e-?mail|mail|courriel|sms|message)`,
  ),
  createPattern(
    'plan',
    String.raw`le (?<v>${date},? (?:je pars|nous partons|je m['’]envole|je déménage|nous déménageons|je me marie|nous nous marions|je vais|nous allons|je commence|je rends visite)[^.!?;,]{0,60})`,
  ),
  createPattern(
    'plan',
    String.raw`(?:je|nous) (?<v>(?:pars|partons|déménage|déménageons|me marie|nous marions|commence)(?: [^.!?;,]{1,40}?)? le ${date})`,
  ),
  createPattern(
    'children',
    String.raw`(?:j['’]ai|nous avons) (?:[\p{L}]+ )?(?:enfants|fils|filles)[:,] ${valueList}`,
  ),
  createPattern(
    'speaks',
    String.raw`je ne parle (?:pas|plus) (?:le |l['’]|du tout )?(?<v>${language})`,
    true,
  ),
  createPattern(
    'speaks',
    String.raw`je parle (?:[^.!?;,]{1,20} )??(?<v>${language}(?:(?: et |, )(?:un peu (?:de |d['’])?)?(?:le |l['’])?${language}){0,8})`,
  ),
  createPattern(
    'favourite',
    String.raw`(?:mon|ma) (?<k>\p{L}{2,30}) préférée? est (?:le |la |les |l['’])?${value}`,
  ),
  createPattern(
    'dislikes',
    String.raw`je (?:n['’]aime pas|déteste) (?!(?:que|quand|ça|cela)(?![\p{L}]))${article}${valueList}`,
  ),
  createPattern(
    'likes',
    String.raw`j['’](?:aime|adore) (?!(?:pas|que|quand|ça|cela|tout|te|vous)(?![\p{L}]))(?:bien |beaucoup )?${article}${valueList}`,
  ),
]
