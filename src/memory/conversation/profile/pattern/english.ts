// Patterns of English sentences about their speaker.
import { createNameRule, createRule, placeName, properName, type Rule, value, valueList } from './rule.ts'

const am = String.raw`(?:i['’]?m|i am|we['’]?re|we are)`
const have = String.raw`(?:(?:i|we)(?:['’]ve| have)?)`
const adverbs = String.raw`(?:really |also |just |absolutely |still |do |now |currently |actually |only |always )*`
const noLonger = String.raw`(?:no longer |don['’]?t |do not |never |used to |stopped |quit |didn['’]?t )`
const months =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)'
const day = String.raw`(?:the )?(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? ${months}|${months} \d{1,2}(?:st|nd|rd|th)?)(?:,? \d{4})?`
const date = String.raw`(?:${day}|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?)`
const occupation =
  'accountant|actor|actress|analyst|architect|artist|attorney|baker|barista|biologist|bookkeeper|bricklayer|bus driver|carpenter|' +
  'chef|chemist|coach|consultant|cook|dancer|dentist|designer|developer|director|doctor|driver|economist|editor|electrician|engineer|' +
  'farmer|firefighter|florist|founder|freelancer|gardener|geologist|hairdresser|historian|illustrator|journalist|judge|lawyer|lecturer|' +
  'librarian|linguist|manager|mathematician|mechanic|midwife|musician|nurse|optician|painter|paramedic|pharmacist|photographer|' +
  'physicist|physiotherapist|pianist|pilot|plumber|policeman|policewoman|police officer|postdoc|producer|professor|programmer|' +
  'psychologist|researcher|sailor|salesman|salesperson|scientist|secretary|singer|social worker|student|surgeon|tailor|teacher|' +
  'technician|therapist|translator|veterinarian|vet|waiter|waitress|welder|writer'
const condition = String.raw`(?:type [12] )?diabetes|asthma|epilepsy|(?:chronic )?migraines?|(?:rheumatoid )?arthritis|adhd|add|autism|depression|insomnia|hypertension|(?:high|low) blood pressure|c(?:o)?eliac(?: disease)?|parkinson['’]s(?: disease)?|alzheimer['’]s|dementia|(?:[\p{L}]+ )?cancer|hiv|eczema|psoriasis|endometriosis|ibs|crohn['’]s(?: disease)?|lupus|multiple sclerosis|ms|tinnitus|hay fever|sleep apn(?:o)?ea|dyslexia|(?:a )?pacemaker|(?:a )?heart condition`
const channel = 'email|e-mail|mail|text|sms|phone|signal|whatsapp|telegram|slack|teams|discord|letter'
const planned =
  'flying|moving|travell?ing|going|driving|getting married|marrying|visiting|leaving|starting|arriving|returning|hosting|retiring|graduating|running|taking|meeting|presenting|having'
const noEmployer = String.raw`(?!(?:home|night|nights|weekends|once|least|all|first|it|this|that|these|you|them|him|her|us|me|myself|free|fun|now|hours|months|years|days|the moment|the weekend|a living|a while|\d)(?![\p{L}]))`
const noLiking = String.raw`(?!(?:you|it|that|this|these|those|them|him|her|what|when|how|where|why|if|about|to (?:know|see|say|think|believe|hear|ask|admit|be|have|get|make|point|add|remind|interrupt|bother|book|go))(?![\p{L}]))`
const employerName = String.raw`(?<v>[\p{L}\p{N}][^.!?;:()\n,]{0,60}?)(?=$|[.!?;:()\n,]| (?:as|in|and|but|because|so|since|who|which|these|anymore|any)(?![\p{L}]))`

