// Patterns of German sentences about their speaker.
import { createNameRule, createRule, placeName, properName, type Rule, value, valueList } from './rule.ts'

const month = '(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)'
const date = String.raw`\d{1,2}\. ?(?:${month}|\d{1,2}\.)(?: ?\d{4})?`
const condition = String.raw`(?:typ-?[12]-?)?diabetes|asthma|epilepsie|migräne|arthrose|arthritis|adhs|autismus|depressionen|bluthochdruck|zöliakie|parkinson|alzheimer|demenz|krebs|[\p{L}]+krebs|heuschnupfen|neurodermitis|multiple sklerose|tinnitus|schlafapnoe`
const noJob =
  '(?!(?:Vegetarier|Veganer|Berliner|Wiener|Hamburger|Kölner|Münchner|Schweizer|Österreicher|Europäer|Engländer|Italiener|Spanier|Däne|Optimist|Pessimist|Raucher|Nichtraucher)(?:in)?(?![\\p{L}]))'

export const german: readonly Rule[] = [
  createNameRule('home', String.raw`ich (?:wohne|lebe) nicht (?:mehr )?in `, placeName, true),
  createNameRule(
    'home',
    String.raw`(?:ich |und |aber )?(?:wohne|lebe)(?: ich)?(?: aber)?(?: jetzt| nun| derzeit| inzwischen)? in `,
    placeName,
  ),
  createNameRule(
    'home',
    String.raw`ich bin (?:gerade |vor kurzem |letztes jahr )?(?:von [^.!?;,]{1,40} )?(?:nach|in die|in den) `,
    String.raw`${placeName}(?= (?:um)?gezogen)`,
  ),
  createNameRule('origin', String.raw`ich (?:komme|stamme) (?:ursprünglich )?aus `, placeName),
  createNameRule(
    'origin',
    String.raw`ich (?:bin|wurde) (?:am [^!?;,]{1,30} )?in `,
    String.raw`${placeName}(?= (?:geboren|zur welt))`,
  ),
  createRule('birthday', String.raw`(?:ich habe am (?<v>${date}) geburtstag)`),
  createRule(
    'birthday',
    String.raw`(?:mein geburtstag ist (?:am|der)|ich bin am|ich wurde am) (?<v>${date})(?= geboren|$|[.!?,;])`,
  ),
  createRule('age', String.raw`ich bin (?<v>\d{1,3}) jahre alt`),

  createNameRule(
    'employer',
    String.raw`ich arbeite nicht (?:mehr )?(?:bei|für) (?:der |dem |den )?`,
    properName,
    true,
  ),
  createNameRule(
    'employer',
    String.raw`ich arbeite (?:[^.!?;,]{1,60}? )?(?<!nicht )(?<!nicht mehr )bei (?:der |dem |den )?`,
    properName,
  ),
  createNameRule(
    'job',
    String.raw`ich arbeite (?:jetzt |derzeit )?als (?:eine? )?`,
    String.raw`(?<v>\p{Lu}[\p{L}-]+)(?![\p{L}])`,
  ),
  createNameRule(
    'job',
    String.raw`ich bin (?:jetzt |von beruf )?`,
    String.raw`${noJob}(?<v>\p{Lu}[\p{L}-]+(?:in|er|or|ist|eur|ent|loge|login|arzt|ärztin))(?![\p{L}])`,
  ),
  createRule(
    'diet',
    String.raw`ich bin (?:nicht|kein|keine|nicht mehr) (?<v>vegan|vegetarisch|veganer(?:in)?|vegetarier(?:in)?)`,
    true,
  ),
  createRule(
    'diet',
    String.raw`ich (?:bin|lebe|esse|ernähre mich) (?:jetzt )?(?<v>vegan|vegetarisch|veganer(?:in)?|vegetarier(?:in)?)(?![\p{L}])`,
  ),
  createRule('avoids', String.raw`ich (?:esse|trinke|vertrage) keine?n? ${valueList}`),
  createRule('allergic to', String.raw`ich bin nicht (?:mehr )?allergisch gegen ${valueList}`, true),
  createRule(
    'allergic to',
    String.raw`ich bin (?:sehr |stark |leider |auch )?allergisch (?:gegen|auf) ${valueList}`,
  ),
  createRule('allergic to', String.raw`ich bin gegen (?!nichts)(?<v>[^.!?;()\n]{2,80}?) allergisch`),
  createRule('health', String.raw`ich habe (?:eine |einen )?(?<v>${condition})(?![\p{L}])`),
  createRule('health', String.raw`ich leide (?:an|unter) ${value}`),

  createNameRule('name', String.raw`(?:ich hei(?:ß|ss)e|mein name ist|nenn mich) `, properName),
  createRule(
    'contact',
    String.raw`(?:ruf(?:en sie)?) mich (?:bitte )?(?:nicht|nie) (?<v>an)(?=$|[.!?;,])`,
    true,
  ),
  createRule(
    'contact',
    String.raw`schreib(?:en sie)? mir (?:bitte |lieber |besser )*(?:eine |per )?(?<v>e-?mail|mail|nachricht|sms)(?=$|[.!?;,])`,
  ),
  createRule(
    'contact',
    String.raw`erreichst? mich (?:am besten )?(?:per|über) (?<v>e-?mail|mail|telefon|sms|signal|whatsapp)`,
  ),
  createRule(
    'plan',
    String.raw`am (?<v>${date} (?:fahre|fliege|ziehe|reise|gehe|heirate|beginne|besuche|fahren|fliegen|ziehen|reisen|heiraten|besuchen) (?:ich|wir)[^.!?;,]{0,60})`,
  ),
  createRule(
    'plan',
    String.raw`(?:ich|wir) (?<v>(?:fahren?|fliegen?|ziehen?|reisen?|heiraten?|besuchen?)(?: wir| ich)?[^.!?;,]{0,30}? am ${date}[^.!?;,]{0,40})`,
  ),
  createRule(
    'children',
    String.raw`(?:ich habe|wir haben) (?:[\p{L}]+ )?(?:kinder|söhne|töchter)[:,] ${valueList}`,
  ),
  createNameRule('speaks', String.raw`ich spreche kein `, String.raw`(?<v>\p{Lu}\p{L}+)`, true),
  createNameRule(
    'speaks',
    String.raw`ich spreche (?:fließend |gut |etwas |ein bisschen |ein wenig |auch )*`,
    String.raw`(?<v>\p{Lu}\p{L}+(?:(?: und |, )(?:fließend |gut |etwas |ein bisschen |ein wenig )*\p{Lu}\p{L}+){0,8})`,
  ),
  createRule('favourite', String.raw`meine? lieblings(?<k>\p{L}{2,30}) ist (?!nicht )${value}`),
  createRule('dislikes', String.raw`ich (?:mag kein(?:e|en)?|hasse) ${valueList}`),
  createRule('dislikes', String.raw`ich mag (?!dich|es |das )(?<v>[^.!?;:()\n,]{2,60}?) nicht(?=$|[.!?;:,])`),
  createRule(
    'likes',
    String.raw`ich (?:mag|liebe) (?!kein|nicht|dich|euch|es |das |sie |ihn |dass|wie |wenn )(?![^.!?;,]* nicht(?![\p{L}]))(?:sehr |gerne? )?${valueList}`,
  ),
  createRule(
    'note',
    String.raw`(?:bitte )?merk(?:e)? dir,? (?:bitte,? )?(?:dass|:) ?(?<v>[^\n]{3,300}?)[.!]?$`,
  ),
]
