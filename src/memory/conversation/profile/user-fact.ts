// Finds facts that users state about themselves, by patterns, without a model: in English, German, French and
// Spanish, and in simple forms of Japanese and Chinese. Text that matches no pattern is ignored.
import { type HistoryLine, isUser } from '../message/history.ts'
import { sentencesOf } from '../../../core/text/content-word.ts'
import { fold } from '../../../core/text/fold.ts'
import { opposites, type Statement } from './statement.ts'

/** A pattern with the group `v` for the value and, if the attribute depends on the text, the group `k`. */
interface Rule {
  /** With a group `k`, the attribute is this text and the group: `favourite colour`. */
  readonly attribute: string
  readonly pattern: RegExp
  /** True: the pattern states that the value is no longer true. */
  readonly denied?: true
}

// A value ends at the end of the clause.
const clauseEnd = String.raw`(?=$|[.!?;:()\n…]|,? (?:and|but|because|so|since|which|who|und|aber|weil|denn|et|mais|parce|y|pero|porque)(?: |$)|,)`
const valuePattern = String.raw`(?<v>[\p{L}\p{N}][^.!?;:()\n,]{0,80}?)`
const properName = String.raw`(?<v>\p{Lu}[\p{L}'’.-]*(?: (?:(?:de|da|del|la|van|von|der|den|al|bin) )?\p{Lu}[\p{L}'’.-]*){0,4})`
const placeName = String.raw`(?<v>(?:the |den |die |das |la |le |les |el |los |las )?\p{Lu}[\p{L}'’.-]*(?:[ -](?:(?:de|da|del|la|am|an|der|sur|upon)[ -])?\p{Lu}[\p{L}'’.-]*){0,4})`
const occupation =
  'accountant|actor|actress|analyst|architect|artist|attorney|baker|barista|biologist|carpenter|chef|chemist|coach|consultant|cook|' +
  'dentist|designer|developer|director|doctor|driver|economist|editor|electrician|engineer|farmer|firefighter|founder|freelancer|' +
  'gardener|geologist|historian|illustrator|journalist|lawyer|lecturer|librarian|linguist|manager|mathematician|mechanic|musician|' +
  'nurse|painter|paramedic|pharmacist|photographer|physicist|physiotherapist|pianist|pilot|plumber|policeman|policewoman|postdoc|' +
  'producer|professor|programmer|psychologist|researcher|salesman|salesperson|scientist|secretary|singer|student|surgeon|tailor|' +
  'teacher|technician|therapist|translator|veterinarian|vet|waiter|waitress|writer'
const kinWords =
  'wife|husband|partner|girlfriend|boyfriend|son|daughter|mother|mom|mum|father|dad|brother|sister|dog|cat|horse|boss|manager|friend'

/** Makes a rule that matches in any case. */
const createRule = (attribute: string, pattern: string, denied?: true): Rule => ({
  attribute,
  pattern: new RegExp(pattern, 'iu'),
  ...(denied ? { denied } : {}),
})
/**
 * Makes a rule for a name or a place. Capitals identify the name, so only the words before it match in any case.
 */
const createNameRule = (attribute: string, prefix: string, name: string, denied?: true): Rule => ({
  attribute,
  pattern: new RegExp(`(?<![\\p{L}\\p{N}])${anyCase(prefix)}${name}`, 'u'),
  ...(denied ? { denied } : {}),
})
const wordStart = String.raw`(?<![\p{L}\p{N}])`
const adverbs = String.raw`(?:really |also |just |absolutely |still |do )*`

