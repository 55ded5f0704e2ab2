// Finds facts that users state about themselves, by patterns, without a model: in English, German, French and
// Spanish, and in simple forms of Japanese and Chinese. Text that matches no pattern is ignored.
import { type Line, isUser } from '../message/history.ts'
import { sentencesOf } from '../../../core/text/content-word.ts'
import { fold } from '../../../core/text/fold.ts'

/** One statement about a user. */
export interface Statement {
  readonly attribute: string
  readonly value: string
  /** True if the user states that the value is no longer true. */
  readonly denied: boolean
}

/**
 * True for attributes with one value at a time. Each `favourite …` and each `name of …` is an attribute of its own.
 */
export function isSingle(attribute: string): boolean {
  return single.has(attribute) || attribute.startsWith('favourite ') || attribute.startsWith('name of ')
}
const single = new Set(['name', 'home', 'origin', 'job', 'employer', 'birthday', 'age', 'diet'])

/** Attributes that exclude each other for the same value. */
export const opposites: Readonly<Record<string, string>> = { likes: 'dislikes', dislikes: 'likes' }

/** A pattern with the group `v` for the value and, if the attribute depends on the text, the group `k`. */
interface Rule {
  readonly attribute: string
  readonly pattern: RegExp
  readonly denied?: true
}

// A value ends at the end of the clause.
const stop = String.raw`(?=$|[.!?;:()\n…]|,? (?:and|but|because|so|since|which|who|und|aber|weil|denn|et|mais|parce|y|pero|porque)(?: |$)|,)`
const value = String.raw`(?<v>[\p{L}\p{N}][^.!?;:()\n,]{0,80}?)`
const proper = String.raw`(?<v>\p{Lu}[\p{L}'’.-]*(?: (?:(?:de|da|del|la|van|von|der|den|al|bin) )?\p{Lu}[\p{L}'’.-]*){0,4})`
const place = String.raw`(?<v>(?:the |den |die |das |la |le |les |el |los |las )?\p{Lu}[\p{L}'’.-]*(?:[ -](?:(?:de|da|del|la|am|an|der|sur|upon)[ -])?\p{Lu}[\p{L}'’.-]*){0,4})`
const occupation =
  'accountant|actor|actress|analyst|architect|artist|attorney|baker|barista|biologist|carpenter|chef|chemist|coach|consultant|cook|' +
  'dentist|designer|developer|director|doctor|driver|economist|editor|electrician|engineer|farmer|firefighter|founder|freelancer|' +
  'gardener|geologist|historian|illustrator|journalist|lawyer|lecturer|librarian|linguist|manager|mathematician|mechanic|musician|' +
  'nurse|painter|paramedic|pharmacist|photographer|physicist|physiotherapist|pianist|pilot|plumber|policeman|policewoman|postdoc|' +
  'producer|professor|programmer|psychologist|researcher|salesman|salesperson|scientist|secretary|singer|student|surgeon|tailor|' +
  'teacher|technician|therapist|translator|veterinarian|vet|waiter|waitress|writer'
const kin =
  'wife|husband|partner|girlfriend|boyfriend|son|daughter|mother|mom|mum|father|dad|brother|sister|dog|cat|horse|boss|manager|friend'

const make = (attribute: string, pattern: string, denied?: true): Rule => ({
  attribute,
  pattern: new RegExp(pattern, 'iu'),
  ...(denied ? { denied } : {}),
})
/**
 * Makes a rule for a name or a place. Capitals identify the name, so only the words before it match in any case.
 */
const makeProper = (attribute: string, before: string, name: string, denied?: true): Rule => ({
  attribute,
  pattern: new RegExp(`(?<![\\p{L}\\p{N}])${anyCase(before)}${name}`, 'u'),
  ...(denied ? { denied } : {}),
})
const from = String.raw`(?<![\p{L}\p{N}])`
const always = String.raw`(?:really |also |just |absolutely |still |do )*`