/** In order of precedence. Denials come first: without the denial, the same words would state the opposite. */
export const english: readonly Rule[] = [
  createNameRule('home', String.raw`(?:i|we) ${noLonger}(?:live|living|lived|reside) in `, placeName, true),
  createNameRule('home', String.raw`(?:i|we) ${adverbs}(?:live|reside) in `, placeName),
  createNameRule('home', String.raw`${am} ${adverbs}(?:based|living) in `, placeName),
  createNameRule(
    'home',
    String.raw`${have} ${adverbs}(?:recently )?(?:moved|relocated)(?: from [^.!?;,]{1,40}?)? to `,
    placeName,
  ),
  createRule('birthday', String.raw`my birthday is (?:on )?(?:the )?(?<v>${date})`),
  createRule('birthday', String.raw`i was born (?:on |in )(?:the )?(?<v>${date}|${months} \d{4}|\d{4})`),
  createNameRule('origin', String.raw`i was born (?:and raised )?(?:[^.!?;,]{1,30}? )?in `, placeName),
  createNameRule('origin', String.raw`(?:i['’]?m|i am) (?:originally )?from `, placeName),
  createNameRule('origin', String.raw`i (?:originally )?come from `, placeName),

  createRule(
    'employer',
    String.raw`i ${noLonger}(?:work|working|worked) (?:at|for) ${noEmployer}${employerName}`,
    true,
  ),
  createRule(
    'employer',
    String.raw`i ${adverbs}work (?:as [^.!?;,]{1,40}? )?(?:at|for) ${noEmployer}${employerName}`,
  ),
  createNameRule(
    'employer',
    String.raw`${have} (?:just |recently )?(?:started|begun)(?: working| a new job)? (?:at|with) `,
    properName,
  ),
  createRule(
    'job',
    String.raw`${have} ${adverbs}(?:recently )?(?:work|started|begun)(?:[^.!?;,]{1,60}?)? as (?:an? |the )?(?<v>[\p{L}][^.!?;:()\n,]{0,60}?)(?= (?:at|for|in|with|on|and|but|since) |$|[.!?;:()\n,])`,
  ),
  createRule(
    'job',
    String.raw`(?:i['’]?m|i am) (?:now )?(?:an? |the )(?<v>(?:[\p{L}-]+ ){0,3}(?:${occupation}))(?![\p{L}])`,
  ),

  createRule('age', String.raw`(?:i['’]?m|i am) (?<v>\d{1,3}) years old`),
  createRule(
    'diet',
    String.raw`(?:i['’]?m|i am) (?:not|no longer|never) (?:a )?(?<v>vegan|vegetarian|pescatarian)`,
    true,
  ),
  createRule(
    'diet',
    String.raw`(?:(?:i['’]?m|i am)|i(?:['’]ve| have) (?:become|gone|turned)) (?:now |a |an )*(?<v>vegan|vegetarian|pescatarian)(?![\p{L}])`,
  ),
  createRule(
    'avoids',
    String.raw`i (?:can['’]?t|cannot|can not|don['’]?t|do not|never|won['’]?t) (?:eat|drink) (?!(?:it|that|this|them|breakfast|lunch|dinner|much|out|now|today|here|there|anything|more|enough|alone|before|after|any|all)(?![\p{L}]))${valueList}`,
  ),
  createRule(
    'allergic to',
    String.raw`(?:(?:i['’]?m|i am) (?:not|no longer)|i was never|i(?:['’]ve| have) never been) (?:actually |really )?allergic to (?!(?:it|that|this|anything)(?![\p{L}]))${valueList}`,
    true,
  ),
  createRule(
    'allergic to',
    String.raw`(?:i['’]?m|i am) (?:[\p{L}]+ly |also |very )?(?<!not )(?<!n['’]t )allergic to (?!(?:it|that|this|nothing)(?![\p{L}]))${valueList}`,
  ),
  createRule(
    'health',
    String.raw`i(?:['’]ve| have)? (?:also |still )?(?:have|had|got|live with) (?<v>${condition})(?![\p{L}])`,
  ),
  createRule(
    'health',
    String.raw`i (?:suffer from|was (?:recently )?diagnosed with|have been diagnosed with|['’]ve been diagnosed with) (?!(?:it|that|this)(?![\p{L}]))${value}`,
  ),

  createNameRule(
    'name',
    String.raw`(?:my (?:full |first )?name is|my name['’]s|i['’]?m called|i am called|i go by) `,
    properName,
  ),
  createNameRule(
    'name',
    String.raw`call me `,
    String.raw`(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|May|June|July|August|September|October|November|December)(?![\p{L}]))${properName}`,
  ),
  createRule(
    'contact',
    String.raw`(?:please )?(?:don['’]?t|do not|never) (?<v>(?:call|phone|ring) me(?: (?:before|after|at|on|during) [^.!?;,]{2,40})?)(?=$|[.!?;,])`,
    true,
  ),
  createRule('contact', String.raw`no (?:phone )?(?<v>calls)(?:,? please)?(?=$|[.!?;,])`, true),
  createRule('contact', String.raw`rather than (?<v>call(?:ing)?|phon(?:e|ing))`, true),
  createRule(
    'contact',
    String.raw`(?<v>email|e-mail|mail|text|message) me(?=$|[,.!;]| (?:instead|rather|please))`,
  ),
  createRule(
    'contact',
    String.raw`(?:reach|contact) me (?:by|on|via|through|over) (?<v>${channel})(?![\p{L}])`,
  ),
  createRule(
    'contact',
    String.raw`best way to (?:reach|contact) me is (?:by |on |via |through )?(?<v>${channel})(?![\p{L}])`,
  ),
  createRule(
    'plan',
    String.raw`${am} (?<v>(?:${planned}) (?:(?!(?:that|which|was|were) )[^.!?;]){0,60}?on ${date})`,
  ),
  createRule(
    'children',
    String.raw`(?:i|we) have (?:[\p{L}]+ )?(?:children|kids|sons|daughters)(?:,|:| called| named) ${valueList}`,
  ),
  createRule(
    'pets',
    String.raw`(?:i|we) have (?:[\p{L}]+ )?(?:cats|dogs|pets)(?:,|:| called| named) ${valueList}`,
  ),
  createRule(
    'speaks',
    String.raw`i (?:don['’]?t|do not|can['’]?t) (?:really )?speak (?:any )?(?<v>\p{Lu}\p{L}+)(?![\p{L}])`,
    true,
  ),
  createNameRule(
    'speaks',
    String.raw`i ${adverbs}speak (?:fluent |some |a little |a bit of |native |good |basic )*`,
    String.raw`(?<v>\p{Lu}\p{L}+(?:(?:,? and |, )(?:fluent |some |a little |a bit of |native |good |basic )*\p{Lu}\p{L}+){0,8})`,
  ),
  createRule(
    'favourite',
    String.raw`my (?:all[- ]time )?favou?rite (?<k>[\p{L} ]{2,30}?) (?:is|are) (?!(?:not|n['’]t)(?![\p{L}]))${value}`,
  ),
  createRule(
    'dislikes',
    String.raw`i ${adverbs}(?:don['’]?t (?:really )?(?:like|enjoy)|do not (?:really )?like|dislike|hate|loathe|can['’]?t stand|can not stand|cannot stand) ${noLiking}${valueList}`,
  ),
  createRule(
    'likes',
    String.raw`i (?:no longer|stopped) (?:like|liking|love|loving|enjoy|enjoying) ${valueList}`,
    true,
  ),
  createRule(
    'likes',
    String.raw`i ${adverbs}prefer ${noLiking}(?<v>[\p{L}\p{N}][^.!?;:()\n]{0,80}?)(?=,? (?:to|over|rather than|instead of|but|because|so|since|how|can|could|which|that) |$|[.!?;:()\n]|, [\p{L}]+ing )`,
  ),
  createRule('likes', String.raw`i ${adverbs}(?:like|love|enjoy|adore) ${noLiking}${valueList}`),
  createRule(
    'likes',
    String.raw`(?:i['’]?m|i am) ${adverbs}(?:fond of|into) (?!the )${noLiking}${valueList}`,
  ),
  createRule(
    'note',
    String.raw`(?:please )?(?:remember|note|keep in mind|don['’]?t forget)(?: that|:) (?<v>[^\n]{3,300}?)[.!]?$`,
  ),
]