/** Rules in order of precedence. Each is tried once on each sentence. */
const rules: readonly Rule[] = [
  // Denials come first: without the denial, the same words would state the opposite.
  createNameRule('home', String.raw`i (?:no longer live|don['’]?t live|do not live) in `, placeName, true),
  createNameRule('home', String.raw`ich (?:wohne|lebe) nicht mehr in `, placeName, true),
  createNameRule('home', String.raw`je n['’](?:habite|habites) plus (?:à|en|au|aux) `, placeName, true),
  createNameRule('home', String.raw`ya no vivo en `, placeName, true),
  createNameRule(
    'employer',
    String.raw`i (?:no longer work|don['’]?t work|stopped working|quit working|do not work) (?:at|for) `,
    placeName,
    true,
  ),
  createNameRule('employer', String.raw`ich arbeite nicht mehr (?:bei|für) `, placeName, true),
  createRule(
    'diet',
    String.raw`${wordStart}i(?:['’]m| am) (?:not|no longer) (?:a )?(?<v>vegan|vegetarian|pescatarian)`,
    true,
  ),
  createRule(
    'likes',
    String.raw`${wordStart}i (?:no longer|stopped) (?:like|liking|love|loving|enjoy|enjoying) ${valuePattern}${clauseEnd}`,
    true,
  ),
  createRule(
    'dislikes',
    String.raw`${wordStart}i ${adverbs}(?:don['’]?t (?:really )?(?:like|enjoy)|do not like|dislike|hate|can['’]?t stand|can not stand|cannot stand) ${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'dislikes',
    String.raw`${wordStart}ich (?:mag (?:kein(?:e|en)?|nicht)|hasse) ${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'dislikes',
    String.raw`${wordStart}je (?:n['’]aime pas|déteste) (?:le |la |les |l['’])?${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'dislikes',
    String.raw`${wordStart}(?:no me gustan?|odio) (?:el |la |los |las )?${valuePattern}${clauseEnd}`,
  ),

  createNameRule(
    'name',
    String.raw`(?:my (?:full |first )?name is|my name['’]s|call me|i['’]?m called|i am called|i go by) `,
    properName,
  ),
  createNameRule(
    'name',
    String.raw`(?:ich hei(?:ß|ss)e|mein name ist|nenn mich|je m['’]appelle|mon nom est|me llamo|mi nombre es) `,
    properName,
  ),
  createRule(
    'name',
    String.raw`(?:私の名前は|我叫|我的名字是|我的名字叫)(?<v>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{L}ー]{1,20}?)(?:です|と申します|$|[。，、.!])`,
  ),

  createNameRule(
    'home',
    String.raw`(?:i (?:currently |now |still |actually )*(?:live|reside|stay) in|i['’]?m (?:now |currently )*(?:based|living) in|i am (?:now |currently )*(?:based|living) in|i(?:['’]ve| have)? (?:just |recently )*(?:moved|relocated) to) `,
    placeName,
  ),
  createNameRule(
    'home',
    String.raw`(?:(?:ich|und) (?:wohne|lebe)(?: jetzt| nun| derzeit)? in|ich bin (?:gerade |vor kurzem )?(?:nach|in die|in den)) `,
    `${placeName}(?: gezogen)?`,
  ),
  createNameRule(
    'home',
    String.raw`(?:j['’]habite(?: maintenant)?|je vis(?: maintenant)?|j['’]ai déménagé) (?:à|en|au|aux|dans) `,
    placeName,
  ),
  createNameRule('home', String.raw`(?:(?:ahora )?vivo en|me mudé a|me he mudado a) `, placeName),
  createRule('home', String.raw`我(?:现在)?住在(?<v>\p{Script=Han}{2,12})`),
  createRule('home', String.raw`(?<v>[\p{Script=Han}\p{Script=Katakana}]{2,12})に住んで`),

  createNameRule(
    'origin',
    String.raw`(?:i(?:['’]m| am) (?:originally )?from|i come from|ich (?:komme|stamme) aus|je (?:viens|suis originaire) d(?:e |['’])|soy de|vengo de) ?`,
    placeName,
  ),
  createRule(
    'employer',
    String.raw`${wordStart}i (?:now |currently )*work (?:at|for) ${valuePattern}${clauseEnd}`,
  ),
  createNameRule('employer', String.raw`ich arbeite (?:jetzt )?bei `, placeName),
  createNameRule('employer', String.raw`(?:je travaille (?:chez|pour)|trabajo (?:en|para)) `, placeName),
  createRule(
    'job',
    String.raw`${wordStart}i (?:now |currently )*work as (?:an? |the )?${valuePattern}(?= (?:at|for|in|with) |$|[.!?;:()\n,])`,
  ),
  createRule(
    'job',
    String.raw`${wordStart}i(?:['’]m| am) (?:now )?(?:an? |the )(?<v>(?:[\p{L}-]+ ){0,3}(?:${occupation}))(?![\p{L}])`,
  ),
  createRule(
    'job',
    String.raw`${wordStart}ich (?:bin|arbeite als) (?<v>\p{Lu}[\p{L}-]+(?:in|er|or|ist|eur|ent|loge|login|arzt|ärztin))(?![\p{L}])`,
  ),
  createRule(
    'job',
    String.raw`${wordStart}(?:je suis|soy|trabajo como|je travaille comme) (?:une? |un |una )?(?<v>[\p{L}-]+(?:eur|euse|ien|ienne|iste|ista|ero|era|or|ora|ecin|nte|ogo|oga))(?![\p{L}])`,
  ),
  createRule(
    'birthday',
    String.raw`${wordStart}(?:my birthday is(?: on)?|i was born (?:on|in)) (?<v>[\p{L}\p{N}][\p{L}\p{N} ,./-]{1,30}?)(?=$|[.!?;:()\n]|, (?!\d)| and | but )`,
  ),
  createRule(
    'birthday',
    String.raw`${wordStart}(?:ich habe am (?<v>[\p{N}][\p{L}\p{N}. ]{1,20}?) geburtstag)`,
  ),
  createRule(
    'birthday',
    String.raw`${wordStart}(?:mon anniversaire est le|mi cumpleaños es el) (?<v>[\p{N}][\p{L}\p{N} ]{1,30}?)(?=$|[.!?;:,])`,
  ),
  createRule('age', String.raw`${wordStart}(?:i(?:['’]m| am)|ich bin) (?<v>\d{1,3}) (?:years old|jahre alt)`),
  createRule('age', String.raw`${wordStart}(?:j['’]ai|tengo) (?<v>\d{1,3}) (?:ans|años)`),
  createRule(
    'diet',
    String.raw`${wordStart}(?:i(?:['’]m| am)|i(?:['’]ve| have) (?:become|gone)|ich bin|je suis|soy) (?:now |a |an |jetzt )*(?<v>vegan(?:er|erin|e|o|a)?|vegetarian(?:o|a)?|vegetarier(?:in)?|végétarien(?:ne)?|végane?|pescatarian)(?![\p{L}])`,
  ),
  createRule(
    'allergic to',
    String.raw`${wordStart}(?:allergic to|allergisch gegen|allergique (?:à la|à l['’]|au|aux|à)|alérgic[oa] (?:a la|a los|a las|al|a)) ?${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'speaks',
    String.raw`${wordStart}i (?:also )?speak (?:fluent |some |a little |native )*(?<v>\p{Lu}\p{L}+(?:(?:,| and|, and) \p{Lu}\p{L}+){0,8})`,
  ),
  createRule(
    'favourite',
    String.raw`${wordStart}my (?:all[- ]time )?favou?rite (?<k>[\p{L} ]{2,30}?) (?:is|are) ${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'favourite',
    String.raw`${wordStart}meine? lieblings(?<k>\p{L}{2,30}) ist ${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'favourite',
    String.raw`${wordStart}(?:mon|ma) (?<k>\p{L}{2,30}) préférée? est (?:le |la |les |l['’])?${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'favourite',
    String.raw`${wordStart}mi (?<k>\p{L}{2,30}) (?:favorit[oa]|preferid[oa]) es (?:el |la |los |las )?${valuePattern}${clauseEnd}`,
  ),
  createNameRule(
    'name of',
    String.raw`my (?<k>${kinWords})(?: is (?:called|named)|['’]s name is) `,
    properName,
  ),
  createNameRule('name of', String.raw`(?:a|an|my|our) (?<k>${kinWords}) (?:called|named) `, properName),
  createRule(
    'likes',
    String.raw`${wordStart}i(?:['’]m| am)? ${adverbs}(?:like|love|enjoy|adore|prefer|fond of|into) (?!(?:you|it|that|this|them|him|her|to know|to see)(?!\p{L}))${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'likes',
    String.raw`${wordStart}ich (?:mag|liebe) (?!kein|nicht|dich|es )(?:sehr |gerne? )?${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'likes',
    String.raw`${wordStart}(?:j['’](?:aime|adore)) (?!pas )(?:bien |beaucoup )?(?:le |la |les |l['’])?${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'likes',
    String.raw`(?<!no )(?<![\p{L}])(?:me gustan?|me encantan?) (?:el |la |los |las )?${valuePattern}${clauseEnd}`,
  ),
  createRule(
    'note',
    String.raw`${wordStart}(?:please )?(?:remember|note|keep in mind|don['’]?t forget)(?: that|:) (?<v>[^\n]{3,300}?)[.!]?$`,
  ),
  createRule(
    'note',
    String.raw`${wordStart}(?:bitte )?merk(?:e)? dir,? (?:bitte,? )?(?:dass|:) ?(?<v>[^\n]{3,300}?)[.!]?$`,
  ),
]

/** Statements of a sentence about its speaker. */
export function findInSentence(sentence: string): Statement[] {
  // A question or a condition states nothing.
  if (/[?？]\s*$/.test(sentence) || /^\s*(?:if|wenn|si)\b/iu.test(sentence)) return []
  // The limit bounds the time that the patterns take.
  const text = sentence.replaceAll(/\s+/g, ' ').slice(0, 1000)
  const statements: Statement[] = []
  for (const { attribute, pattern, denied = false } of rules) {
    const { groups } = pattern.exec(text) ?? {}
    const matched = groups?.['v'] ?? ''
    const key = groups?.['k'] === undefined ? attribute : `${attribute} ${fold(groups['k'].trim())}`
    for (const part of attribute === 'speaks' ? matched.split(/,? and |, /) : [matched]) {
      const value = attribute === 'note' ? part.trim() : cleanValue(part)
      // An earlier rule has precedence: for the same attribute, and for the opposite of the same value.
      const isStated = statements.some((statement) => statement.attribute === key && !allowsManyValues(key))
      const isDenied = statements.some(
        (statement) => opposites[statement.attribute] === key && fold(statement.value) === fold(value),
      )
      if (value !== '' && !isStated && !isDenied) statements.push({ attribute: key, value, denied })
    }
  }
  return statements
}

/** True if one sentence may state several values: `I speak French and German`. */
const allowsManyValues = (attribute: string) => attribute === 'speaks'

/** Statements in the lines of persons, in order, each with its line. */
export function findStatements(lines: readonly HistoryLine[]): { statement: Statement; line: HistoryLine }[] {
  return lines
    .filter(isUser)
    .flatMap((line) =>
      sentencesOf(line.content).flatMap((sentence) =>
        findInSentence(sentence).map((statement) => ({ statement, line })),
      ),
    )
}

/** Returns `value` without its article, adverbs at its end, and punctuation around it; may be empty. */
function cleanValue(value: string): string {
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
