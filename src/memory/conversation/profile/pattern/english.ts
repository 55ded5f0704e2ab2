// Patterns of English sentences about their speaker.
import {
  createNamePattern,
  createPattern,
  placeName,
  properName,
  type FactPattern,
  value,
  valueList,
} from './fact-pattern.ts'

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
export const english: readonly FactPattern[] = [
  createNamePattern(
    'home',
    String.raw`(?:i|we) ${noLonger}(?:live|living|lived|reside) in `,
    placeName,
    true,
  ),
  createNamePattern('home', String.raw`(?:i|we) ${adverbs}(?:live|reside) in `, placeName),
  createNamePattern('home', String.raw`${am} ${adverbs}(?:based|living) in `, placeName),
  createNamePattern(
    'home',
    String.raw`${have} ${adverbs}(?:recently )?(?:moved|relocated)(?: from [^.!?;,]{1,40}?)? to `,
    placeName,
  ),
  createPattern('birthday', String.raw`my birthday is (?:on )?(?:the )?(?<v>${date})`),
  createPattern('birthday', String.raw`i was born (?:on |in )(?:the )?(?<v>${date}|${months} \d{4}|\d{4})`),
  createNamePattern('origin', String.raw`i was born (?:and raised )?(?:[^.!?;,]{1,30}? )?in `, placeName),
  createNamePattern('origin', String.raw`(?:i['’]?m|i am) (?:originally )?from `, placeName),
  createNamePattern('origin', String.raw`i (?:originally )?come from `, placeName),

  createPattern(
    'employer',
    String.raw`i ${noLonger}(?:work|working|worked) (?:at|for) ${noEmployer}${employerName}`,
    true,
  ),
  createPattern(
    'employer',
    String.raw`i ${adverbs}work (?:as [^.!?;,]{1,40}? )?(?:at|for) ${noEmployer}${employerName}`,
  ),
  createNamePattern(
    'employer',
    String.raw`${have} (?:just |recently )?(?:started|begun)(?: working| a new job)? (?:at|with) `,
    properName,
  ),
  createPattern(
    'job',
    String.raw`${have} ${adverbs}(?:recently )?(?:work|started|begun)(?:[^.!?;,]{1,60}?)? as (?:an? |the )?(?<v>[\p{L}][^.!?;:()\n,]{0,60}?)(?= (?:at|for|in|with|on|and|but|since) |$|[.!?;:()\n,])`,
  ),
  createPattern(
    'job',
    String.raw`(?:i['’]?m|i am) (?:now )?(?:an? |the )(?<v>(?:[\p{L}-]+ ){0,3}(?:${occupation}))(?![\p{L}])`,
  ),

  createPattern('age', String.raw`(?:i['’]?m|i am) (?<v>\d{1,3}) years old`),
  createPattern(
    'diet',
    String.raw`(?:i['’]?m|i am) (?:not|no longer|never) (?:a )?(?<v>vegan|vegetarian|pescatarian)`,
    true,
  ),
  createPattern(
    'diet',
    String.raw`(?:(?:i['’]?m|i am)|i(?:['’]ve| have) (?:become|gone|turned)) (?:now |a |an )*(?<v>vegan|vegetarian|pescatarian)(?![\p{L}])`,
  ),
  createPattern(
    'avoids',
    String.raw`i (?:can['’]?t|cannot|can not|don['’]?t|do not|never|won['’]?t) (?:eat|drink) (?!(?:it|that|this|them|breakfast|lunch|dinner|much|out|now|today|here|there|anything|more|enough|alone|before|after|any|all)(?![\p{L}]))${valueList}`,
  ),
  createPattern(
    'allergic to',
    String.raw`(?:(?:i['’]?m|i am) (?:not|no longer)|i was never|i(?:['’]ve| have) never been) (?:actually |really )?allergic to (?!(?:it|that|this|anything)(?![\p{L}]))${valueList}`,
    true,
  ),
  createPattern(
    'allergic to',
    String.raw`(?:i['’]?m|i am) (?:[\p{L}]+ly |also |very )?(?<!not )(?<!n['’]t )allergic to (?!(?:it|that|this|nothing)(?![\p{L}]))${valueList}`,
  ),
  createPattern(
    'health',
    String.raw`i(?:['’]ve| have)? (?:also |still )?(?:have|had|got|live with) (?<v>${condition})(?![\p{L}])`,
  ),
  createPattern(
    'health',
    String.raw`i (?:suffer from|was (?:recently )?diagnosed with|have been diagnosed with|['’]ve been diagnosed with) (?!(?:it|that|this)(?![\p{L}]))${value}`,
  ),

  createNamePattern(
    'name',
    String.raw`(?:my (?:full |first )?name is|my name['’]s|i['’]?m called|i am called|i go by) `,
    properName,
  ),
  createNamePattern(
    'name',
    String.raw`call me `,
    String.raw`(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March|April|May|June|July|August|September|October|November|December)(?![\p{L}]))${properName}`,
  ),
  createPattern(
    'contact',
    String.raw`(?:please )?(?<v>(?:don['’]?t|do not|never) (?:call|phone|ring) me (?:before|after|at|on|during) [^.!?;,]{2,40})(?=$|[.!?;,])`,
  ),
  createPattern(
    'contact',
    String.raw`(?:please )?(?:don['’]?t|do not|never) (?<v>(?:call|phone|ring) me)(?=$|[.!?;,])`,
    true,
  ),
  createPattern('contact', String.raw`no (?:phone )?(?<v>calls)(?:,? please)?(?=$|[.!?;,])`, true),
  createPattern('contact', String.raw`rather than (?<v>call(?:ing)?|phon(?:e|ing))`, true),
  createPattern(
    'contact',
    String.raw`(?<v>email|e-mail|mail|text|message) me(?=$|[,.!;]| (?:instead|rather|please))`,
  ),
  createPattern(
    'contact',
    String.raw`(?:reach|contact) me (?:by|on|via|through|over) (?<v>${channel})(?![\p{L}])`,
  ),
  createPattern(
    'contact',
    String.raw`best way to (?:reach|contact) me is (?:by |on |via |through )?(?<v>${channel})(?![\p{L}])`,
  ),
  createPattern(
    'plan',
    String.raw`${am} (?<v>(?:${planned}) (?:(?!(?:that|which|was|were) )[^.!?;]){0,60}?on ${date})`,
  ),
  createPattern(
    'children',
    String.raw`(?:i|we) have (?:[\p{L}]+ )?(?:children|kids|sons|daughters)(?:,|:| called| named) ${valueList}`,
  ),
  createPattern(
    'pets',
    String.raw`(?:i|we) have (?:[\p{L}]+ )?(?:cats|dogs|pets)(?:,|:| called| named) ${valueList}`,
  ),
  createPattern(
    'speaks',
    String.raw`i (?:don['’]?t|do not|can['’]?t) (?:really )?speak (?:any )?(?<v>\p{Lu}\p{L}+)(?![\p{L}])`,
    true,
  ),
  createNamePattern(
    'speaks',
    String.raw`i ${adverbs}speak (?:fluent |some |a little |a bit of |native |good |basic )*`,
    String.raw`(?<v>\p{Lu}\p{L}+(?:(?:,? and |, )(?:fluent |some |a little |a bit of |native |good |basic )*\p{Lu}\p{L}+){0,8})`,
  ),
  createPattern(
    'favourite',
    String.raw`my (?:all[- ]time )?favou?rite (?<k>[\p{L} ]{2,30}?) (?:is|are) (?!(?:not|n['’]t)(?![\p{L}]))${value}`,
  ),
  createPattern(
    'dislikes',
    String.raw`i ${adverbs}(?:don['’]?t (?:really )?(?:like|enjoy)|do not (?:really )?like|dislike|hate|loathe|can['’]?t stand|can not stand|cannot stand) ${noLiking}${valueList}`,
  ),
  createPattern(
    'likes',
    String.raw`i (?:no longer|stopped) (?:like|liking|love|loving|enjoy|enjoying) ${valueList}`,
    true,
  ),
  createPattern(
    'likes',
    String.raw`i ${adverbs}prefer ${noLiking}(?<v>[\p{L}\p{N}][^.!?;:()\n]{0,80}?)(?=,? (?:to|over|rather than|instead of|but|because|so|since|how|can|could|which|that) |$|[.!?;:()\n]|, [\p{L}]+ing )`,
  ),
  createPattern('likes', String.raw`i ${adverbs}(?:like|love|enjoy|adore) ${noLiking}${valueList}`),
  createPattern(
    'likes',
    String.raw`(?:i['’]?m|i am) ${adverbs}(?:fond of|into) (?!the )${noLiking}${valueList}`,
  ),
  createPattern(
    'note',
    String.raw`(?:please )?(?:remember|note|keep in mind|don['’]?t forget)(?: that|:) (?<v>[^\n]{3,300}?)[.!]?$`,
  ),
]