/** Rules in order of precedence. Each is tried once on each sentence. */
const rules: readonly Rule[] = [
  // Denials come first: without the denial, the same words would state the opposite.
  makeProper('home', String.raw`i (?:no longer live|don['’]?t live|do not live) in `, place, true),
  makeProper('home', String.raw`ich (?:wohne|lebe) nicht mehr in `, place, true),
  makeProper('home', String.raw`je n['’](?:habite|habites) plus (?:à|en|au|aux) `, place, true),
  makeProper('home', String.raw`ya no vivo en `, place, true),
  makeProper(
    'employer',
    String.raw`i (?:no longer work|don['’]?t work|stopped working|quit working|do not work) (?:at|for) `,
    place,
    true,
  ),
  makeProper('employer', String.raw`ich arbeite nicht mehr (?:bei|für) `, place, true),
  make(
    'diet',
    String.raw`${from}i(?:['’]m| am) (?:not|no longer) (?:a )?(?<v>vegan|vegetarian|pescatarian)`,
    true,
  ),
  make(
    'likes',
    String.raw`${from}i (?:no longer|stopped) (?:like|liking|love|loving|enjoy|enjoying) ${value}${stop}`,
    true,
  ),
  make(
    'dislikes',
    String.raw`${from}i ${always}(?:don['’]?t (?:really )?(?:like|enjoy)|do not like|dislike|hate|can['’]?t stand|can not stand|cannot stand) ${value}${stop}`,
  ),
  make('dislikes', String.raw`${from}ich (?:mag (?:kein(?:e|en)?|nicht)|hasse) ${value}${stop}`),
  make('dislikes', String.raw`${from}je (?:n['’]aime pas|déteste) (?:le |la |les |l['’])?${value}${stop}`),
  make('dislikes', String.raw`${from}(?:no me gustan?|odio) (?:el |la |los |las )?${value}${stop}`),

  makeProper(
    'name',
    String.raw`(?:my (?:full |first )?name is|my name['’]s|call me|i['’]?m called|i am called|i go by) `,
    proper,
  ),
  makeProper(
    'name',
    String.raw`(?:ich hei(?:ß|ss)e|mein name ist|nenn mich|je m['’]appelle|mon nom est|me llamo|mi nombre es) `,
    proper,
  ),
  make(
    'name',
    String.raw`(?:私の名前は|我叫|我的名字是|我的名字叫)(?<v>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{L}ー]{1,20}?)(?:です|と申します|$|[。，、.!])`,
  ),

  makeProper(
    'home',
    String.raw`(?:i (?:currently |now |still |actually )*(?:live|reside|stay) in|i['’]?m (?:now |currently )*(?:based|living) in|i am (?:now |currently )*(?:based|living) in|i(?:['’]ve| have)? (?:just |recently )*(?:moved|relocated) to) `,
    place,
  ),
  makeProper(
    'home',
    String.raw`(?:(?:ich|und) (?:wohne|lebe)(?: jetzt| nun| derzeit)? in|ich bin (?:gerade |vor kurzem )?(?:nach|in die|in den)) `,
    `${place}(?: gezogen)?`,
  ),
  makeProper(
    'home',
    String.raw`(?:j['’]habite(?: maintenant)?|je vis(?: maintenant)?|j['’]ai déménagé) (?:à|en|au|aux|dans) `,
    place,
  ),
  makeProper('home', String.raw`(?:(?:ahora )?vivo en|me mudé a|me he mudado a) `, place),
  make('home', String.raw`我(?:现在)?住在(?<v>\p{Script=Han}{2,12})`),
  make('home', String.raw`(?<v>[\p{Script=Han}\p{Script=Katakana}]{2,12})に住んで`),

  makeProper(
    'origin',
    String.raw`(?:i(?:['’]m| am) (?:originally )?from|i come from|ich (?:komme|stamme) aus|je (?:viens|suis originaire) d(?:e |['’])|soy de|vengo de) ?`,
    place,
  ),
  make('employer', String.raw`${from}i (?:now |currently )*work (?:at|for) ${value}${stop}`),
  makeProper('employer', String.raw`ich arbeite (?:jetzt )?bei `, place),
  makeProper('employer', String.raw`(?:je travaille (?:chez|pour)|trabajo (?:en|para)) `, place),
  make(
    'job',
    String.raw`${from}i (?:now |currently )*work as (?:an? |the )?${value}(?= (?:at|for|in|with) |$|[.!?;:()\n,])`,
  ),
  make(
    'job',
    String.raw`${from}i(?:['’]m| am) (?:now )?(?:an? |the )(?<v>(?:[\p{L}-]+ ){0,3}(?:${occupation}))(?![\p{L}])`,
  ),
  make(
    'job',
    String.raw`${from}ich (?:bin|arbeite als) (?<v>\p{Lu}[\p{L}-]+(?:in|er|or|ist|eur|ent|loge|login|arzt|ärztin))(?![\p{L}])`,
  ),
  make(
    'job',
    String.raw`${from}(?:je suis|soy|trabajo como|je travaille comme) (?:une? |un |una )?(?<v>[\p{L}-]+(?:eur|euse|ien|ienne|iste|ista|ero|era|or|ora|ecin|nte|ogo|oga))(?![\p{L}])`,
  ),
  make(
    'birthday',
    String.raw`${from}(?:my birthday is(?: on)?|i was born (?:on|in)) (?<v>[\p{L}\p{N}][\p{L}\p{N} ,./-]{1,30}?)(?=$|[.!?;:()\n]|, (?!\d)| and | but )`,
  ),
  make('birthday', String.raw`${from}(?:ich habe am (?<v>[\p{N}][\p{L}\p{N}. ]{1,20}?) geburtstag)`),
  make(
    'birthday',
    String.raw`${from}(?:mon anniversaire est le|mi cumpleaños es el) (?<v>[\p{N}][\p{L}\p{N} ]{1,30}?)(?=$|[.!?;:,])`,
  ),
  make('age', String.raw`${from}(?:i(?:['’]m| am)|ich bin) (?<v>\d{1,3}) (?:years old|jahre alt)`),
  make('age', String.raw`${from}(?:j['’]ai|tengo) (?<v>\d{1,3}) (?:ans|años)`),
  make(
    'diet',
    String.raw`${from}(?:i(?:['’]m| am)|i(?:['’]ve| have) (?:become|gone)|ich bin|je suis|soy) (?:now |a |an |jetzt )*(?<v>vegan(?:er|erin|e|o|a)?|vegetarian(?:o|a)?|vegetarier(?:in)?|végétarien(?:ne)?|végane?|pescatarian)(?![\p{L}])`,
  ),
  make(
    'allergic to',
    String.raw`${from}(?:allergic to|allergisch gegen|allergique (?:à la|à l['’]|au|aux|à)|alérgic[oa] (?:a la|a los|a las|al|a)) ?${value}${stop}`,
  ),
  make(
    'speaks',
    String.raw`${from}i (?:also )?speak (?:fluent |some |a little |native )*(?<v>\p{Lu}\p{L}+(?:(?:,| and|, and) \p{Lu}\p{L}+){0,8})`,
  ),
  make(
    'favourite',
    String.raw`${from}my (?:all[- ]time )?favou?rite (?<k>[\p{L} ]{2,30}?) (?:is|are) ${value}${stop}`,
  ),
  make('favourite', String.raw`${from}meine? lieblings(?<k>\p{L}{2,30}) ist ${value}${stop}`),
  make(
    'favourite',
    String.raw`${from}(?:mon|ma) (?<k>\p{L}{2,30}) préférée? est (?:le |la |les |l['’])?${value}${stop}`,
  ),
  make(
    'favourite',
    String.raw`${from}mi (?<k>\p{L}{2,30}) (?:favorit[oa]|preferid[oa]) es (?:el |la |los |las )?${value}${stop}`,
  ),
  makeProper('name of', String.raw`my (?<k>${kin})(?: is (?:called|named)|['’]s name is) `, proper),
  makeProper('name of', String.raw`(?:a|an|my|our) (?<k>${kin}) (?:called|named) `, proper),
  make(
    'likes',
    String.raw`${from}i(?:['’]m| am)? ${always}(?:like|love|enjoy|adore|prefer|fond of|into) (?!(?:you|it|that|this|them|him|her|to know|to see)(?!\p{L}))${value}${stop}`,
  ),
  make(
    'likes',
    String.raw`${from}ich (?:mag|liebe) (?!kein|nicht|dich|es )(?:sehr |gerne? )?${value}${stop}`,
  ),
  make(
    'likes',
    String.raw`${from}(?:j['’](?:aime|adore)) (?!pas )(?:bien |beaucoup )?(?:le |la |les |l['’])?${value}${stop}`,
  ),
  make(
    'likes',
    String.raw`(?<!no )(?<![\p{L}])(?:me gustan?|me encantan?) (?:el |la |los |las )?${value}${stop}`,
  ),
  make(
    'note',
    String.raw`${from}(?:please )?(?:remember|note|keep in mind|don['’]?t forget)(?: that|:) (?<v>[^\n]{3,300}?)[.!]?$`,
  ),
  make(
    'note',
    String.raw`${from}(?:bitte )?merk(?:e)? dir,? (?:bitte,? )?(?:dass|:) ?(?<v>[^\n]{3,300}?)[.!]?$`,
  ),
]

/** Statements of a sentence about its speaker. */
export function statementsOf(sentence: string): Statement[] {
  // A question or a condition states nothing.
  if (/[?？]\s*$/.test(sentence) || /^\s*(?:if|wenn|si)\b/iu.test(sentence)) return []
  const text = sentence.replaceAll(/\s+/g, ' ').slice(0, 1000)
  const found: Statement[] = []
  for (const { attribute, pattern, denied = false } of rules) {
    const { groups } = pattern.exec(text) ?? {}
    const matched = groups?.['v'] ?? ''
    const key = groups?.['k'] === undefined ? attribute : `${attribute} ${fold(groups['k'].trim())}`
    for (const one of attribute === 'speaks' ? matched.split(/,? and |, /) : [matched]) {
      const value = attribute === 'note' ? one.trim() : tidy(one)
      const isStated = found.some((other) => other.attribute === key && !isSpoken(key))
      const isDenied = found.some(
        (other) => opposites[other.attribute] === key && fold(other.value) === fold(value),
      )
      if (value !== '' && !isStated && !isDenied) found.push({ attribute: key, value, denied })
    }
  }
  return found
}

const isSpoken = (attribute: string) => attribute === 'speaks'

/** Statements in the lines of persons, in order, each with its line. */
export function findStatements(lines: readonly Line[]): { statement: Statement; line: Line }[] {
  return lines
    .filter(isUser)
    .flatMap((line) =>
      sentencesOf(line.content).flatMap((sentence) =>
        statementsOf(sentence).map((statement) => ({ statement, line })),
      ),
    )
}

function tidy(value: string): string {
  return value
    .replace(/^(?:the|a|an|to|der|die|das|le|la|les|el|los|las) (?=\p{Ll})/u, '')
    .replace(
      /(?: (?:now|too|as well|very much|a lot|anymore|any more|these days|at the moment|right now|jetzt|sehr|gerne?|gezogen))+$/iu,
      '',
    )
    .replaceAll(/^[\s"'“”‘’.-]+|[\s"'“”‘’.-]+$/g, '')
}

/** Returns `text`, a pattern, with each letter replaced by a class of its lower and upper case. */
function anyCase(text: string): string {
  return text.replaceAll(/\\.|\(\?(?:<\w+>|[:=!<]+)|\p{L}/gu, (part) =>
    part.length > 1 || part.toLowerCase() === part.toUpperCase()
      ? part
      : `[${part.toLowerCase()}${part.toUpperCase()}]`,
  )
}
